"""Kuhn poker: the second game through `core` and `envs`, small enough for exact answers."""
