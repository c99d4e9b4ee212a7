"""Time to import and to the first step, in processes of their own: ``python -m benchmarks.startup [--json FILE]``.

"warm" finds compiled code in its cache, as every start after the first does; "cold" has an empty cache folder and
compiles everything.  Each figure is the median wall time of whole processes, start of the interpreter included.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import machine_lines, write_json

ROOT = Path(__file__).parents[1]
NOTHING = "pass"
IMPORT = "import porta_nigra_env"
PEERS = "import gymnasium, pettingzoo"
FIRST_STEP = """
from porta_nigra_env import porta_nigra_v0
env = porta_nigra_v0.env()
env.reset(seed=1)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""


def timed(program: str, cache: str) -> float:
    """Seconds of one process that runs `program` with compiled code in the folder `cache`."""
    environment = {**os.environ, "PORTA_NIGRA_CACHE_DIR": cache}
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=True)
    return time.perf_counter() - begun


def cold() -> float:
    """Seconds to the first step with nothing compiled."""
    with tempfile.TemporaryDirectory() as cache:
        return timed(FIRST_STEP, cache)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.startup",
        description="Measure the time to import the package and to the first step, with and without compiled code.",
    )
    parser.add_argument("--runs", type=int, default=7, help="processes for each warm line (default 7)")
    parser.add_argument("--cold-runs", type=int, default=3, help="processes that compile everything (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    arguments = parser.parse_args(argv)
    if arguments.runs < 1 or arguments.cold_runs < 1:
        parser.error("--runs and --cold-runs must be at least 1")
    if arguments.json and not arguments.json.parent.is_dir():
        parser.error(f"--json: {arguments.json.parent} is no folder")

    programs = {
        "python alone": NOTHING,
        "import gymnasium, pettingzoo": PEERS,
        "import porta_nigra_env": IMPORT,
        "first step, warm": FIRST_STEP,
    }
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as cache:
        # The process that fills the cache is the first of the cold ones.
        seconds["first step, cold"] = [timed(FIRST_STEP, cache)]
        for _ in range(arguments.runs):
            for name, program in programs.items():
                seconds[name].append(timed(program, cache))
    seconds["first step, cold"] += [cold() for _ in range(arguments.cold_runs - 1)]

    print(f"{'':<32}{'median s':>10}{'least':>8}{'most':>8}  processes")
    for name, values in seconds.items():
        print(f"{name:<32}{statistics.median(values):>10.2f}{min(values):>8.2f}{max(values):>8.2f}  {len(values)}")
    print(f"\n{machine_lines()}")
    if arguments.json:
        medians = {name: statistics.median(values) for name, values in seconds.items()}
        write_json(arguments.json, {"benchmark": "startup", "median_seconds": medians, "seconds": seconds})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
