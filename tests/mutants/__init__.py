"""Deliberate mistakes: each room's catalogue is tried on a copy of the tree."""
