"""The laws every game keeps, held against both games, and against games that break them."""
