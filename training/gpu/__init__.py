"""PPO with games, advantages and learning on a GPU."""
