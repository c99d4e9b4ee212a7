"""Kuhn poker: a game that is small enough for exact solutions."""
