"""Adapters of other environments for `benchmarks.peers`: each function returns a `play` function."""

from __future__ import annotations

import importlib
import itertools
import random
from collections.abc import Callable
from typing import Any

from benchmarks.probe import GAMES, replay_aec

#: Games of pgx in a batch.
BATCH = 1024
#: Steps of the batch in one call, which ends with a wait for the device.
BATCH_STEPS = 4


def pettingzoo(game: str, constructor: str) -> Callable[[], int]:
    """Count every step of every agent, each after ``last`` with mask and observation, as for `raw_env`."""
    return replay_aec(getattr(importlib.import_module(f"pettingzoo.classic.{game}"), constructor)())


def rlcard_gin_rummy() -> Callable[[], int]:
    """Count every ``env.step``, including scoring; the returned state has observation and legal actions."""
    import rlcard

    env = rlcard.make("gin-rummy", config={"seed": 1})
    draw = random.Random(1).random

    def play() -> int:
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(draw() * len(legal))])
            steps += 1
        return steps

    return play


def open_spiel(name: str) -> Callable[[], int]:
    """Count the players' actions without chance nodes, with a list of legal actions and an observation array."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    # Faster than `State.observation_tensor`, which builds a list of floats.
    observation = make_observation(game)
    chance = int(pyspiel.PlayerId.CHANCE)
    draw = random.Random(1).random

    def play() -> int:
        state = game.new_initial_state()
        steps = 0
        while not state.is_terminal():
            player = state.current_player()
            if player == chance:
                action, _ = pyspiel.sample_action(state.chance_outcomes(), draw())
            else:
                legal = state.legal_actions()
                observation.set_from(state, player)
                action = legal[int(draw() * len(legal))]
                steps += 1
            state.apply_action(action)
        return steps

    return play


def open_spiel_compiled(name: str) -> Callable[[], int]:
    """Count the players' actions in games that C++ plays alone, with legal actions and without observations."""
    import pyspiel

    game = pyspiel.load_game(name)

    def played(seed: int) -> Any:
        state = game.new_initial_state()
        bots = [pyspiel.make_uniform_random_bot(player, 2 * seed + player) for player in range(2)]
        pyspiel.evaluate_bots(state, bots, seed)
        return state

    # Games follow from their seeds: count them once.
    lengths: list[int] = [sum(move.player >= 0 for move in played(seed).full_history()) for seed in range(GAMES)]
    seeds = itertools.cycle(range(GAMES))

    def play() -> int:
        seed = next(seeds)
        played(seed)
        return lengths[seed]

    return play


def catanatron_games() -> Callable[[], int]:
    """Count every action of four random players, including rolls and ends of turns, without observations."""
    from catanatron.game import Game
    from catanatron.models.player import Color, RandomPlayer

    seeds = itertools.count(1)

    def play() -> int:
        game = Game([RandomPlayer(color) for color in Color], seed=next(seeds))
        game.play()
        actions: list[Any] = game.state.actions
        return len(actions)

    return play


def catanatron_gym() -> Callable[[], int]:
    """Count the learner's steps, not its random opponent's, with observation and legal actions."""
    import catanatron_gym  # noqa: F401  # registers the environment
    import gymnasium

    env: Any = gymnasium.make("catanatron-v1", disable_env_checker=True)
    seeds = itertools.count(1)
    draw = random.Random(1).random

    def play() -> int:
        _, info = env.reset(seed=next(seeds))
        steps, over = 0, False
        while not over:
            legal = info["valid_actions"]
            _, _, terminated, truncated, info = env.step(legal[int(draw() * len(legal))])
            over = terminated or truncated
            steps += 1
        return steps

    return play


def pgx_backgammon() -> Callable[[], int]:
    """Count games in the batch times steps, on the CPU, with masks and observations."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("backgammon")
    step = jax.vmap(auto_reset(env.step, env.init))

    def advance(state: Any, key: Any) -> Any:
        following, choice, chance = jax.random.split(key, 3)
        # One random number for each game; jax.random.categorical would draw one for each action.
        ranks = jnp.cumsum(state.legal_action_mask, axis=1)
        rank = jnp.floor(jax.random.uniform(choice, (BATCH, 1)) * ranks[:, -1:])
        action = jnp.argmax(ranks > rank, axis=1)
        return step(state, action, jax.random.split(chance, BATCH)), following

    compiled: Any = jax.jit(advance)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(1), BATCH))
    key = jax.random.key(2)

    def play() -> int:
        nonlocal state, key
        for _ in range(BATCH_STEPS):
            state, key = compiled(state, key)
        jax.block_until_ready(state)
        return BATCH * BATCH_STEPS

    return play
