"""What the kernel and the batch cost: ``python -m benchmarks.kernel [--players N] [--json FILE]``.

Three parts, each median of alternating runs: nanoseconds of every verb inside compiled code, over 1,024 positions of
random games (so that nothing is predicted from the last time); decisions a second of whole games, those of scripted
agents too, and of `BatchEnv` by size, content and threads, replaying recorded random games; and the hottest function
beside a twin written in C.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.porta_nigra.heuristics import BUILDER, GREEDY, STYLES
from benchmarks.envs import Way, measure
from benchmarks.report import checked, machine_lines, measuring_parser, write_json
from benchmarks.twin import compiled
from benchmarks.verbs import bind_verbs
from porta_nigra_env.core import bits
from porta_nigra_env.core.policy import RANDOM, Policy
from porta_nigra_env.envs.batch import BatchEnv, play_games
from porta_nigra_env.games.porta_nigra.game import PortaNigra

#: Positions that verbs are measured on.
POSITIONS = 1024
#: Sizes of a batch.
SIZES = (1, 16, 64, 256, 1024, 4096, 16384)
#: The line that others are compared with.
BASE = "BatchEnv 1024"


def positions(game: PortaNigra) -> Any:
    """States of random games, each after a random number of decisions."""
    env = BatchEnv(game, POSITIONS, observations="none", masks="none", autoreset_mode="disabled")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    wanted = rng.integers(1, 130, size=POSITIONS)
    kept = env.states.copy()
    for step in range(130):
        env.step(env.random_actions(rng))
        running = (env.current_player >= 0) & (step < wanted)
        kept[running] = env.states[running]
    return kept


class Verbs:
    """Every verb as a function of the number of rounds over the positions."""

    def __init__(self, game: PortaNigra) -> None:
        loops, tables, states = bind_verbs(game), game.tables, positions(game)
        scratch, other = states.copy(), states.copy()
        words = np.zeros((POSITIONS, game.num_words), dtype=np.uint64)
        masks = np.zeros((POSITIONS, game.actions.size), dtype=np.int8)
        self.states = states
        self.observations = np.zeros((POSITIONS, game.observations.size), dtype=np.float32)
        totals = np.zeros((POSITIONS, game.num_players), dtype=np.int32)
        loops.legal(tables, states, words, 1)
        rng = np.random.default_rng(2).random(POSITIONS)
        actions = np.array(
            [bits.select(row, int(draw * bits.count(row))) for row, draw in zip(words, rng, strict=True)]
        )
        self.kilobytes = game.dtype.itemsize / 1000
        self.rounds: dict[str, Callable[[int], Any]] = {
            "clone": lambda k: loops.clone(states, other, k),
            "step (and clone)": lambda k: loops.step(tables, states, scratch, actions, k),
            "legal, as bit set": lambda k: loops.legal(tables, states, words, k),
            "bit set to int8": lambda k: loops.unpack(words, masks, k),
            "observe": lambda k: loops.observe(tables, states, self.observations, k),
            "redact (and clone)": lambda k: loops.redact(tables, states, scratch, k),
            "determinize (and clone)": lambda k: loops.determinize(tables, states, scratch, k),
            "score": lambda k: loops.score(tables, states, totals, k),
            "reset": lambda k: loops.reset(tables, other, game.num_players, k),
        }


def nanoseconds(rounds: dict[str, Callable[[int], Any]], repeats: int, runs: int) -> dict[str, list[float]]:
    """Time of one call by name, one figure for each of the alternating runs."""
    times: dict[str, list[float]] = {name: [] for name in rounds}
    for call in rounds.values():
        call(1)
    for _ in range(runs):
        for name, call in rounds.items():
            begun = time.perf_counter()
            call(repeats)
            times[name].append((time.perf_counter() - begun) / repeats / POSITIONS * 1e9)
    return times


def replayed(env: BatchEnv, steps: int) -> Callable[[], int]:
    """Replays the same random games at each call; returns the decisions that were asked for."""
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    actions = []
    for _ in range(steps):
        actions.append(env.random_actions(rng))
        env.step(actions[-1])

    def play() -> int:
        env.reset(seed=1)
        for chosen in actions:
            env.step(chosen)
        return steps * env.num_envs

    return play


def batch_ways(game: PortaNigra, largest: int, threads: Sequence[int]) -> list[Way]:
    """Whole games and batches."""

    def games(count: int, workers: int, policy: Policy = RANDOM) -> Callable[[], int]:
        policies = [policy] * game.num_players
        return lambda: int(play_games(game, policies, range(count), threads=workers)[1].sum())

    def batch(size: int, **options: Any) -> Callable[[], int]:
        return replayed(BatchEnv(game, size, **options), max(20, min(400, 400_000 // size)))

    lines = [
        Way(f"random games, {workers} thread{'s'[: workers > 1]}", "decisions", games(2000 * workers, workers), BASE)
        for workers in threads
    ]
    lines += [
        Way(f"games of {policy.name}, 1 thread", "decisions", games(200, 1, policy), BASE)
        for policy in (GREEDY, BUILDER, *(style for style, _ in STYLES.values()))
    ]
    for workers in threads:
        for size in SIZES:
            if size <= largest and size >= workers:
                name = f"BatchEnv {size}" + (f", {workers} threads" if workers > 1 else "")
                lines.append(Way(name, "decisions", batch(size, threads=workers), BASE))
    kinds: dict[str, dict[str, Any]] = {
        "packed masks": {"masks": "packed"},
        "no masks": {"masks": "none"},
        "uint8 observations": {"observations": "uint8"},
        "float16 observations": {"observations": "float16"},
        "no observations": {"observations": "none"},
        "two buffers": {"double_buffer": True},
        "reward vp": {"reward": "vp"},
        "one seat, random others": {"seat": "rotate"},
    }
    lines += [Way(f"{BASE}, {kind}", "decisions", batch(1024, **options), BASE) for kind, options in kinds.items()]
    return lines


def against_c(game: PortaNigra, verbs: Verbs, repeats: int, runs: int) -> tuple[list[float], list[float]] | None:
    """Nanoseconds of one observation here and in C, run by run; None without a C compiler."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            twin = compiled(game, Path(folder))
        except FileNotFoundError as error:
            print(error, file=sys.stderr)
            return None
        theirs = np.zeros_like(verbs.observations)
        twin(verbs.states, theirs, 1)
        verbs.rounds["observe"](1)
        if not np.array_equal(theirs, verbs.observations):
            raise AssertionError("the twin in C and the kernel observe different things")
        rounds = {"kernel": verbs.rounds["observe"], "C": lambda k: twin(verbs.states, theirs, k)}
        times = nanoseconds(rounds, repeats, runs)
    return times["kernel"], times["C"]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    parser = measuring_parser(
        "kernel",
        description="Measure the verbs, whole games and batches of the kernel, and its hottest function beside C.",
        seconds=0.3,
        runs=7,
    )
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=2, help="number of players (default 2)")
    parser.add_argument("--repeats", type=int, default=40, help="rounds over the positions for verbs (default 40)")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help=f"largest batch (default {SIZES[-1]})")
    parser.add_argument(
        "--threads", type=int, nargs="+", default=[1, 2], metavar="N", help="numbers of threads (default 1 2)"
    )
    arguments = checked(parser, argv)
    if arguments.repeats < 1 or arguments.largest < 1:
        parser.error("--repeats and --largest must be positive")
    if min(arguments.threads) < 1:
        parser.error("--threads must be positive")

    game = PortaNigra(arguments.players)
    print(f"Porta Nigra, {arguments.players} players, one state {game.dtype.itemsize} bytes\n")
    verbs = Verbs(game)
    times = nanoseconds(verbs.rounds, arguments.repeats, arguments.runs)
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{'inside compiled code':<40}{'ns':>10}{'spread':>9}")
    for name, values in times.items():
        print(f"{name:<40}{medians[name]:>10.1f}{(max(values) - min(values)) / medians[name]:>9.0%}")
    print(f"{'clone, a kilobyte':<40}{medians['clone'] / verbs.kilobytes:>10.1f}\n")

    lines = batch_ways(game, max(arguments.largest, 1024), sorted(set(arguments.threads)))
    measure(lines, arguments.seconds, arguments.runs)
    base = next(line for line in lines if line.name == BASE).rate
    print(f"{'decisions':<40}{'a second':>12}{'ns each':>10}{'spread':>9}{'ratio':>8}")
    for line in lines:
        spread = (max(line.rates) - min(line.rates)) / line.rate
        print(f"{line.name:<40}{line.rate:>12,.0f}{1e9 / line.rate:>10.0f}{spread:>9.0%}{line.rate / base:>8.2f}")
    print(f"Ratios are to {BASE!r}: float32 observations, int8 masks, one thread.\n")

    ratio = None
    both = against_c(game, verbs, arguments.repeats, arguments.runs)
    if both is not None:
        here, there = (statistics.median(values) for values in both)
        ratio = there / here
        print(f"observe, kernel {here:.1f} ns, hand-written C {there:.1f} ns: {ratio:.2f} times the speed of C")
    print(f"\n{machine_lines()}")
    if arguments.json:
        settings = {name: getattr(arguments, name) for name in ("players", "seconds", "repeats", "runs", "threads")}
        figures = [{"name": line.name, "per_second": line.rate, "rates": line.rates} for line in lines]
        write_json(
            arguments.json,
            {"benchmark": "kernel", **settings, "verbs_ns": times, "lines": figures, "speed_of_c": ratio},
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
