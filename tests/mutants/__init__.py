"""Deliberate mistakes: each game's catalogue is tried on a copy of the tree."""
