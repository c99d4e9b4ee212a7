"""Tests of Gloria Mundi."""
