"""Time to import the package and to the first step, in separate processes.

"warm" loads compiled code from the cache, as every start after the first does; "cold" compiles with an empty cache.  A
figure is the median wall time of whole processes, the start of the interpreter included.

The checks: processes that start at once on an empty cache, a read-only installation, memory, and that torch is not
loaded.  Exit status 1 if a check fails.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.options import OfGame, Repeated, at_least, read
from benchmarks.report import machine_lines, write_json

ROOT = Path(__file__).parents[1]
PACKAGE = "porta_nigra_env"
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

# -- suffixes of the programs above, which print the results of a check

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
#: Current and highest resident memory in kB.  Not ru_maxrss, which a process inherits.
MEMORY = """
lines = open("/proc/self/status").read().splitlines()
print(*(line.split()[1] for key in ("VmRSS:", "VmHWM:") for line in lines if line.startswith(key)))
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
TORCH = """
import sys
print("torch" in sys.modules)
"""
#: Before `DIGEST`: checks that the process uses a read-only installation.
READ_ONLY = """
import pathlib
import porta_nigra_env
package = pathlib.Path(porta_nigra_env.__file__).resolve().parent
assert package == pathlib.Path({package!r}).resolve(), f"the package came from {{package}}"
for folder in (package, pathlib.Path.home()):
    try:
        (folder / "written").touch()
    except OSError:
        continue
    raise SystemExit(f"{{folder}} can be written to")
"""
#: Seconds of the import alone.
IMPORT_SECONDS = """
import time
start = time.perf_counter()
import porta_nigra_env
print(time.perf_counter() - start)
"""

#: The id of an unprivileged user.
NOBODY = 65534
#: Timeout of a process in seconds.
PATIENCE = 900


@dataclass(frozen=True)
class Check:
    """A result as text and as figures; `ok` is None if it could not be measured."""

    name: str
    ok: bool | None
    text: str
    figures: dict[str, Any]


def timed(program: str, cache: str) -> float:
    """Return the seconds of a process that runs `program` with the cache folder `cache`."""
    environment = {**os.environ, "PORTA_NIGRA_CACHE_DIR": cache}
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def cold(program: str) -> float:
    """Return the seconds of `program` with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        return timed(program, cache)


def answer(program: str, cache: str) -> str:
    """Return the output of `program` with the cache folder `cache`; CalledProcessError if it fails."""
    environment = {**os.environ, "PORTA_NIGRA_CACHE_DIR": cache}
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, timeout=PATIENCE
    ).stdout.strip()


def last_line(error: subprocess.SubprocessError) -> str:
    """Return the last line of a process's error output, which is the Python error."""
    if not isinstance(error, subprocess.CalledProcessError):
        return str(error)
    return (error.stderr or "").strip().rpartition("\n")[2] or f"exit status {error.returncode}"


# -- the checks


def at_once(program: str, processes: int, expected: str) -> Check:
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
    agree = "all with the expected first observation" if right == processes else f"{right} of them right"
    compiling = sum(count > 0 for count in compiled)
    text = f"{processes - len(failures)} of {processes} succeeded, {agree}; slowest {slowest:.1f} s"
    text += f"; {compiling} compiled, {sum(compiled)} functions in all"
    return Check(
        "started at once, empty cache",
        right == processes,
        "; ".join([text, *dict.fromkeys(failures)]),
        {"processes": processes, "succeeded": processes - len(failures), "right": right,
         "slowest_seconds": slowest, "compiled": compiled},
    )  # fmt: skip


def bound_by_permissions() -> tuple[list[str], dict[str, Any], str] | str:
    """Return how to start Python so that permissions bind it: a command prefix, arguments of `subprocess.run`, and a
    description; or the reason why that is impossible."""
    if not hasattr(os, "geteuid"):
        return "this system has no users in the sense of POSIX"
    if os.geteuid() != 0:
        return [], {}, "this user"
    ways: list[tuple[list[str], dict[str, Any], str]] = [
        ([], {"user": NOBODY, "group": NOBODY, "extra_groups": []}, f"user {NOBODY}"),
        # If that user cannot read the interpreter: root without the right to override permissions.
        (["setpriv", "--bounding-set=-all", "--inh-caps=-all"], {}, "root without capabilities"),
    ]
    for prefix, options, description in ways:
        command = [*prefix, sys.executable, "-c", PEERS]
        try:
            subprocess.run(command, cwd="/", env=_plain(), check=True, capture_output=True, timeout=PATIENCE, **options)
        except (OSError, subprocess.SubprocessError):
            continue
        return prefix, options, description
    return f"we are root, user {NOBODY} cannot run {sys.executable}, and setpriv is not there or does not work"


def _plain() -> dict[str, str]:
    """Return the environment without users, cache folders and other package folders."""
    dropped = ("HOME", "USER", "LOGNAME", "LNAME", "USERNAME", "XDG_CACHE_HOME", "PORTA_NIGRA_CACHE_DIR", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def read_only(program: str, expected: str) -> Check:
    """Run `program` with a read-only package and home folder; it must print `expected`."""
    name = "read-only package and home"
    way = bound_by_permissions()
    if isinstance(way, str):
        return Check(name, None, f"not measured: {way}", {})
    prefix, options, description = way
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        site, home, temporary = root / "site-packages", root / "home", root / "tmp"
        shutil.copytree(ROOT / PACKAGE, site / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
        home.mkdir()
        temporary.mkdir()
        temporary.chmod(0o1777)
        root.chmod(0o755)
        locked = [home, site, *site.rglob("*")]
        for path in locked:
            path.chmod(0o555 if path.is_dir() else 0o444)
        guard = READ_ONLY.format(package=str(site / PACKAGE))
        start = time.perf_counter()
        try:
            done = subprocess.run(
                [*prefix, sys.executable, "-c", guard + program],
                cwd="/",
                env={**_plain(), "PYTHONPATH": str(site), "HOME": str(home), "TMPDIR": str(temporary)},
                check=True, capture_output=True, text=True, timeout=PATIENCE, **options,
            )  # fmt: skip
            problem = "" if done.stdout.strip() == expected else "another first observation than expected"
        except subprocess.SubprocessError as error:
            problem = last_line(error)
        seconds = time.perf_counter() - start
        for path in locked:
            if path.is_dir():
                path.chmod(0o755)  # so that the folder can be removed
    text = f"as {description}: {problem or f'first step after {seconds:.1f} s'}"
    return Check(name, not problem, text, {"as": description, "seconds": seconds})


def memory(programs: dict[str, str], cache: str) -> Check:
    """Measure the resident memory of processes after each of `programs`, in MB (1e6 bytes)."""
    name = "resident memory, MB now/highest"
    if not Path("/proc/self/status").exists():
        return Check(name, None, "not measured: this system has no /proc", {})
    figures = {}
    for title, program in programs.items():
        now, highest = (int(word) * 1024 / 1e6 for word in answer(program + MEMORY, cache).split())
        figures[title] = {"now": now, "highest": highest}
    text = "; ".join(f"{title} {of['now']:.0f}/{of['highest']:.0f}" for title, of in figures.items())
    return Check(name, True, text, figures)


def without_torch(first_step: str, cache: str) -> Check:
    """Check that neither the import nor the first step loads torch."""
    loaded = {
        title: answer(program + TORCH, cache) != "False"
        for title, program in {"the import": IMPORT, "the first step": first_step}.items()
    }
    loaders = [title for title, is_loaded in loaded.items() if is_loaded]
    text = f"loaded by {' and '.join(loaders)}" if loaders else "not loaded by the import nor by the first step"
    return Check("torch", not loaders, text, {"loaded": loaded})


def beside_torch(cache: str, runs: int) -> Check:
    """Measure the seconds of the import alone and after an import of torch, without the interpreter."""
    name = "import, seconds of it alone"
    if find_spec("torch") is None:
        return Check(name, None, "not measured beside torch: torch is not installed", {})
    programs = {"without torch": IMPORT_SECONDS, "after torch": "import torch\n" + IMPORT_SECONDS}
    seconds: dict[str, list[float]] = {title: [] for title in programs}
    for _ in range(runs):
        for title, program in programs.items():
            seconds[title].append(float(answer(program, cache)))
    medians = {title: statistics.median(values) for title, values in seconds.items()}
    return Check(name, True, "; ".join(f"{title} {value:.2f}" for title, value in medians.items()), medians)


def checks(first_step: str, cache: str, processes: int, runs: int, compiling: bool) -> list[Check]:
    """Run the checks with a warm `cache`; those with an empty cache only if `compiling`."""
    steps = first_step + DIGEST
    results = []
    if compiling:
        expected = answer(steps, cache)
        if processes:
            results.append(at_once(COUNTING + steps + COUNTED, processes, expected))
        results.append(read_only(steps, expected))
    programs = {"python alone": NOTHING, "import": IMPORT, "first step, warm": first_step}
    results.append(memory(programs, cache))
    return [*results, without_torch(first_step, cache), beside_torch(cache, runs)]


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

    def check(self) -> None:
        super().check()
        at_least("cold-runs", self.cold_runs, 1)
        at_least("at-once", self.at_once, 0)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments, 1 if a check fails."""
    about = "Measure the time to import the package and to the first step, with and without compiled code."
    options = read(Arguments, "startup", about, argv)
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
        results = checks(first_step, cache, options.at_once, options.cold_runs, not options.warm_only)
    if not options.warm_only:
        seconds["first step, cold"] = [filling, *(cold(first_step) for _ in range(options.cold_runs - 1))]

    print(f"{'':<32}{'median s':>10}{'least':>8}{'most':>8}  processes")
    for name, values in seconds.items():
        print(f"{name:<32}{statistics.median(values):>10.2f}{min(values):>8.2f}{max(values):>8.2f}  {len(values)}")
    print()
    for check in results:
        print(f"{check.name:<32}  {'FAILED: ' if check.ok is False else ''}{check.text}")
    print(f"\n{machine_lines()}")
    if options.json:
        medians = {name: statistics.median(values) for name, values in seconds.items()}
        checked = {check.name: {"ok": check.ok, "text": check.text, **check.figures} for check in results}
        figures = {"median_seconds": medians, "seconds": seconds, "checks": checked}
        write_json(options.json, {"benchmark": "startup", **options.settings(), **figures})
    return 1 if any(check.ok is False for check in results) else 0
