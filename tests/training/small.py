"""Small runs of `training.ppo`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from training.ppo import Options, Training
from training.run.trainer import Trainer

SMALL: dict[str, Any] = {
    "num_envs": 16, "num_steps": 16, "minibatch_size": 64, "width": 16, "evaluate": (), "threads": 1,
    "precision": "float32", "device": "cpu",
}  # fmt: skip


#: Assert that a program refuses options with a message and makes no folder (`conftest.refused`).
Refused = Callable[[Callable[[Sequence[str]], int], Sequence[str], str], None]


def words(text: str) -> list[str]:
    """Return the words of a command line."""
    return text.split()


def make_training(games: Sequence[Game] | int = 2, **options: Any) -> Training:
    """Return the training of games, or of one number of players of Porta Nigra."""
    return Training(Options(**SMALL | options), [PortaNigra(games)] if isinstance(games, int) else games)


def assert_resumes(make: Callable[[], Trainer], file: Path, before: int, after: int) -> None:
    """Assert that a run of `before + after` iterations equals one with a break."""
    whole, first, second = make(), make(), make()
    for _ in range(before + after):
        whole.iterate()
    for _ in range(before):
        first.iterate()
    first.save(file)
    second.load(file)
    for _ in range(after):
        second.iterate()
    for name, tensor in whole.network.state_dict().items():
        assert torch.equal(tensor, second.network.state_dict()[name]), name
    assert (second.iteration, second.steps) == (whole.iteration, whole.steps)
