"""Golden playthroughs of cups and coins."""
