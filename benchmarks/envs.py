"""Steps per second through every environment API.

Every line replays recorded random games, so that only the environment is measured: for PettingZoo ``reset``, then
``last`` and ``step``.  The compiled playout draws its actions itself.  The peer is PettingZoo's connect four, measured
in the same run with the same loop; it needs pygame (the group "bench").
"""

from __future__ import annotations

import copy
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

from benchmarks.options import Repeated, Seated, Timed, read
from benchmarks.report import machine_lines, write_json
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC, wrap
from porta_nigra_env.envs.vector import SeatVectorEnv

#: Recorded games.
GAMES = 10
#: Steps after which a playout stops; games are far shorter.
LIMIT = 100_000


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""


@dataclass
class Way:
    """One line of a table: `unit` names the unit of the count that `play` returns; `peer` the line to compare with."""

    name: str
    unit: str
    play: Callable[[], int]
    peer: str
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The median over the runs."""
        return statistics.median(self.rates)

    @property
    def spread(self) -> float:
        """The difference between the fastest and the slowest run, relative to the median."""
        return (max(self.rates) - min(self.rates)) / self.rate


def measure(lines: Sequence[Way], seconds: float, runs: int) -> None:
    """Fill in the rates: in each of `runs` rounds every line runs for `seconds`, so that a slow phase hits all."""
    for line in lines:
        line.play()  # compile, or load from the cache, before the clock runs
    for _ in range(runs):
        for line in lines:
            start, done = time.perf_counter(), 0
            while (spent := time.perf_counter() - start) < seconds:
                done += line.play()
            line.rates.append(done / spent)


def ratios(lines: Sequence[Way]) -> dict[str, float]:
    """Return the rate of each line over that of its peer, by name."""
    rates = {line.name: line.rate for line in lines}
    return {line.name: line.rate / rates[line.peer] for line in lines}


def print_table(lines: Sequence[Way], peer: str, units: bool = True) -> None:
    """Print the lines: rate, microseconds, spread, ratio to the peer, unit."""
    width = max(len(line.name) for line in lines) + 2
    print(f"{'':<{width}}{'a second':>12}{'us each':>10}{'spread':>9}{peer:>9}" + ("  unit" if units else ""))
    for line in lines:
        ratio, unit = ratios(lines)[line.name], f"  {line.unit}" if units else ""
        print(f"{line.name:<{width}}{line.rate:>12,.0f}{1e6 / line.rate:>10.2f}{line.spread:>9.0%}{ratio:>9.2f}{unit}")


def figures(lines: Sequence[Way]) -> list[dict[str, Any]]:
    """Return the lines for a file."""
    return [
        {"name": line.name, "unit": line.unit, "per_second": line.rate, "rates": line.rates, "peer": line.peer,
         "times_peer": ratios(lines)[line.name]}
        for line in lines
    ]  # fmt: skip


def record(env: Any, seed: int) -> list[int]:
    """Return the actions of a random game of an AEC environment."""
    env.reset(seed=seed)
    rng = random.Random(seed)
    actions: list[int] = []
    while True:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return actions
        actions.append(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
        env.step(actions[-1])


def replay(env: Any) -> Callable[[], int]:
    """Return a function that replays the next recorded game of an AEC environment at each call."""
    return _in_turn(
        [record(env, seed) for seed in range(GAMES)], env.reset, lambda action: (env.last(), env.step(action))
    )


def replay_seat(game: Game) -> Callable[[], int]:
    """Like `replay`, for the learner of a `SeatEnv` among random opponents, whose moves follow from the seed."""
    env = SeatEnv(game, seat=0)
    games: list[list[int]] = []
    for seed in range(GAMES):
        _, info = env.reset(seed=seed)
        rng, actions, terminated = random.Random(seed), [], False
        while not terminated:
            actions.append(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
            _, _, terminated, _, info = env.step(actions[-1])
        games.append(actions)
    return _in_turn(games, env.reset, env.step)


def _in_turn(games: list[list[int]], reset: Callable[..., object], step: Callable[[int], object]) -> Callable[[], int]:
    """Return a function that plays one game after the other; the seed of a game is its index."""
    calls = 0

    def play() -> int:
        nonlocal calls
        seed = calls % len(games)
        calls += 1
        reset(seed=seed)
        for action in games[seed]:
            step(action)
        return len(games[seed])

    return play


def kernel_ways(game: Game) -> list[Way]:
    """Return the lines of the compiled playout, of one compiled call for each step, and of `State`."""
    players = game.num_players
    states = np.zeros(1, dtype=game.dtype)
    words = np.zeros(game.num_words, dtype=np.uint64)
    mask = np.zeros(game.actions.size, dtype=np.int8)
    observation = np.zeros(game.observations.size, dtype=np.float32)
    none = np.zeros(0, dtype=np.int32)
    rng = np.array([1, players, 0], dtype=np.int64)
    games = [record(GameAEC(game), seed) for seed in range(GAMES)]
    calls = 0

    def following() -> tuple[int, list[int]]:
        nonlocal calls
        calls += 1
        return calls % GAMES, games[calls % GAMES]

    def playout() -> int:
        game.kernel.reset(game.constants, states, 0, following()[0], players)
        return int(game.loops.playout(game.constants, states, 0, words, rng, LIMIT))

    def advance() -> int:
        seed, actions = following()
        game.kernel.reset(game.constants, states, 0, seed, players)
        step, constants = game.loops.advance, game.constants
        for action in actions:
            step(constants, states, 0, action, words, mask, observation, none)
        return len(actions)

    def apply() -> int:
        seed, actions = following()
        state = State(game, game.new_states(seed))
        for action in actions:
            state.apply_id(action)
        return len(actions)

    return [
        Way("compiled playout (no observations)", "steps", playout, "peer raw_env"),
        Way("loops.advance, observation and mask", "steps", advance, "peer raw_env"),
        Way("State.apply_id", "steps", apply, "peer raw_env"),
    ]


def replay_rows(env: Any, size: int, masks: Callable[[], Any], steps: int = 200) -> Callable[[], int]:
    """Like `replay`, for an environment of `size` games; `masks` returns the current ones."""
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    actions = []
    for _ in range(steps):
        actions.append(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks()]))
        env.step(actions[-1])

    def play() -> int:
        env.reset(seed=1)
        for chosen in actions:
            env.step(chosen)
        return steps * size

    return play


def batch_ways(game: Game) -> list[Way]:
    """Return the lines of many games at once: all seats, and one learner's seat among random players."""
    lines = []
    for size in (1, 64, 1024):
        batch = BatchEnv(game, size)
        play = replay_rows(batch, size, lambda batch=batch: batch.action_masks)  # type: ignore[misc]
        lines.append(Way(f"BatchEnv {size}", "steps", play, "peer env"))
    for copies in (True, False):
        vector = SeatVectorEnv(game, 1024, seat="rotate", copy=copies, autoreset_mode="same_step")
        play = replay_rows(vector, 1024, vector.action_masks)
        name = "VectorEnv 1024, random opponents" + ("" if copies else ", no copy")
        lines.append(Way(name, "own steps", play, "peer env"))
    singles: list[Any] = [SeatEnv(game, seat="rotate") for _ in range(64)]
    sync = gymnasium.vector.SyncVectorEnv(
        [lambda env=env: env for env in singles],  # type: ignore[misc]
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
    )
    play = replay_rows(sync, 64, lambda: [env.action_masks() for env in singles])
    lines.append(Way("SyncVectorEnv of 64 SeatEnvs", "own steps", play, "peer env"))
    return lines


def copying(env: Any) -> Callable[[], int]:
    """Return a function that copies an environment 20 times."""

    def play() -> int:
        for _ in range(20):
            copy.deepcopy(env)
        return 20

    return play


def ways(game: Game, connect_four: Any) -> list[Way]:
    """Return every line of the table."""
    raw = GameAEC(game)
    raw.reset(seed=1)
    peer = connect_four.raw_env()
    peer.reset()
    return [
        *kernel_ways(game),
        *batch_ways(game),
        Way("raw_env, last and step", "steps", replay(GameAEC(game)), "peer raw_env"),
        Way("raw_env, reward points", "steps", replay(GameAEC(game, reward="points")), "peer raw_env"),
        Way("env (wrapped), last and step", "steps", replay(wrap(GameAEC(game))), "peer env"),
        Way("SeatEnv, random opponents", "own steps", replay_seat(game), "peer raw_env"),
        Way("deepcopy of raw_env", "copies", copying(raw), "peer deepcopy"),
        Way("peer raw_env", "steps", replay(connect_four.raw_env()), "peer raw_env"),
        Way("peer env", "steps", replay(connect_four.env()), "peer env"),
        Way("peer deepcopy", "copies", copying(peer), "peer deepcopy"),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments, 1 without pygame."""
    about = "Measure steps per second through every environment API, next to PettingZoo's connect four."
    options = read(Arguments, "envs", about, argv)
    try:
        from pettingzoo.classic import connect_four_v3 as connect_four
    except ImportError as error:
        print(f"{error}: PettingZoo's connect four needs pygame; make .venv/dev", file=sys.stderr)
        return 1

    game = options.made()
    lines = ways(game, connect_four)
    measure(lines, options.seconds, options.runs)
    print(f"{game!r}; peer: PettingZoo connect_four_v3")
    print(f"median of {options.runs} alternating runs of {options.seconds:g} s a line\n")
    print_table(lines, "x peer")
    print(f"\n{machine_lines()}")
    if options.json:
        peer = {"peer": "connect_four_v3", "lines": figures(lines)}
        write_json(options.json, {"benchmark": "envs", **options.settings(), **peer})
    return 0
