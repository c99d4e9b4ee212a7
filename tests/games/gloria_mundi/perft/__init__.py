"""Counts of action sequences by depth, kept as text and checked by both engines."""
