"""Invariants of a whole episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from porta_nigra_env.core.conformance.moments import Episode
from porta_nigra_env.core.conformance.readings import Finding, play_out, rounds_of


def game_ends(episode: Episode) -> Finding:
    """Every game comes to an end."""
    return f"not over after {episode.limit} steps" if len(episode.actions) == episode.limit else None


def same_seed_same_game(episode: Episode) -> Finding:
    """The same seed and the same actions give the same states, byte for byte."""
    game = episode.game
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.constants, states, 0, episode.seed, game.num_players)
    for ply, record in enumerate(episode.records):
        if states.tobytes() != record:
            return f"other bytes after {ply} steps"
        if ply < len(episode.actions):
            game.kernel.step(game.constants, states, 0, episode.actions[ply])
    return None


def reset_overwrites_everything(episode: Episode) -> Finding:
    """A new game does not depend on the previous contents of the record."""
    game = episode.game
    for before in (episode.records[-1], b"\xff" * game.dtype.itemsize, b"\x5a" * game.dtype.itemsize):
        states = np.frombuffer(bytearray(before), dtype=game.dtype)
        game.kernel.reset(game.constants, states, 0, episode.seed, game.num_players)
        if states.tobytes() != episode.records[0]:
            names = [
                name
                for name in game.dtype.names or ()
                if states[name].tobytes() != np.frombuffer(episode.records[0], dtype=game.dtype)[name].tobytes()
            ]
            return f"depends on the old {', '.join(names)}"
    return None


def seeds_give_different_games(episode: Episode) -> Finding:
    """Different seeds give different states, over the whole range of seeds."""
    game = episode.game
    states = np.zeros(1, dtype=game.dtype)
    for other in (episode.seed + 1, episode.seed + 2**32, episode.seed + 2**62):
        game.kernel.reset(game.constants, states, 0, other, game.num_players)
        if states.tobytes() == episode.records[0]:
            return f"seed {other} gives the same state"
    return None


def playout_is_deterministic_and_limited(episode: Episode) -> Finding:
    """A playout ends, counts its steps, stops at its limit, and is a function of its policy RNG."""
    game = episode.game
    if episode.is_stuck:
        return None  # a playout would take an action that does not exist
    ends = []
    for _ in range(2):
        states = np.frombuffer(bytearray(episode.records[0]), dtype=game.dtype)
        steps = play_out(game, states, episode.limit, (episode.seed & 0xFFFFFFFF, 5, 0))
        if int(states["current_player"][0]) >= 0:
            return f"not over after {steps} steps"
        ends.append((steps, states.tobytes()))
    if ends[0] != ends[1]:
        return "the same policy RNG gave two games"
    states = np.frombuffer(bytearray(episode.records[0]), dtype=game.dtype)
    for number in range(ends[0][0]):
        if play_out(game, states, 1, (episode.seed & 0xFFFFFFFF, 5, number)) != 1:
            return "a limit of one step is ignored"
    return None if states.tobytes() == ends[0][1] else "step by step it is another game"


def rounds_never_fall(episode: Episode) -> Finding:
    """Rounds are counted from 0 or 1 and never decrease."""
    before = 0
    for ply, record in enumerate(episode.records):
        now = rounds_of(episode.game, np.frombuffer(bytearray(record), dtype=episode.game.dtype))
        if now < before or (ply == 0 and now > 1):
            return f"round {now} after {ply} steps, round {before} before"
        before = now
    return None


EPISODE_INVARIANTS: Final[tuple[Callable[[Episode], Finding], ...]] = (
    game_ends,
    same_seed_same_game,
    reset_overwrites_everything,
    seeds_give_different_games,
    playout_is_deterministic_and_limited,
    rounds_never_fall,
)
