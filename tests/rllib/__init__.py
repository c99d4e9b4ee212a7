"""RLlib, in an environment of its own: `make rllib`."""
