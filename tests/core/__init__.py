"""Tests of the game-independent core."""
