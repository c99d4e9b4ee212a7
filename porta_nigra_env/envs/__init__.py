"""Environments for any game of the protocol in `core.game.game`: PettingZoo AEC and one seat for Gymnasium."""
