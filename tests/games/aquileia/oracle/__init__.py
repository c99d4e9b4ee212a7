"""A second engine of Aquileia, written from the rules alone, and the games in which it judges the first."""
