"""Masked self-play PPO."""

from training.ppo.options import Options, check
from training.ppo.program import Training, main, prepare, resume_if_started, train_in_folder

__all__ = ["Options", "Training", "check", "main", "prepare", "resume_if_started", "train_in_folder"]
