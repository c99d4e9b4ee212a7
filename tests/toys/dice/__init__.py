"""A small dice game for two to six players, the example of docs/adding_a_game.md."""
