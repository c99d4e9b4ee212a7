"""Tests with Ray, run by `make test-ray` in a separate environment."""
