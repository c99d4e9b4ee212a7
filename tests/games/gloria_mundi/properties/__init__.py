"""Laws of play: what random games conserve, what nobody sees, and that the names of seats do not matter."""
