"""Cost of the kernel functions and of the batch.

Each figure is the median of alternating runs: nanoseconds of every kernel function inside compiled code, over 1,024
positions of random games, so that branch prediction does not help; steps per second of whole games and of `BatchEnv` by
size, content and threads, replaying recorded random games; and the hottest kernel function next to its C version.
``--beside GAME`` plays another game in the same runs.  A folder with a game's name holds the measurements of one game:
scripted agents (`policies`), the C version (`twin`), and moves per step (`moves`).
"""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.envs import Way, measure
from benchmarks.options import Repeated, Seated, Timed, at_least, read
from benchmarks.report import machine_lines, write_json
from benchmarks.verbs import compile_kernel_loops
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import game_entry, make_game

#: Positions on which kernel functions are measured.
POSITIONS = 1024
#: Sizes of a batch.
SIZES = (1, 16, 64, 256, 1024, 4096, 16384)
#: Steps of a replay: more than a game of two players takes.
STEPS = 390
#: The line that others are compared with.
BASE = "BatchEnv 1024"
#: The line of whole games.
WHOLE = "random games, 1 thread"
#: Games in which moves are counted.
COUNTED = 1000


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """The program's options."""

    seconds: float = 0.3
    """For each line and run."""
    runs: int = 7
    """Alternating runs, of which the median counts."""
    repeats: int = 40
    """Rounds over the positions for kernel functions."""
    largest: int = SIZES[-1]
    """Largest batch."""
    threads: tuple[int, ...] = (1, 2)
    """Numbers of threads."""
    beside: str = ""
    """Another game, with as many players or its fewest: its whole games and a batch run in turn with this one's."""

    def check(self) -> None:
        super().check()
        at_least("repeats", self.repeats, 1)
        at_least("largest", self.largest, 1)
        at_least("threads", min(self.threads, default=0), 1)
        if self.beside:
            if self.beside == self.game:
                raise ValueError(f"--beside: {self.beside} is the game itself")
            try:
                game_entry(self.beside)
            except ValueError as error:
                raise ValueError(f"--beside: {error}") from None

    def other(self) -> Game | None:
        """The game beside this one."""
        if not self.beside:
            return None
        seats = game_entry(self.beside).seats
        players = self.players or game_entry(self.game).seats[0]
        return make_game(self.beside, players if players in seats else None)


def part_of(game: Game, name: str) -> ModuleType | None:
    """Return the module `name` of the measurements of one game, or None."""
    folder = f"{__package__}.{game.name}"
    if importlib.util.find_spec(folder) is None or importlib.util.find_spec(f"{folder}.{name}") is None:
        return None
    return importlib.import_module(f"{folder}.{name}")


def positions(game: Game) -> Any:
    """States of random games, each after a random number of decisions."""
    env = BatchEnv(game, POSITIONS, observations="none", masks="none", autoreset_mode="disabled")

    def played(wanted: Any) -> tuple[Any, Any]:
        """Return the states after some steps, and the length of every game; the same games at each call."""
        env.reset(seed=1)
        rng = np.random.default_rng(1)
        kept, lengths = env.states.copy(), np.zeros(POSITIONS, dtype=np.int64)
        while (running := env.current_player >= 0).any():
            reached = running & (lengths == wanted)
            kept[reached] = env.states[reached]
            lengths += running
            env.step(env.random_actions(rng))
        return kept, lengths

    _, lengths = played(np.zeros(POSITIONS))
    states, _ = played(np.random.default_rng(2).integers(0, lengths))
    return states


class RecordKernel:
    """Every kernel function as a function of the number of rounds over the positions."""

    def __init__(self, game: Game) -> None:
        loops, constants, states = compile_kernel_loops(game), game.constants, positions(game)
        scratch, other = states.copy(), states.copy()
        words = np.zeros((POSITIONS, game.num_words), dtype=np.uint64)
        masks = np.zeros((POSITIONS, game.actions.size), dtype=np.int8)
        self.states = states
        self.observations = np.zeros((POSITIONS, game.observations.size), dtype=np.float32)
        totals = np.zeros((POSITIONS, game.num_players), dtype=np.int32)
        loops.legal(constants, states, words, 1)
        rng = np.random.default_rng(2).random(POSITIONS)
        actions = np.array(
            [bits.select(row, int(draw * bits.count(row))) for row, draw in zip(words, rng, strict=True)]
        )
        self.kilobytes = game.dtype.itemsize / 1000
        self.rounds: dict[str, Callable[[int], Any]] = {
            "clone": lambda k: loops.clone(states, other, k),
            "step (and clone)": lambda k: loops.step(constants, states, scratch, actions, k),
            "legal, as bit set": lambda k: loops.legal(constants, states, words, k),
            "bit set to int8": lambda k: loops.unpack(words, masks, k),
            "observe": lambda k: loops.observe(constants, states, self.observations, k),
            "redact (and clone)": lambda k: loops.redact(constants, states, scratch, k),
            "determinize (and clone)": lambda k: loops.determinize(constants, states, scratch, k),
            "score": lambda k: loops.score(constants, states, totals, k),
            "reset": lambda k: loops.reset(constants, other, game.num_players, k),
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


def replayed(env: BatchEnv) -> Callable[[], int]:
    """Replay the same random games at each call; return the number of steps.

    Every size plays the same share of each game: openings cost less, and more of them mean more resets.
    """
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    actions = []
    for _ in range(STEPS):
        actions.append(env.random_actions(rng))
        env.step(actions[-1])

    def play() -> int:
        env.reset(seed=1)
        for chosen in actions:
            env.step(chosen)
        return len(actions) * env.num_envs

    return play


def whole_games(game: Game, count: int, workers: int, policy: Policy = RANDOM) -> Callable[[], int]:
    """Plays the same games at each call; returns their decisions."""
    policies = [policy] * game.num_players
    return lambda: int(play_games(game, policies, range(count), threads=workers).lengths.sum())


def batch_ways(game: Game, largest: int, threads: Sequence[int]) -> list[Way]:
    """Whole games and batches."""

    def batch(size: int, **options: Any) -> Callable[[], int]:
        return replayed(BatchEnv(game, size, **options))

    lines = [
        Way(
            f"random games, {workers} thread{'s'[: workers > 1]}",
            "decisions",
            whole_games(game, 2000 * workers, workers),
            BASE,
        )
        for workers in threads
    ]
    lines += [
        Way(f"games of {policy.name}, 1 thread", "decisions", whole_games(game, 200, 1, policy), BASE)
        for policy in getattr(part_of(game, "policies"), "POLICIES", ())
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
        "reward points": {"reward": "points"},
        "one seat, random others": {"seat": "rotate"},
    }
    lines += [Way(f"{BASE}, {kind}", "decisions", batch(1024, **options), BASE) for kind, options in kinds.items()]
    return lines


def ways_beside(game: Game) -> list[Way]:
    """The lines of another game by which this one is measured."""
    batch = replayed(BatchEnv(game, 1024))
    return [Way(WHOLE, "decisions", whole_games(game, 2000, 1), BASE), Way(BASE, "decisions", batch, BASE)]


def against_c(game: Game, verbs: RecordKernel, repeats: int, runs: int) -> tuple[list[float], list[float]] | None:
    """Nanoseconds of one observation here and in C, run by run; None without a twin or a C compiler."""
    part = part_of(game, "twin")
    if part is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        try:
            twin = part.compiled(game, Path(folder))
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


def moves_carried(game: Game) -> float | None:
    """Elementary moves a decision in random games; None where every move is a decision."""
    part = part_of(game, "moves")
    return None if part is None else float(part.moves_per_decision(game, COUNTED))


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    options = read(
        Arguments,
        "kernel",
        "Measure the verbs, whole games and batches of a game's kernel, and its hottest verb beside C.",
        argv,
    )
    game = options.made()
    print(f"{game!r}, one state {game.dtype.itemsize} bytes\n")
    verbs = RecordKernel(game)
    times = nanoseconds(verbs.rounds, options.repeats, options.runs)
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{'inside compiled code':<40}{'ns':>10}{'spread':>9}")
    for name, values in times.items():
        print(f"{name:<40}{medians[name]:>10.1f}{(max(values) - min(values)) / medians[name]:>9.0%}")
    print(f"{'clone, a kilobyte':<40}{medians['clone'] / verbs.kilobytes:>10.1f}\n")

    other = options.other()
    compared = [] if other is None else ways_beside(other)
    # Games are compared with one thread.
    threads = {*options.threads} | ({1} if compared else set())
    lines = batch_ways(game, max(options.largest, 1024), sorted(threads))
    measure([*lines, *compared], options.seconds, options.runs)
    by_name = {line.name: line for line in lines}
    base = by_name[BASE].rate
    print(f"{'decisions':<40}{'a second':>12}{'ns each':>10}{'spread':>9}{'ratio':>8}")
    for line in lines:
        spread = (max(line.rates) - min(line.rates)) / line.rate
        print(f"{line.name:<40}{line.rate:>12,.0f}{1e9 / line.rate:>10.0f}{spread:>9.0%}{line.rate / base:>8.2f}")
    print(f"Ratios are to {BASE!r}: float32 observations, int8 masks, one thread.\n")
    carried = moves_carried(game)
    if carried is not None and WHOLE in by_name:
        rate = carried * by_name[WHOLE].rate
        print(f"{WHOLE}: {carried:.2f} elementary moves a decision, forced ones with it, {rate:,.0f} a second\n")
    for theirs in compared:
        ratio_to = by_name[theirs.name].rate / theirs.rate
        print(f"{theirs.name}: {ratio_to:.2f} times those of {options.beside} ({theirs.rate:,.0f} a second)")

    ratio = None
    both = against_c(game, verbs, options.repeats, options.runs)
    if both is not None:
        here, there = (statistics.median(values) for values in both)
        ratio = there / here
        print(f"observe, kernel {here:.1f} ns, hand-written C {there:.1f} ns: {ratio:.2f} times the speed of C")
    print(f"\n{machine_lines()}")
    if options.json:
        figures, others = (
            [{"name": line.name, "per_second": line.rate, "rates": line.rates} for line in some]
            for some in (lines, compared)
        )
        write_json(
            options.json,
            {
                "benchmark": "kernel",
                **options.settings(),
                "verbs_ns": times,
                "lines": figures,
                "others": others,
                "speed_of_c": ratio,
                "moves_per_decision": carried,
            },
        )
    return 0
