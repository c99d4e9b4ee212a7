"""A small dice game for two to six, written as docs/adding_a_game.md says."""
