"""Games on a graphics card: in numba's simulator, as PTX, and, where there is a card, on it."""
