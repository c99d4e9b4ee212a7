"""Tests of positions, actions and boards as text."""
