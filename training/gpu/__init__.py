"""GPU backend of `training.ppo`: games, advantages and learning on a GPU; needs the extra `gpu`."""
