"""A hand-written twin in C of the hottest kernel function, for ``python -m benchmarks kernel``."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.schema import TABLES
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.games.porta_nigra.state import LARGEST_AMOUNT, STATE

SOURCE = Path(__file__).with_name("twin.c")
#: Same target as numba's code: this CPU, the highest level without inexact arithmetic.
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror")

_CONSTANTS = (
    "FIXED_SPOTS",
    "MAX_FINAL_VALUES",
    "MAX_PLAYERS",
    "NUM_ACTION_CARDS",
    "NUM_BUILDING_CARDS",
    "NUM_HONOUR_CARDS",
    "NUM_SPOTS",
    "NUM_SUPPLY_CARDS",
    "PORTA_NIGRA_SPOTS",
)


def layout(game: PortaNigra) -> str:
    """Return the header for `SOURCE`: offsets of the fields of states, constants and observations."""
    lines = [f"#define {name} {getattr(names, name)}" for name in _CONSTANTS]
    lines += [f"#define {phase.upper()}_PHASE {i}" for i, phase in enumerate(names.PHASES)]
    lines += [
        f"#define NUM_COLOURS {len(names.COLOURS)}",
        f"#define NUM_BUILDINGS {len(names.BUILDINGS)}",
        f"#define NUM_ICONS {len(names.ICONS)}",
        f"#define LARGEST_AMOUNT {LARGEST_AMOUNT}",
        f"#define STATE_SIZE {STATE.itemsize}",
        f"#define OBSERVATION_SIZE {game.observations.size}",
    ]
    for entry in game.observations:
        lines.append(f"#define {entry.name.upper()}_AT {entry.start}")
        lines.append(f"#define {entry.name.upper()}_UNIT (1.0 / {entry.spec.scale})")
    for letter, dtype in (("S", STATE), ("T", TABLES)):
        assert dtype.fields is not None
        for name, (field, offset, *_) in dtype.fields.items():
            if field.base.kind == "i":
                kind = f"int{8 * field.base.itemsize}_t"
                lines.append(f"#define {letter}_{name} ((const {kind} *)({letter.lower()} + {offset}))")
    return "\n".join(lines) + "\n"


def compiled(game: PortaNigra, folder: Path) -> Callable[[Any, Any, int], None]:
    """Compile the twin into `folder`: ``observe_all(states, observations, repeats)``, seen by the players to move.

    Raises:
        FileNotFoundError: there is no C compiler ``cc``.
        subprocess.CalledProcessError: it does not compile.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise FileNotFoundError("no C compiler (cc) was found, so the kernel cannot be compared with its twin in C")
    (folder / "layout.h").write_text(layout(game), encoding="utf-8")
    library = folder / "twin.so"
    subprocess.run([compiler, *FLAGS, f"-I{folder}", str(SOURCE), "-o", str(library)], check=True)
    function = ctypes.CDLL(str(library)).observe_all
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64]
    function.restype = None
    constants = game.constants

    def observe_all(states: Any, observations: Any, repeats: int) -> None:
        if states.dtype != STATE or observations.dtype != np.float32:
            raise TypeError("expected an array of states and one of float32 observations")
        if observations.shape != (len(states), game.observations.size) or not observations.flags.c_contiguous:
            raise ValueError(f"observations: expected C order and shape ({len(states)}, {game.observations.size})")
        function(constants.ctypes.data, states.ctypes.data, len(states), observations.ctypes.data, repeats)

    return observe_all
