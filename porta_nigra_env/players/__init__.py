"""Players of any game, by name, and published networks in numpy."""
