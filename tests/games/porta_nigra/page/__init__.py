"""Tests of Porta Nigra on the page, in a browser."""
