"""Elementary moves per step: the chosen action and the forced actions that follow (G5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import policy_below
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games.gloria_mundi.rules.dispatch import carry_out, is_forced, only_action
from porta_nigra_env.games.gloria_mundi.rules.kernel import KERNEL

_PACKAGE: Final = Path(__file__).parents[2] / "porta_nigra_env"
jit = compiler(Path(__file__), _PACKAGE)
reset, legal = KERNEL.reset, KERNEL.legal


@jit
def _count(constants: Any, states: Any, words: Any, policy_rng: Any, seed: int, players: int) -> tuple[int, int]:
    """Play a random game in row 0; return (steps, moves)."""
    reset(constants, states, 0, seed, players)
    steps = moves = 0
    while states[0]["current_player"] >= 0:
        legal(constants, states, 0, words)
        carry_out(constants[0], states[0], bits.select(words, policy_below(policy_rng, bits.count(words))))
        steps += 1
        moves += 1
        while is_forced(constants[0], states[0]):
            carry_out(constants[0], states[0], only_action(states[0]))
            moves += 1
    return steps, moves


def moves_per_decision(game: Game, games: int) -> float:
    """Return the mean over random games with the seeds 0, 1, ..."""
    states = np.zeros(1, dtype=game.dtype)
    words = np.zeros(game.num_words, dtype=np.uint64)
    policy_rng = np.array([1, game.num_players, 0], dtype=np.int64)
    counts = [_count(game.constants, states, words, policy_rng, seed, game.num_players) for seed in range(games)]
    steps, moves = np.sum(counts, axis=0)
    return float(moves / steps)
