"""The game contract: kernel functions, the `Game` class, running states, views, results."""
