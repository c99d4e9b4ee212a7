"""Players of any game that need nothing but the package: by name, and published networks in numpy."""
