"""Perft: how many action sequences there are from a position, by depth; kept as text and counted anew."""
