"""Golden playthroughs of Kuhn poker."""
