"""A second engine of Gloria Mundi, written from the rules alone, and the games in which it judges the first."""
