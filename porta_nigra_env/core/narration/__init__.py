"""Games in words: facts of a position, events between two positions, sentences in several languages."""
