"""Helpers for tests of scripted players: compiled policies are legal, ignore hidden information, and play well."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

from agents.registry import make
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import state_class

ROOT = Path(__file__).parents[2]


def share(first: Policy, second: Policy, game: Game, deals: int) -> float:
    """Places before another, of those of one policy among others of a second kind; each deal in all rotations."""
    players = game.num_players
    seeds = np.repeat(np.arange(500, 500 + deals), players)
    games = np.arange(len(seeds))
    lineups = np.ones((len(seeds), players), dtype=np.int64)
    seats = np.tile(np.arange(players), deals)
    lineups[games, seats] = 0
    places = play_games(game, [first, second, RANDOM], seeds, lineups).places
    own = places[games, seats][:, None]
    before = (own < places) + 0.5 * (own == places)
    return float((before.sum(axis=1) - 0.5).mean() / (players - 1))


def play_legal_games(tested: Policy, game: Game) -> None:
    """Games with itself and with random players; `play_games` refuses illegal answers."""
    players = game.num_players
    play_games(game, [tested, RANDOM], range(10), [[0] * players] * 5 + [[0] + [1] * (players - 1)] * 5)


def phases_answered_alike(tested: Policy, game: Game, seeds: int) -> set[int]:
    """The phases of some games; in all their positions worlds that a player cannot tell apart get the same answer."""
    agent, rng = make(tested.name, game, 4), random.Random(1)
    phases = set()
    for seed in range(seeds):
        state = state_class(game.name).new(game.num_players, seed, game.components)
        while not state.is_over:
            player = state.current_player
            assert player is not None
            phases.add(int(state.states["phase"][0]))
            action = agent.act(state.view(player))
            assert state.action_mask()[action]
            assert agent.act(state.determinize(player, 1).view(player)) == action
            # Half of the actions are the player's own, so that there is more to decide than at random.
            state.apply_id(action if rng.random() < 0.5 else rng.choice(state.legal_ids()))
    return phases


def answer_many_views_like_one(tested: Policy, game: Game, decisions: int, games: int = 8) -> None:
    """A batch of views gives the same actions as single views."""
    env = BatchEnv(game, games)
    env.reset(seed=3)
    agent, rng = make(tested.name, game, 8), np.random.default_rng(3)
    for _ in range(decisions):
        views = env.views()
        assert agent.act_batch(views).tolist() == [agent.act(view) for view in views]
        env.step(env.random_actions(rng))


def digest_of_ends(tested: Policy, game: Game, games: int = 10) -> str:
    """SHA-256 of the ends of some games, all seats the same policy: another one plays otherwise."""
    ends = np.zeros(games, dtype=game.dtype)
    play_games(game, [tested, RANDOM], range(games), [[0] * game.num_players] * games, ends=ends)
    return hashlib.sha256(ends.tobytes()).hexdigest()


def printed(program: str, *, compiled: bool) -> str:
    """Return the output of a program in a new process, compiled or interpreted; arithmetic warnings are errors."""
    return subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "0" if compiled else "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
