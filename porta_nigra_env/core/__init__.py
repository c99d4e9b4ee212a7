"""Machinery that knows no game: compilation, randomness, spans, loops, the game protocol and its laws."""
