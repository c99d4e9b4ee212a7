"""Aquileia (Cielo d'Oro): the room of this game."""
