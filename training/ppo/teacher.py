"""A network whose policy another one learns to imitate while it plays.

Schmitt and others: *Kickstarting Deep Reinforcement Learning* (arXiv 1803.03835).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.networks.components import ComponentNetwork
from agents.networks.network import Network, load_network, masked
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import game_class
from porta_nigra_env.players.checkpoint import CheckpointError
from training.ppo.losses import SOURCES, Gradients, Minibatch, list_legal
from training.ppo.options import Options

jit = compiler(*SOURCES, Path(__file__))


class Lesson(NamedTuple):
    """The teacher's policy in some rows of a minibatch.

    rows: int64 (taught,), places in the minibatch.
    logits: (taught, n), the teacher's, of the same actions as the learner's; only those of legal actions count.
    """

    rows: Any
    logits: Any


def published_names(game: type[Game]) -> dict[str, Path]:
    """Return the files of a game's published networks by name."""
    folders = {file.parent for file in game.network_files()}
    return {file.stem: file for folder in sorted(folders) for file in sorted(folder.glob("*.safetensors"))}


def fingerprint_of(game: str, name: str) -> str:
    """Return the fingerprint of a game's published network, empty without one."""
    file = published_names(game_class(game)).get(name)
    return "" if file is None else load_network(file).fingerprint()


def load_teacher(name: str, games: Sequence[Game]) -> Network:
    """Load the network of a published name or a file; CheckpointError if it does not play all games."""
    published = published_names(type(games[0]))
    file = published.get(name, Path(name))
    if not file.exists():
        names = f"; published networks: {', '.join(published)}" if published else ""
        raise CheckpointError(f"--teacher: file not found: {name}{names}")
    for game in games:
        network = load_network(file, game).for_game(game)
    if type(network) is not Network:
        raise CheckpointError(f"--teacher: {name} is a {type(network).__name__}; only a plain network can teach")
    return network


def load_start(file: Path | None, games: Sequence[Game]) -> Network:
    """Load the network of --start as a teacher in games with drawn sets; CheckpointError if it cannot play them."""
    if file is None:
        raise CheckpointError("--start-teaches: only with --start")
    for game in games:
        network = load_network(file, game)
    if not isinstance(network, ComponentNetwork):
        raise CheckpointError(f"--start-teaches: {file} knows one component set; train it with --component-sets first")
    return network


def check_teachers(options: Options, games: Sequence[Game]) -> None:
    """Raise CheckpointError for a teacher that cannot be loaded."""
    if options.teacher is not None:
        load_teacher(options.teacher, games)
    if options.start_teaches:
        load_start(options.start, games)


@jit
def divergence_gradient(
    logits: Any, factor: float, weight: float, batch: Minibatch, lesson: Lesson, out: Gradients
) -> float:
    """Add `factor` times the gradient of `divergence` to `out.logits`; return the divergence.

    Arguments as in `divergence`, but arrays.
    """
    total = 0.0
    for place in range(lesson.rows.shape[0]):
        row = lesson.rows[place]
        share, wanted = weight * float(batch.weights[row]), lesson.logits[place]
        legal = out.legal[: list_legal(batch.masks, row, out.legal)]
        best, best_wanted = -np.inf, -np.inf
        for action in legal:
            best = max(best, float(logits[row, action]))
            best_wanted = max(best_wanted, float(wanted[action]))
        normal, normal_wanted = 0.0, 0.0
        for action in legal:
            normal += np.exp(float(logits[row, action]) - best)
            normal_wanted += np.exp(float(wanted[action]) - best_wanted)
        log_normal, log_wanted = best + np.log(normal), best_wanted + np.log(normal_wanted)
        for action in legal:
            own, taught = float(logits[row, action]) - log_normal, float(wanted[action]) - log_wanted
            out.logits[row, action] += factor * share * (np.exp(own) - np.exp(taught))
            total += share * np.exp(taught) * (taught - own)
    return total


def divergence(logits: Tensor, weight: float, batch: Minibatch, lesson: Lesson) -> Tensor:
    """Return the weighted sum of KL(teacher || learner) over the taught rows, a scalar, in nats.

    Args:
        logits: (k, n), the learner's.
        weight: weight of a row, as in `losses.loss`.
        batch: tensors of the same k rows.
        lesson: the taught ones of these rows, as tensors.
    """
    masks = batch.masks[lesson.rows]
    own = torch.log_softmax(masked(logits[lesson.rows], masks), dim=1)
    taught = torch.log_softmax(masked(lesson.logits, masks), dim=1)
    terms = (taught.exp() * (taught - own)).masked_fill(masks == 0, 0.0).sum(dim=1)
    total: Tensor = (terms * batch.weights[lesson.rows]).sum() * weight
    return total
