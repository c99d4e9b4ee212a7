"""Tests of named players and of networks without torch."""
