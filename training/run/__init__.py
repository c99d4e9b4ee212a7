"""Infrastructure of training runs: options, folders, checkpoints, evaluation."""
