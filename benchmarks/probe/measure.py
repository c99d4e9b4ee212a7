"""The figures of one tree, or why there are none."""

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
    """Microseconds each: the median over as many passes as fill `seconds`; at least one, after one that warms up."""
    passes: list[float] = []
    line.prepare()
    line.play()
    end = time.perf_counter() + seconds
    while not passes or time.perf_counter() < end:
        line.prepare()
        begun = time.perf_counter()
        done = line.play()
        passes.append((time.perf_counter() - begun) / done)
    return 1e6 * statistics.median(passes)


def attempt(measured: Callable[[], float]) -> dict[str, Any]:
    """The figure, or why there is none."""
    try:
        return {"us": measured()}
    except Exception as error:  # whatever an old tree does here, its other lines are still to be measured
        return reason(error)


def reason(error: Exception) -> dict[str, str]:
    """The kind of an error and the first line of its message."""
    return {"error": type(error).__name__, "text": str(error).strip().partition("\n")[0]}


def all_lines(seconds: float, wanted: lines.Wanted) -> dict[str, Any]:
    """Every line of `lines.LINES` for every number of players."""
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
            # Bound at once: the loop goes on only after `attempt` has called it.
            found[f"{name}, {players} players"] = attempt(
                lambda games=games, make=make: microseconds(make(games), seconds)  # type: ignore[misc]
            )
    return {"games": hashlib.sha256(repr(played).encode()).hexdigest() if played else "", "lines": found}


def import_time() -> float:
    """Microseconds of the import, interpreter not included."""
    begun = time.perf_counter()
    import porta_nigra_env

    spent = 1e6 * (time.perf_counter() - begun)
    if porta_nigra_env.__file__ is None:
        raise ImportError("porta_nigra_env has no __init__.py, importing it does nothing")
    return spent


def first_step_time(wanted: lines.Wanted) -> float:
    """Microseconds from nothing imported to the first step taken."""
    begun = time.perf_counter()
    env = lines.aec(lines.made(wanted, wanted.seats[0]), wrapped=True)
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    return 1e6 * (time.perf_counter() - begun)


def source() -> str | None:
    """The folder that the measured package came from; None where there is none."""
    try:
        import porta_nigra_env
    except ImportError:
        return None
    return str(next(iter(porta_nigra_env.__path__)))  # there is no __file__ where a tree has no __init__.py


def only_this_tree() -> None:
    """Take every other folder with the package off the path, as of an editable installation.

    It would stand in for a tree that lacks the package, or wholly for one whose package has no ``__init__.py``.
    """
    tree = Path.cwd()
    sys.path[:] = [
        entry for entry in sys.path if Path(entry).resolve() == tree or not (Path(entry) / "porta_nigra_env").exists()
    ]
