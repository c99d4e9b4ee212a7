"""Time to import the package and to the first step, in separate processes.

"warm" loads compiled code from the cache, as every start after the first does; "cold" compiles with an empty cache.  A
figure is the median wall time of whole processes, the start of the interpreter included.

Processes that start at once on an empty cache must agree, or the exit status is 1.

``--prebuilt`` measures the machine code of `python -m porta_nigra_env.cache build`, or of an installed wheel, instead:
first steps of every game with an empty cache, in which nothing may be compiled (else the exit status is 1), and steps
per second as a ratio to code compiled for the CPU at hand.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from benchmarks.options import OfGame, Repeated, at_least, read
from porta_nigra_env.games import GAMES

ROOT = Path(__file__).parents[1]
NOTHING = "pass"
IMPORT = "import porta_nigra_env"
PEERS = "import gymnasium, pettingzoo"
#: A format string with the name of the game.
FIRST_STEP = """
from porta_nigra_env.envs.pettingzoo import GameAEC, wrap
from porta_nigra_env.games import make_game
env = wrap(GameAEC(make_game({game!r})))
env.reset(seed=1)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""

#: A format string with the name of the game and a number of games.
BATCH = """
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import make_game
env = BatchEnv(make_game({game!r}), {size})
env.reset(seed=1)
env.step(env.random_actions())
"""

#: The first step of the Gymnasium environment against a scripted player.
SEAT = """
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.games import make_game
game = make_game({game!r})
env = SeatEnv(game, opponents=next(iter(game.policies())))
env.step(int(env.reset(seed=1)[1]["action_mask"].argmax()))
"""
#: After `BATCH`: prints steps per CPU second, the best of five measurements.
RATE = """
import time
def measure(steps=100):
    start = time.process_time()
    for _ in range(steps):
        env.step(env.random_actions())
    return {size} * steps / (time.process_time() - start)
print(max(measure() for _ in range(5)))
"""

#: Prints the levels with prebuilt code that this CPU has.
LEVELS = """
from porta_nigra_env.core.compile.prebuilt import ARCHIVES, supported_levels
print(*(level for level in supported_levels() if (ARCHIVES / f"{level}.json").exists()))
"""

# -- suffixes of the programs above, which print results

#: Digest of the first two observations with their masks.
DIGEST = """
import hashlib
digest = hashlib.sha256()
env.reset(seed=1)
for _ in range(2):
    seen = env.last()[0]
    digest.update(seen["observation"].tobytes() + seen["action_mask"].tobytes())
    env.step(int(seen["action_mask"].argmax()))
print(digest.hexdigest())
"""
#: Resident memory in kB.
MEMORY = """
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmRSS:")))
"""
#: Around `DIGEST`: also prints the number of functions that this process has compiled.
COUNTING = """
import numba.core.event
class Compilations(numba.core.event.Listener):
    count = 0
    def on_start(self, event):
        self.count += 1
    def on_end(self, event):
        pass
compilations = Compilations()
numba.core.event.register("numba:compile", compilations)
"""
COUNTED = """
print(compilations.count)
"""
#: Timeout of a process in seconds.
PATIENCE = 900


@dataclass(frozen=True)
class Together:
    """Processes that started at once; ok: all printed the expected line."""

    ok: bool
    text: str
    slowest_seconds: float
    compiled: list[int]


def timed(program: str, cache: str) -> float:
    """Return the seconds of a process that runs `program` with the cache folder `cache`."""
    start = time.perf_counter()
    answer(program, cache)
    return time.perf_counter() - start


def cold(program: str) -> float:
    """Return the seconds of `program` with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        return timed(program, cache)


def answer(program: str, cache: str, python: str = "", **more: str) -> str:
    """Return the output of `program` with the cache folder `cache`; CalledProcessError if it fails.

    Args:
        python: interpreter of an environment with the package; "" for this checkout.
        more: environment variables.
    """
    environment = {**os.environ, "PORTA_NIGRA_CACHE_DIR": cache, **more}
    command = [python or sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=cache if python else ROOT, env=environment, check=True, capture_output=True, text=True,
        timeout=PATIENCE,
    ).stdout.strip()  # fmt: skip


def last_line(error: subprocess.SubprocessError) -> str:
    """Return the last line of a process's error output, which is the Python error."""
    if not isinstance(error, subprocess.CalledProcessError):
        return str(error)
    return (error.stderr or "").strip().rpartition("\n")[2] or f"exit status {error.returncode}"


def at_once(program: str, processes: int, expected: str) -> Together:
    """Start processes at once on an empty cache; each must print `expected`, and may print its compilations below."""
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(processes) as threads:
        start = time.perf_counter()

        def run(_: int) -> tuple[str, str, float]:
            try:
                printed, failure = answer(program, cache), ""
            except subprocess.SubprocessError as error:
                printed, failure = "", last_line(error)
            return printed, failure, time.perf_counter() - start

        ends = list(threads.map(run, range(processes)))
    failures = [failure for _, failure, _ in ends if failure]
    right = sum(printed.partition("\n")[0] == expected for printed, _, _ in ends)
    compiled = [int(printed.partition("\n")[2] or 0) for printed, _, _ in ends]
    slowest = max(end for _, _, end in ends)
    text = (
        f"{processes - len(failures)} of {processes} succeeded, {right} with the expected first observation; "
        f"slowest {slowest:.1f} s; {sum(map(bool, compiled))} compiled, {sum(compiled)} functions in all"
    )
    return Together(right == processes, "; ".join([text, *dict.fromkeys(failures)]), slowest, compiled)


def memory(programs: dict[str, str], cache: str) -> dict[str, float]:
    """Return the resident memory in MB (1e6 bytes) of processes after each of `programs`."""
    return {name: int(answer(program + MEMORY, cache)) * 1024 / 1e6 for name, program in programs.items()}


def first_steps(runs: int, python: str) -> tuple[dict[str, list[float]], int]:
    """Return seconds of processes up to a first step, each with an empty cache, and the number of files cached then."""
    seconds: dict[str, list[float]] = {}
    files = 0
    for _ in range(runs):
        for game, (name, program) in product(
            GAMES, {"AEC": FIRST_STEP, "Gymnasium": SEAT, "1024 games": BATCH}.items()
        ):
            with tempfile.TemporaryDirectory() as cache:
                start = time.perf_counter()
                answer(program.format(game=game, size=1024), cache, python)
                seconds.setdefault(f"{game}, {name}", []).append(time.perf_counter() - start)
                files += sum(path.is_file() for path in Path(cache).rglob("*"))
    return seconds, files


def rates(game: str, runs: int, python: str) -> dict[str, list[float]]:
    """Return steps per CPU second of 1,024 games in each run, by level of the code; "0" is compiled for this CPU."""
    program = BATCH.format(game=game, size=1024) + RATE.format(size=1024)
    with tempfile.TemporaryDirectory() as cache:
        found: dict[str, list[float]] = {level: [] for level in ("0", *answer(LEVELS, cache, python).split())}
        for _ in range(runs):
            for level, values in found.items():
                values.append(float(answer(program, cache, python, PORTA_NIGRA_PREBUILT=level)))
    return found


def measure_prebuilt(options: Arguments) -> int:
    """Measure and print; return 1 if something was compiled."""
    seconds, files = first_steps(options.runs, options.python)
    print_seconds(seconds)
    print(f"files in caches afterwards: {files}\n")
    steps = {game: rates(game, options.cold_runs, options.python) for game in GAMES}
    for game, found in steps.items():
        own, *levels = found
        print(f"{game}: {statistics.median(found[own]):,.0f} steps per CPU second of code for this CPU")
        for level in levels:
            ratios = sorted(value / base for value, base in zip(found[level], found[own], strict=True))
            print(f"  {level}: ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    options.finish(seconds=seconds, files=files, steps_per_second=steps)
    return 1 if files else 0


def print_seconds(seconds: dict[str, list[float]]) -> None:
    """Print a table."""
    print(f"{'':<32}{'median s':>10}{'least':>8}{'most':>8}  processes")
    for name, values in seconds.items():
        print(f"{name:<32}{statistics.median(values):>10.2f}{min(values):>8.2f}{max(values):>8.2f}  {len(values)}")


@dataclass(frozen=True, kw_only=True)
class Arguments(OfGame, Repeated):
    """Options of the program."""

    runs: int = 7
    """Processes of each kind with a warm cache."""
    cold_runs: int = 3
    """Processes with an empty cache."""
    at_once: int = 16
    """Processes that start together on an empty cache; 0 for none."""
    warm_only: bool = False
    """Skip everything with an empty cache, and use the ordinary cache."""
    prebuilt: bool = False
    """Measure machine code that was built in advance."""
    python: str = ""
    """With --prebuilt: interpreter of an environment with an installed wheel; by default this checkout."""

    def check(self) -> None:
        super().check()
        at_least("cold-runs", self.cold_runs, 1)
        at_least("at-once", self.at_once, 0)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if processes that start at once fail."""
    options = read(Arguments, argv)
    if options.prebuilt:
        return measure_prebuilt(options)
    first_step = FIRST_STEP.format(game=options.game)
    programs = {
        "python alone": NOTHING,
        "import gymnasium, pettingzoo": PEERS,
        "import porta_nigra_env": IMPORT,
        "first step, warm": first_step,
    }
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        # The process that fills the cache counts as the first cold one.
        cache = os.environ.get("PORTA_NIGRA_CACHE_DIR", "") if options.warm_only else folder
        filling = timed(first_step, cache)
        for _ in range(options.runs):
            for name, program in programs.items():
                seconds[name].append(timed(program, cache))
        batches = {f"{size} games": BATCH.format(game=options.game, size=size) for size in (1024, 16384)}
        resident = memory({"import": IMPORT, "first step": first_step, **batches}, cache)
        expected = answer(first_step + DIGEST, cache)
    together = None
    if not options.warm_only:
        seconds["first step, cold"] = [filling, *(cold(first_step) for _ in range(options.cold_runs - 1))]
        if options.at_once:
            together = at_once(COUNTING + first_step + DIGEST + COUNTED, options.at_once, expected)

    print_seconds(seconds)
    print("\nresident MB: " + "; ".join(f"{name} {size:.0f}" for name, size in resident.items()))
    if together:
        print(f"started at once on an empty cache: {together.text}")
    options.finish(seconds=seconds, resident_mb=resident, at_once=together and asdict(together))
    return 1 if together and not together.ok else 0
