"""Checks of hidden information and seeds, which know no game."""
