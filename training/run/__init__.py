"""Runs of training: folders, checkpoints, seeds, evaluation."""
