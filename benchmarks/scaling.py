"""Cost of a step by batch size, players, threads and processes, and resident memory (docs/speed.md)."""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.envs import Way, measure
from benchmarks.kernel import replayed
from benchmarks.options import OfGame, Repeated, Timed, at_least, read
from benchmarks.report import machine_lines, write_json
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import game_entry, make_game

ROOT = Path(__file__).parents[1]
SIZES = (16, 64, 256, 1024, 4096, 16384)
#: Batch size for threads and processes.
SIZE = 4096
#: Prints resident megabytes after the import, and with a batch that has been reset and stepped.
MEMORY = """
import json, sys
def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import make_game
game = make_game(sys.argv[1], int(sys.argv[2]))
imported = resident()
env = BatchEnv(game, int(sys.argv[3]))
env.reset(seed=1)
env.step(env.random_actions())
print(json.dumps({"imported": imported, "batch": resident(), "arrays": env.nbytes / 2**20}))
"""


@dataclass(frozen=True, kw_only=True)
class Arguments(OfGame, Timed, Repeated):
    """Options of the program."""

    workers: tuple[int, ...] = (1, 2)
    """Numbers of threads and of processes."""

    def check(self) -> None:
        super().check()
        at_least("workers", min(self.workers, default=0), 1)


def worker(name: str, players: int, size: int, seconds: float, starts: Any, results: Any) -> None:
    """Run a batch in this process and put its steps per second into `results`."""
    play = replayed(BatchEnv(make_game(name, players), size))
    starts.wait()
    start, done = time.perf_counter(), 0
    while (spent := time.perf_counter() - start) < seconds:
        done += play()
    results.put(done / spent)


def processes_rate(count: int, game: Game, size: int, seconds: float) -> float:
    """Return the total steps per second of `count` processes that start together."""
    context = multiprocessing.get_context("spawn")
    starts, results = context.Barrier(count), context.Queue()
    workers = [
        context.Process(target=worker, args=(game.name, game.num_players, size, seconds, starts, results))
        for _ in range(count)
    ]
    for process in workers:
        process.start()
    rates = [results.get(timeout=600) for _ in workers]
    for process in workers:
        process.join()
    return float(sum(rates))


def memory(game: Game, size: int) -> dict[str, float]:
    """Return megabytes (2**20 bytes) of a separate process: after the import, with a batch, and of its arrays."""
    if not Path("/proc/self/status").exists():
        raise OSError("resident memory is read from /proc, which this system does not have")
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, game.name, str(game.num_players), str(size)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments."""
    about = "Measure steps per second by batch size, players, threads and processes, and memory."
    options = read(Arguments, "scaling", about, argv)
    seats = game_entry(options.game).seats
    games = {players: make_game(options.game, players) for players in seats}
    fewest = games[seats[0]]
    figures: dict[str, Any] = {"benchmark": "scaling", **options.settings()}
    lines = {
        (players, size): Way(f"{players}/{size}", "", replayed(BatchEnv(games[players], size)), "")
        for size in SIZES
        for players in seats
    }
    measure(list(lines.values()), options.seconds, options.runs)
    print("nanoseconds a step, one thread (mask and observation included)\n")
    print(f"{'games':>8}" + "".join(f"{f'{players} players':>12}" for players in seats))
    for size in SIZES:
        print(f"{size:>8}" + "".join(f"{1e9 / lines[players, size].rate:>12.0f}" for players in seats))
    figures["by_size"] = [
        {"players": players, "games": size, "rates": line.rates} for (players, size), line in lines.items()
    ]

    workers = sorted(set(options.workers))
    threads = [Way(f"{count}", "", replayed(BatchEnv(fewest, SIZE, threads=count)), "") for count in workers]
    measure(threads, options.seconds, options.runs)
    processes = {
        count: [processes_rate(count, fewest, SIZE, options.seconds) for _ in range(min(options.runs, 3))]
        for count in workers
    }
    print(f"\nmillion steps per second, {seats[0]} players, {SIZE} games in each batch; {os.cpu_count()} cores\n")
    print(f"{'workers':>8}{'threads':>12}{'x one':>8}{'processes':>12}{'x one':>8}")
    first = statistics.median(processes[workers[0]])
    for count, way in zip(workers, threads, strict=True):
        together = statistics.median(processes[count])
        print(
            f"{count:>8}{way.rate / 1e6:>12.2f}{way.rate / threads[0].rate:>8.2f}"
            f"{together / 1e6:>12.2f}{together / first:>8.2f}"
        )
    figures["threads"] = {way.name: way.rates for way in threads}
    figures["processes"] = {str(count): rates for count, rates in processes.items()}

    print("\nmegabytes resident in a separate process, masks and observations included\n")
    print(f"{'games':>8}{'players':>9}{'imported':>10}{'with batch':>12}{'arrays':>9}{'bytes a game':>14}")
    figures["memory"] = []
    for size, players in dict.fromkeys([(1, seats[0]), (1024, seats[0]), (16384, seats[0]), (16384, seats[-1])]):
        found = memory(games[players], size)
        figures["memory"].append({"games": size, "players": players, **found})
        each = found["arrays"] * 2**20 / size
        print(
            f"{size:>8}{players:>9}{found['imported']:>10.0f}{found['batch']:>12.0f}{found['arrays']:>9.1f}{each:>14.0f}"
        )
    print(f"\nOne state is {fewest.dtype.itemsize} bytes.\n{machine_lines()}")
    if options.json:
        write_json(options.json, figures)
    return 0
