"""Cost of the kernel functions and of the batch.

Kernel functions run inside compiled code, over 1,024 positions of random games, so that branch prediction does not
help; two of them run next to C versions.  Whole games run compiled; `BatchEnv` replays recorded random games,
by size, content, threads and processes.
"""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.kernel_loops import compile_kernel_loops
from benchmarks.lines import Line, figures, measure, table
from benchmarks.options import Repeated, Seated, Timed, at_least, read
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import make_game

#: Positions on which kernel functions are measured, and rounds over them in one call.
POSITIONS, ROUNDS = 1024, 10
#: Sizes of a batch, and that of several threads or processes.
SIZES, SIZE = (1, 16, 64, 256, 1024, 4096, 16384), 4096
#: Steps of a replay: more than a game of two players takes.
STEPS = 390
#: The line that others are compared with: float32 observations, int8 masks, one thread.
BASE = "BatchEnv 1024"


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""

    seconds: float = 0.3
    """For each line and run."""
    runs: int = 7
    """Alternating runs; the median counts."""
    largest: int = SIZES[-1]
    """Largest batch."""
    workers: tuple[int, ...] = (1, 2)
    """Numbers of threads and of processes."""

    def check(self) -> None:
        super().check()
        at_least("largest", self.largest, 1024)
        at_least("workers", min(self.workers, default=0), 1)


def part_of(game: Game, name: str) -> ModuleType | None:
    """Return the module `name` of the measurements of one game, or None."""
    folder = f"{__package__}.{game.name}"
    if importlib.util.find_spec(folder) is None or importlib.util.find_spec(f"{folder}.{name}") is None:
        return None
    return importlib.import_module(f"{folder}.{name}")


def positions(game: Game) -> Any:
    """Return states of random games, each after a random number of steps."""
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


def kernel_lines(game: Game, states: Any) -> list[Line]:
    """Return a line for each kernel function on `states`, and for each that has a C version."""
    loops, constants, scratch, other = compile_kernel_loops(game), game.constants, states.copy(), states.copy()
    words = np.zeros((len(states), game.num_words), dtype=np.uint64)
    masks = np.zeros((len(states), game.actions.size), dtype=np.int8)
    observations = np.zeros((len(states), game.observations.size), dtype=np.float32)
    totals = np.zeros((len(states), game.num_players), dtype=np.int32)
    loops.legal(constants, states, words, 1)
    draws = np.random.default_rng(2).random(len(states))
    actions = np.array([bits.select(row, int(draw * bits.count(row))) for row, draw in zip(words, draws, strict=True)])
    calls: dict[str, Callable[[int], Any]] = {
        "clone": lambda k: loops.clone(states, other, k),
        "step (and clone)": lambda k: loops.step(constants, states, scratch, actions, k),
        "legal": lambda k: loops.legal(constants, states, words, k),
        "bit set to int8": lambda k: loops.unpack(words, masks, k),
        "observe": lambda k: loops.observe(constants, states, observations, k),
        "redact (and clone)": lambda k: loops.redact(constants, states, scratch, k),
        "determinize (and clone)": lambda k: loops.determinize(constants, states, scratch, k),
        "score": lambda k: loops.score(constants, states, totals, k),
        "reset": lambda k: loops.reset(constants, other, game.num_players, k),
    }
    if part := part_of(game, "twin"):
        try:
            with tempfile.TemporaryDirectory() as folder:
                twins = part.compiled(game, Path(folder))
            in_c, words_in_c = np.empty_like(observations), np.empty_like(words)
            calls["observe in C"] = lambda k: twins.observe(states, in_c, k)
            calls["legal in C"] = lambda k: twins.legal(states, words_in_c, k)
            for call in calls.values():
                call(1)
            if not (np.array_equal(in_c, observations) and np.array_equal(words_in_c, words)):
                raise AssertionError("a C version and the kernel differ")
        except FileNotFoundError as error:
            print(error, file=sys.stderr)

    def line(name: str, call: Callable[[int], Any]) -> Line:
        def play() -> int:
            call(ROUNDS)
            return ROUNDS * len(states)

        base = name.split()[0]
        return Line(name, play, base if base in ("observe", "legal") else "", "calls")

    return [line(name, call) for name, call in calls.items()]


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


def whole_games(game: Game, count: int, threads: int, policy: Policy = RANDOM) -> Callable[[], int]:
    """Return a function that plays the same games at each call and returns their number of steps."""
    policies = [policy] * game.num_players
    return lambda: int(play_games(game, policies, range(count), threads=threads).lengths.sum())


def _replay_on_request(name: str, players: int, size: int, pipe: Any) -> None:
    play = replayed(BatchEnv(make_game(name, players), size))
    with suppress(EOFError):
        while pipe.recv():
            pipe.send(play())


def processes(game: Game, size: int, count: int) -> Callable[[], int]:
    """Like `replayed`, in `count` processes at once, which end with this one."""
    context, pipes = multiprocessing.get_context("spawn"), []
    for _ in range(count):
        pipe, theirs = context.Pipe()
        arguments = game.name, game.num_players, size, theirs
        context.Process(target=_replay_on_request, args=arguments, daemon=True).start()
        pipes.append(pipe)

    def play() -> int:
        for pipe in pipes:
            pipe.send(True)
        return sum(pipe.recv() for pipe in pipes)

    return play


def game_lines(game: Game, largest: int, workers: Sequence[int]) -> list[Line]:
    """Return the lines of whole games and of batches."""

    def batch(name: str, size: int, **options: Any) -> Line:
        return Line(name, replayed(BatchEnv(game, size, **options)), BASE)

    lines = [batch(f"BatchEnv {size}", size) for size in SIZES if size <= largest]
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
    lines += [batch(f"{BASE}, {kind}", 1024, **options) for kind, options in kinds.items()]
    for policy in game.policies().values():
        lines.append(Line(f"games of {policy.name}", whole_games(game, 200, 1, policy), BASE))
    for count in sorted({*workers}):
        suffix = f", {count} threads" if count > 1 else ""
        lines.append(Line(f"games of random{suffix}", whole_games(game, 2000 * count, count), BASE))
        if count == 1:
            continue
        sizes = [size for size in SIZES if count <= size <= largest]
        lines += [batch(f"BatchEnv {size}, {count} threads", size, threads=count) for size in sizes]
    size = min(SIZE, largest)
    for count in sorted({*workers}):
        lines.append(Line(f"BatchEnv {size}, processes: {count}", processes(game, size, count), BASE))
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = read(Arguments, argv)
    game = options.made()
    print(f"{game!r}, one state {game.dtype.itemsize} bytes, a batch {BatchEnv(game, 1024).nbytes / 1024:,.0f} each\n")
    functions = kernel_lines(game, positions(game))
    measure(functions, options.seconds / 10, options.runs)
    print(table(functions, "x kernel"), "\n")
    lines = game_lines(game, options.largest, options.workers)
    measure(lines, options.seconds, options.runs)
    print(table(lines, "x 1024"))
    options.finish(functions=figures(functions), lines=figures(lines))
    return 0
