"""Perft: the number of action sequences from a position by depth, stored and recounted."""
