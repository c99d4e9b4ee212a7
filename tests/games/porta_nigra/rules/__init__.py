"""The rules, ruling by ruling: positions made by hand, actions as text, and what changes."""
