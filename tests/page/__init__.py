"""Tests of the page in a browser; skipped with a message where no browser is installed."""
