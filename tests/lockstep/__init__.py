"""A game's engine and its referee, a second engine written from the rules alone, play the same games side by side."""
