"""Invariants: conservation in random games, hidden information, and symmetry of seats."""
