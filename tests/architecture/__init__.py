"""Tests of the house itself: layers, documentation, names, the layout of the state."""
