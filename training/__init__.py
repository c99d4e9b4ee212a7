"""Learning: programs that make players better."""
