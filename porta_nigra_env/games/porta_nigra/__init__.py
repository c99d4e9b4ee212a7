"""Porta Nigra (Kramer/Kiesling)."""
