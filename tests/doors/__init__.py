"""Doors that serve other libraries, each tested in a separate environment."""
