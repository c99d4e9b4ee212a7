"""Array primitives of compiled code: random numbers, bit sets, piles of cards, layouts, seats."""
