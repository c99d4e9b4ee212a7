"""Compiled loops over many games, and the compiled policies that play in them."""
