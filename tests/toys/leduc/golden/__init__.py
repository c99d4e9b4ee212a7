"""Golden playthroughs of Leduc poker."""
