"""How the cost of a decision grows: ``python -m benchmarks.scaling [--json FILE]``.

Decisions a second by batch size and number of players in one process; by threads in one process and by processes with a
batch each; and memory, resident in a process of its own.  The figures of docs/scaling.md come from here.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.envs import Way, measure
from benchmarks.kernel import replayed
from benchmarks.report import checked, machine_lines, measuring_parser, write_json
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra

ROOT = Path(__file__).parents[1]
SIZES = (16, 64, 256, 1024, 4096, 16384)
PLAYERS = (2, 3, 4)
#: Size of the batches that threads and processes are compared with.
SIZE = 4096
#: Prints resident megabytes after the import, and with a batch that has been reset and stepped.
MEMORY = """
import json, sys
def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024
from porta_nigra_env import porta_nigra_v0
imported = resident()
env = porta_nigra_v0.batch_env(int(sys.argv[1]), int(sys.argv[2]))
env.reset(seed=1)
env.step(env.random_actions(1))
print(json.dumps({"imported": imported, "batch": resident(), "arrays": env.nbytes / 2**20}))
"""


def steps_of(size: int) -> int:
    """Steps of a replay that is long enough to be timed and short enough to be kept."""
    return max(20, min(400, 400_000 // size))


def worker(players: int, size: int, seconds: float, starts: Any, results: Any) -> None:
    """One process with a batch of its own; puts its decisions a second."""
    play = replayed(BatchEnv(PortaNigra(players), size), steps_of(size))
    starts.wait()
    begun, done = time.perf_counter(), 0
    while (spent := time.perf_counter() - begun) < seconds:
        done += play()
    results.put(done / spent)


def processes_rate(count: int, players: int, size: int, seconds: float) -> float:
    """Decisions a second of so many processes together, which begin at the same time."""
    context = multiprocessing.get_context("spawn")
    starts, results = context.Barrier(count), context.Queue()
    workers = [context.Process(target=worker, args=(players, size, seconds, starts, results)) for _ in range(count)]
    for one in workers:
        one.start()
    rates = [results.get(timeout=600) for _ in workers]
    for one in workers:
        one.join()
    return float(sum(rates))


def memory(size: int, players: int) -> dict[str, float]:
    """Megabytes (2**20 bytes) of a process of its own: imported, with the batch, and of the batch's arrays."""
    if not Path("/proc/self/status").exists():
        raise OSError("resident memory is read from /proc, which this system does not have")
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(size), str(players)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    parser = measuring_parser(
        "scaling",
        description="Measure decisions a second by batch size, players, threads and processes, and memory.",
        seconds=0.5,
    )
    parser.add_argument(
        "--workers", type=int, nargs="+", default=[1, 2], metavar="N", help="threads and processes (default 1 2)"
    )
    arguments = checked(parser, argv)
    if min(arguments.workers) < 1:
        parser.error("--workers must be positive")

    figures: dict[str, Any] = {"benchmark": "scaling", "runs": arguments.runs, "seconds": arguments.seconds}
    lines = {
        (players, size): Way(f"{players}/{size}", "", replayed(BatchEnv(PortaNigra(players), size), steps_of(size)), "")
        for size in SIZES
        for players in PLAYERS
    }
    measure(list(lines.values()), arguments.seconds, arguments.runs)
    print("nanoseconds a decision, one thread (mask and observation included)\n")
    print(f"{'games':>8}" + "".join(f"{f'{players} players':>12}" for players in PLAYERS))
    for size in SIZES:
        print(f"{size:>8}" + "".join(f"{1e9 / lines[players, size].rate:>12.0f}" for players in PLAYERS))
    figures["by_size"] = [
        {"players": players, "games": size, "rates": line.rates} for (players, size), line in lines.items()
    ]

    workers = sorted(set(arguments.workers))
    threads = [
        Way(f"{count}", "", replayed(BatchEnv(PortaNigra(2), SIZE, threads=count), steps_of(SIZE)), "")
        for count in workers
    ]
    measure(threads, arguments.seconds, arguments.runs)
    processes = {
        count: [processes_rate(count, 2, SIZE, arguments.seconds) for _ in range(min(arguments.runs, 3))]
        for count in workers
    }
    print(f"\nmillion decisions a second, 2 players, {SIZE} games in each batch; {os.cpu_count()} cores\n")
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

    print("\nmegabytes resident in a process of its own, masks and observations included\n")
    print(f"{'games':>8}{'players':>9}{'imported':>10}{'with batch':>12}{'arrays':>9}{'bytes a game':>14}")
    figures["memory"] = []
    for size, players in ((1, 2), (1024, 2), (16384, 2), (16384, 4)):
        found = memory(size, players)
        figures["memory"].append({"games": size, "players": players, **found})
        each = found["arrays"] * 2**20 / size
        print(
            f"{size:>8}{players:>9}{found['imported']:>10.0f}{found['batch']:>12.0f}{found['arrays']:>9.1f}{each:>14.0f}"
        )
    print(f"\nOne state is {PortaNigra(2).dtype.itemsize} bytes.\n{machine_lines()}")
    if arguments.json:
        write_json(arguments.json, figures)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
