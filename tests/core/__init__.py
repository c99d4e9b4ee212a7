"""The machinery that knows no game."""
