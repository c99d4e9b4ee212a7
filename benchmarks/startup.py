"""Time to import and to the first step, in processes of their own: ``python -m benchmarks.startup [--game NAME]``.

"warm" finds compiled code in its cache, as every start after the first does; "cold" has an empty cache folder and
compiles everything.  Each figure is the median wall time of whole processes, start of the interpreter included.

Below the times stands what else a start has to get right: processes that start at once on an empty cache, an
installation that nobody may write to, memory, and torch left alone.  Exit status 1 where one of these goes wrong.
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
#: To be formatted with the name of the game.
FIRST_STEP = """
from porta_nigra_env.envs.pettingzoo import GameAEC, wrap
from porta_nigra_env.games import make_game
env = wrap(GameAEC(make_game({game!r})))
env.reset(seed=1)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""

# -- what is put behind one of the programs above, to print what the check wants to know

#: Digest of the first observation, its mask included, and of the one after the first step.
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
#: Resident memory now and at its highest, in kB.  Not ru_maxrss: a new process inherits that of the one that made it.
MEMORY = """
lines = open("/proc/self/status").read().splitlines()
print(*(line.split()[1] for key in ("VmRSS:", "VmHWM:") for line in lines if line.startswith(key)))
"""
#: Around `DIGEST`: also prints how many functions this process has compiled instead of reading them from the cache.
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
#: Before `DIGEST` in a read-only installation: that it is one, and that this process uses it.
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
#: Seconds that an import takes, in a process where torch is (or is not) there already.
IMPORT_SECONDS = """
import time
begun = time.perf_counter()
import porta_nigra_env
print(time.perf_counter() - begun)
"""

#: The user "nobody", who owns nothing.
NOBODY = 65534
#: Seconds after which a process is taken for hanging.
PATIENCE = 900


@dataclass(frozen=True)
class Check:
    """What was found, in words and as figures; `ok` is None where it could not be measured here."""

    name: str
    ok: bool | None
    text: str
    figures: dict[str, Any]


def timed(program: str, cache: str) -> float:
    """Seconds of one process that runs `program` with compiled code in the folder `cache`; its output is dropped."""
    environment = {**os.environ, "PORTA_NIGRA_CACHE_DIR": cache}
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def cold(program: str) -> float:
    """Seconds of `program` with nothing compiled."""
    with tempfile.TemporaryDirectory() as cache:
        return timed(program, cache)


def answer(program: str, cache: str) -> str:
    """What `program` prints, with compiled code in the folder `cache`; CalledProcessError where it fails."""
    environment = {**os.environ, "PORTA_NIGRA_CACHE_DIR": cache}
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, timeout=PATIENCE
    )
    return done.stdout.strip()


def last_line(error: subprocess.SubprocessError) -> str:
    """Why a process failed: the last line of its error output, which in Python is the error."""
    if not isinstance(error, subprocess.CalledProcessError):
        return str(error)
    return (error.stderr or "").strip().rpartition("\n")[2] or f"exit status {error.returncode}"


# -- the checks


def at_once(program: str, processes: int, expected: str) -> Check:
    """Processes that start at once on an empty cache folder: each has to print `expected`, and may print below it how
    many functions it has compiled."""
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(processes) as threads:
        begun = time.perf_counter()

        def run(_: int) -> tuple[str, str, float]:
            try:
                printed, failure = answer(program, cache), ""
            except subprocess.SubprocessError as error:
                printed, failure = "", last_line(error)
            return printed, failure, time.perf_counter() - begun

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
        {
            "processes": processes,
            "succeeded": processes - len(failures),
            "right": right,
            "slowest_seconds": slowest,
            "compiled": compiled,
        },
    )


def bound_by_permissions() -> tuple[list[str], dict[str, Any], str] | str:
    """How to start Python so that read-only folders are read-only for it: words before the command, arguments of
    `subprocess.run`, and a description; or why that is impossible here.
    """
    if not hasattr(os, "geteuid"):
        return "this system has no users in the sense of POSIX"
    if os.geteuid() != 0:
        return [], {}, "this user"
    ways: list[tuple[list[str], dict[str, Any], str]] = [
        ([], {"user": NOBODY, "group": NOBODY, "extra_groups": []}, f"user {NOBODY}"),
        # Where that user cannot read the interpreter: root without the right to pass over permissions.
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
    """The environment without what names a user, a place for caches or another package folder."""
    dropped = ("HOME", "USER", "LOGNAME", "LNAME", "USERNAME", "XDG_CACHE_HOME", "PORTA_NIGRA_CACHE_DIR", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def read_only(program: str, expected: str) -> Check:
    """The package and the home folder may not be written to: `program` has to print `expected` all the same."""
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
        begun = time.perf_counter()
        try:
            done = subprocess.run(
                [*prefix, sys.executable, "-c", guard + program],
                cwd="/",
                env={**_plain(), "PYTHONPATH": str(site), "HOME": str(home), "TMPDIR": str(temporary)},
                check=True,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                **options,
            )
            found = "" if done.stdout.strip() == expected else "another first observation than expected"
        except subprocess.SubprocessError as error:
            found = last_line(error)
        seconds = time.perf_counter() - begun
        for path in locked:
            if path.is_dir():
                path.chmod(0o755)  # or the folder could not be removed
    text = f"as {description}: {found or f'first step after {seconds:.1f} s'}"
    return Check(name, not found, text, {"as": description, "seconds": seconds})


def memory(programs: dict[str, str], cache: str) -> Check:
    """Resident memory of processes after each of `programs`, in MB (1e6 bytes)."""
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
    """torch stays unloaded after the import and after the first step."""
    loaded = {
        title: answer(program + TORCH, cache) != "False"
        for title, program in {"the import": IMPORT, "the first step": first_step}.items()
    }
    guilty = [title for title, is_loaded in loaded.items() if is_loaded]
    text = f"loaded by {' and '.join(guilty)}" if guilty else "not loaded by the import nor by the first step"
    return Check("torch", not guilty, text, {"loaded": loaded})


def beside_torch(cache: str, runs: int) -> Check:
    """The package's import alone and where torch was imported before it: medians of seconds, interpreter excluded."""
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
    """Every check; those that compile everything only where `compiling`.  `cache` is warm."""
    steps = first_step + DIGEST
    found = []
    if compiling:
        expected = answer(steps, cache)
        if processes:
            found.append(at_once(COUNTING + steps + COUNTED, processes, expected))
        found.append(read_only(steps, expected))
    programs = {"python alone": NOTHING, "import": IMPORT, "first step, warm": first_step}
    found.append(memory(programs, cache))
    return [*found, without_torch(first_step, cache), beside_torch(cache, runs)]


@dataclass(frozen=True, kw_only=True)
class Arguments(OfGame, Repeated):
    """The program's options."""

    runs: int = 7
    """Processes of each kind that find everything compiled."""
    cold_runs: int = 3
    """Processes that compile everything."""
    at_once: int = 16
    """Processes that start together on an empty cache; 0: none."""
    warm_only: bool = False
    """Nothing that compiles everything; the ordinary cache is used."""

    def check(self) -> None:
        super().check()
        at_least("cold-runs", self.cold_runs, 1)
        at_least("at-once", self.at_once, 0)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use, 1 where a check fails."""
    options = read(
        Arguments,
        "startup",
        "Measure the time to import the package and to the first step, with and without compiled code.",
        argv,
    )
    first_step = FIRST_STEP.format(game=options.game)
    programs = {
        "python alone": NOTHING,
        "import gymnasium, pettingzoo": PEERS,
        "import porta_nigra_env": IMPORT,
        "first step, warm": first_step,
    }
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as folder:
        # The process that fills the cache is the first of the cold ones.
        cache = os.environ.get("PORTA_NIGRA_CACHE_DIR", "") if options.warm_only else folder
        filling = timed(first_step, cache)
        for _ in range(options.runs):
            for name, program in programs.items():
                seconds[name].append(timed(program, cache))
        found = checks(first_step, cache, options.at_once, options.cold_runs, not options.warm_only)
    if not options.warm_only:
        seconds["first step, cold"] = [filling, *(cold(first_step) for _ in range(options.cold_runs - 1))]

    print(f"{'':<32}{'median s':>10}{'least':>8}{'most':>8}  processes")
    for name, values in seconds.items():
        print(f"{name:<32}{statistics.median(values):>10.2f}{min(values):>8.2f}{max(values):>8.2f}  {len(values)}")
    print()
    for check in found:
        print(f"{check.name:<32}  {'FAILED: ' if check.ok is False else ''}{check.text}")
    print(f"\n{machine_lines()}")
    if options.json:
        medians = {name: statistics.median(values) for name, values in seconds.items()}
        checked = {check.name: {"ok": check.ok, "text": check.text, **check.figures} for check in found}
        figures = {"median_seconds": medians, "seconds": seconds, "checks": checked}
        write_json(options.json, {"benchmark": "startup", **options.settings(), **figures})
    return 1 if any(check.ok is False for check in found) else 0
