"""Tests of the players and of what is played with them."""
