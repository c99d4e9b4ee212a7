"""Porta Nigra (Kramer/Kiesling): the room of this game."""
