"""Leduc poker: a game with a hidden card to come that is small enough for exact values."""
