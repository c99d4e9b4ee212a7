"""Adapters of other environments for `benchmarks.peers`: each function returns the work of a line, a `Source`."""

from __future__ import annotations

import importlib
import itertools
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.probe import GAMES, replay_aec
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.compile.jit import compiler

jit = compiler()

#: Games of pgx and fastcatan in a batch.
BATCH = 1024
#: Steps of the batch in one call, which ends with a wait for the device.
BATCH_STEPS = 4
#: Games that are played to measure their length.
MEASURED = 10


class Source(NamedTuple):
    """The work of a line.

    play: works, and returns a number of steps.
    length: mean number of steps of a random game; None if it is not measured.
    """

    play: Callable[[], int]
    length: float | None


def whole(play: Callable[[], int], games: int = 1) -> Source:
    """Return the work of a function that plays `games` whole games in each call."""
    calls = -(-MEASURED // games)
    return Source(play, sum(play() for _ in range(calls)) / (calls * games))


def pettingzoo(game: str, constructor: str) -> Source:
    """Count every step of every agent, each after ``last`` with mask and observation, as for `raw_env`."""
    env = getattr(importlib.import_module(f"pettingzoo.classic.{game}"), constructor)()
    return whole(replay_aec(env), GAMES)


def rlcard_gin_rummy() -> Source:
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

    return whole(play)


def open_spiel(name: str) -> Source:
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

    return whole(play)


def open_spiel_compiled(name: str) -> Source:
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

    return whole(play)


def catanatron_games() -> Source:
    """Count every action of four random players, including rolls and ends of turns, without observations."""
    from catanatron.game import Game
    from catanatron.models.player import Color, RandomPlayer

    seeds = itertools.count(1)

    def play() -> int:
        game = Game([RandomPlayer(color) for color in Color], seed=next(seeds))
        game.play()
        actions: list[Any] = game.state.actions
        return len(actions)

    return whole(play)


def catanatron_gym() -> Source:
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

    return whole(play)


def pgx_backgammon() -> Source:
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

    return Source(play, None)


@jit
def choose(masks: Any, uniforms: Any, actions: Any) -> None:
    """Write a uniformly random legal action of each game; masks: uint64 (n, words), uniforms: float64 (n,)."""
    for row in range(len(masks)):
        actions[row] = bits.select(masks[row], int(uniforms[row] * bits.count(masks[row])))


def fastcatan(observed: bool = False) -> Source:
    """Count the players' actions in a batch of Catan games, with packed masks, and with observations if `observed`."""
    import fastcatan as catan

    if observed and not hasattr(catan, "OBS_SIZE"):
        raise ImportError(f"fastcatan {catan.__version__} has no observations")
    env: Any = catan.BatchedEnv(BATCH, 1)
    env.reset()
    masks = np.zeros((BATCH, catan.MASK_WORDS), dtype=np.uint64)
    observations = np.zeros((BATCH, catan.OBS_SIZE if observed else 0), dtype=np.float32)
    actions, dones = np.zeros(BATCH, dtype=np.uint32), np.zeros(BATCH, dtype=np.uint8)
    # Version 1 resets in `step`, and returns rewards.
    outputs: list[npt.NDArray[Any]] = (
        [dones] if hasattr(env, "step_autoreset") else [np.zeros(BATCH, np.float32), dones]
    )
    step = getattr(env, "step_autoreset", env.step)
    uniform = np.random.default_rng(1).random

    def advance() -> None:
        env.write_masks(masks)
        if observed:
            env.write_obs(observations)
        choose(masks, uniform(BATCH), actions)
        step(actions, *outputs)

    def play() -> int:
        for _ in range(BATCH_STEPS):
            advance()
        return BATCH * BATCH_STEPS

    lengths, steps = np.zeros(BATCH, dtype=np.int64), 0
    while not lengths.all():
        advance()
        steps += 1
        lengths[(lengths == 0) & (dones != 0)] = steps
    return Source(play, float(lengths.mean()))
