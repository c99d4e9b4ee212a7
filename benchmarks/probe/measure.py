"""The figures of one tree, or the errors."""

from __future__ import annotations

import hashlib
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import lines

IMPORT = "import porta_nigra_env"
FIRST_STEP = "import and first step"


def microseconds(line: lines.Line, seconds: float) -> float:
    """Return microseconds each: the median over the passes within `seconds`, at least one, after a warm-up pass."""
    passes: list[float] = []
    line.prepare()
    line.play()
    end = time.perf_counter() + seconds
    while not passes or time.perf_counter() < end:
        line.prepare()
        start = time.perf_counter()
        done = line.play()
        passes.append((time.perf_counter() - start) / done)
    return 1e6 * statistics.median(passes)


def attempt(measured: Callable[[], float]) -> dict[str, Any]:
    """Return the figure, or the error."""
    try:
        return {"us": measured()}
    except Exception as error:  # the other lines of an old tree are still measured
        return reason(error)


def reason(error: Exception) -> dict[str, str]:
    """Return the type of an error and the first line of its message."""
    return {"error": type(error).__name__, "text": str(error).strip().partition("\n")[0]}


def all_lines(seconds: float, wanted: lines.Wanted) -> dict[str, Any]:
    """Measure every line of `lines.LINES` for every number of players."""
    found: dict[str, Any] = {}
    played = []
    for players in wanted.seats:
        try:
            games = lines.Games(lines.made(wanted, players))
        except Exception as error:
            found |= {f"{name}, {players} players": reason(error) for name in lines.LINES}
            continue
        played.append(games.actions)
        for name, make in lines.LINES.items():
            found[f"{name}, {players} players"] = attempt(
                lambda games=games, make=make: microseconds(make(games), seconds)  # type: ignore[misc]
            )
    return {"games": hashlib.sha256(repr(played).encode()).hexdigest() if played else "", "lines": found}


def import_time() -> float:
    """Return microseconds of the import, without the interpreter."""
    start = time.perf_counter()
    import porta_nigra_env

    spent = 1e6 * (time.perf_counter() - start)
    if porta_nigra_env.__file__ is None:
        raise ImportError("porta_nigra_env has no __init__.py, importing it does nothing")
    return spent


def first_step_time(wanted: lines.Wanted) -> float:
    """Return microseconds from the import to the first step."""
    start = time.perf_counter()
    env = lines.aec(lines.made(wanted, wanted.seats[0]), wrapped=True)
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    return 1e6 * (time.perf_counter() - start)


def source() -> str | None:
    """Return the folder of the measured package, or None."""
    try:
        import porta_nigra_env
    except ImportError:
        return None
    return str(next(iter(porta_nigra_env.__path__)))  # without an __init__.py there is no __file__


def only_this_tree() -> None:
    """Remove all other folders with the package from the path, such as an editable installation.

    They would replace a package that the tree lacks.
    """
    tree = Path.cwd()
    sys.path[:] = [
        entry for entry in sys.path if Path(entry).resolve() == tree or not (Path(entry) / "porta_nigra_env").exists()
    ]
