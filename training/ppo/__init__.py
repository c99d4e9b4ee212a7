"""Masked self-play PPO."""
