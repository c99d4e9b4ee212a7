"""Gloria Mundi (Abacusspiele): the room of this game."""
