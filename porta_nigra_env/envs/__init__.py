"""Environments for any game of the protocol in `core.game`: PettingZoo AEC and one seat for Gymnasium."""
