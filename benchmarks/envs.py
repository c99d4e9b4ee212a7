"""Decisions a second through every way of playing: ``python -m benchmarks.envs [--game NAME] [--json FILE]``.

Every way replays recorded random games, so that nothing but the environment is measured: for PettingZoo ``reset``, then
``last`` and ``step`` for each decision.  The compiled playout alone draws its actions itself.  The peer is PettingZoo's
connect four, measured in the same run with the same loop; it needs pygame (the extra "bench").
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

#: Games that are recorded and replayed in turn.
GAMES = 10
#: Decisions after which a playout is taken for endless; no game comes near it.
LIMIT = 100_000


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """The program's options."""


@dataclass
class Way:
    """One line of the table: `unit` counts what `play` returns; `peer` is the line that it is compared with."""

    name: str
    unit: str
    play: Callable[[], int]
    peer: str
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The median over the runs."""
        return statistics.median(self.rates)


def record(env: Any, seed: int) -> list[int]:
    """The actions of a random game of an AEC environment."""
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
    """A function that replays recorded games of an AEC environment, one at each call."""
    games = [record(env, seed) for seed in range(GAMES)]
    calls = 0

    def play() -> int:
        nonlocal calls
        seed = calls % GAMES
        calls += 1
        env.reset(seed=seed)
        for action in games[seed]:
            env.last()
            env.step(action)
        return len(games[seed])

    return play


def replay_seat(game: Game) -> Callable[[], int]:
    """As `replay`, for the learner of a `SeatEnv` among random opponents, whose moves follow from the seed."""
    env = SeatEnv(game, seat=0)
    games: list[list[int]] = []
    for seed in range(GAMES):
        _, info = env.reset(seed=seed)
        rng, actions, terminated = random.Random(seed), [], False
        while not terminated:
            actions.append(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
            _, _, terminated, _, info = env.step(actions[-1])
        games.append(actions)
    calls = 0

    def play() -> int:
        nonlocal calls
        seed = calls % GAMES
        calls += 1
        env.reset(seed=seed)
        for action in games[seed]:
            env.step(action)
        return len(games[seed])

    return play


def kernel_ways(game: Game) -> list[Way]:
    """The compiled playout, one compiled call for each decision, and `State`."""
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
        Way("compiled playout (no observations)", "decisions", playout, "peer raw_env"),
        Way("loops.advance, observation and mask", "decisions", advance, "peer raw_env"),
        Way("State.apply_id", "decisions", apply, "peer raw_env"),
    ]


def replay_rows(env: Any, size: int, masks: Callable[[], Any], steps: int = 200) -> Callable[[], int]:
    """As `replay`, for an environment of `size` games at once; `masks` gives the present ones."""
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
    """Many games at once: all seats, and one learner's seat among random players."""
    lines = []
    for size in (1, 64, 1024):
        batch = BatchEnv(game, size)
        play = replay_rows(batch, size, lambda batch=batch: batch.action_masks)  # type: ignore[misc]
        lines.append(Way(f"BatchEnv {size}", "decisions", play, "peer env"))
    for copies in (True, False):
        vector = SeatVectorEnv(game, 1024, seat="rotate", copy=copies)
        play = replay_rows(vector, 1024, vector.action_masks)
        name = "VectorEnv 1024, random opponents" + ("" if copies else ", no copy")
        lines.append(Way(name, "own steps", play, "peer env"))
    singles: list[Any] = [SeatEnv(game, seat="rotate") for _ in range(64)]
    sync = gymnasium.vector.SyncVectorEnv(
        [lambda one=one: one for one in singles],  # type: ignore[misc]
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
    )
    play = replay_rows(sync, 64, lambda: [one.action_masks() for one in singles])
    lines.append(Way("SyncVectorEnv of 64 SeatEnvs", "own steps", play, "peer env"))
    return lines


def ways(game: Game, connect_four: Any) -> list[Way]:
    """Every line of the table."""
    raw = GameAEC(game)
    raw.reset(seed=1)
    peer = connect_four.raw_env()
    peer.reset()

    def copying(env: Any) -> Callable[[], int]:
        def play() -> int:
            for _ in range(20):
                copy.deepcopy(env)
            return 20

        return play

    return [
        *kernel_ways(game),
        *batch_ways(game),
        Way("raw_env, last and step", "decisions", replay(GameAEC(game)), "peer raw_env"),
        Way("raw_env, reward points", "decisions", replay(GameAEC(game, reward="points")), "peer raw_env"),
        Way("env (wrapped), last and step", "decisions", replay(wrap(GameAEC(game))), "peer env"),
        Way("SeatEnv, random opponents", "own steps", replay_seat(game), "peer raw_env"),
        Way("deepcopy of raw_env", "copies", copying(raw), "peer deepcopy"),
        Way("peer raw_env", "decisions", replay(connect_four.raw_env()), "peer raw_env"),
        Way("peer env", "decisions", replay(connect_four.env()), "peer env"),
        Way("peer deepcopy", "copies", copying(peer), "peer deepcopy"),
    ]


def measure(lines: Sequence[Way], seconds: float, runs: int) -> None:
    """Fill in the rates: `runs` rounds, each gives every line `seconds`, so that a slow minute hits all lines alike."""
    for line in lines:
        line.play()  # compiled, or read from the cache, before the clock runs
    for _ in range(runs):
        for line in lines:
            begun, done = time.perf_counter(), 0
            while (spent := time.perf_counter() - begun) < seconds:
                done += line.play()
            line.rates.append(done / spent)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use, 1 without pygame."""
    options = read(
        Arguments,
        "envs",
        "Measure decisions a second through every way of playing, beside PettingZoo's connect four.",
        argv,
    )
    try:
        from pettingzoo.classic import connect_four_v3 as connect_four
    except ImportError as error:
        print(f"{error}: PettingZoo's connect four needs pygame; pip install --group bench", file=sys.stderr)
        return 1

    game = options.made()
    lines = ways(game, connect_four)
    measure(lines, options.seconds, options.runs)
    by_name = {line.name: line for line in lines}
    print(f"{game!r}; peer: PettingZoo connect_four_v3")
    print(f"median of {options.runs} alternating runs of {options.seconds:g} s a line\n")
    print(f"{'':<38}{'a second':>12}{'us each':>10}{'spread':>9}{'x peer':>9}  unit")
    figures = []
    for line in lines:
        ratio = line.rate / by_name[line.peer].rate
        spread = (max(line.rates) - min(line.rates)) / line.rate
        print(f"{line.name:<38}{line.rate:>12,.0f}{1e6 / line.rate:>10.2f}{spread:>9.0%}{ratio:>9.2f}  {line.unit}")
        figures.append(
            {
                "name": line.name,
                "unit": line.unit,
                "per_second": line.rate,
                "rates": line.rates,
                "peer": line.peer,
                "times_peer": ratio,
            }
        )
    print(f"\n{machine_lines()}")
    if options.json:
        write_json(
            options.json, {"benchmark": "envs", **options.settings(), "peer": "connect_four_v3", "lines": figures}
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
