"""Tests that require numba-cuda, and some a GPU; `make test-gpu` runs them in a separate environment."""
