"""Tests of the page in a real browser; skipped, and said so, where there is none."""
