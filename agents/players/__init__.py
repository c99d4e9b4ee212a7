"""Players that need neither search nor network."""
