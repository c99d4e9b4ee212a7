"""Notebooks are those of their scripts, and run."""
