"""Tests of the wheel."""
