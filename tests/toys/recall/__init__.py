"""A game that needs memory."""
