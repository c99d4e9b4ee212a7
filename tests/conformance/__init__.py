"""Tests of the invariants of every game, on valid games and on games with mistakes."""
