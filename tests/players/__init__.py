"""Players by name, and networks without torch."""
