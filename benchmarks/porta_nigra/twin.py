"""Hand-written twins in C of two kernel functions, for ``python -m benchmarks kernel``."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.schema import TABLES
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.games.porta_nigra.state import LARGEST_AMOUNT, STATE

SOURCE = Path(__file__).with_name("twin.c")
#: Same target as numba's code: this CPU, the highest level without inexact arithmetic.
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror")

_CONSTANTS = (
    "BUILD_ICON",
    "BUY_ANY",
    "FIXED_SPOTS",
    "HIGHEST_HEIGHT",
    "INFLUENCE_ICON",
    "MAX_FINAL_VALUES",
    "MAX_PLAYERS",
    "NUM_ACTION_CARDS",
    "NUM_BUILDING_CARDS",
    "NUM_HEIGHTS",
    "NUM_HONOUR_CARDS",
    "NUM_SPOTS",
    "NUM_SUPPLY_CARDS",
    "PORTA_NIGRA",
    "PORTA_NIGRA_SPOTS",
    "WHITE",
)


class Twins(NamedTuple):
    """Functions in C: each does the same as a kernel function to all states, `repeats` times.

    observe: ``(states, observations, repeats)``, seen by the players to move; observations: float32 (n, size).
    legal: ``(states, words, repeats)``; words: uint64 (n, num_words).
    """

    observe: Callable[[Any, Any, int], None]
    legal: Callable[[Any, Any, int], None]


def layout(game: PortaNigra) -> str:
    """Return the header for `SOURCE`: offsets of the fields of states, constants, observations and actions."""
    lines = [f"#define {name} {getattr(names, name)}" for name in _CONSTANTS]
    lines += [f"#define {phase.upper()}_PHASE {i}" for i, phase in enumerate(names.PHASES)]
    lines += [f"#define {field.name.upper()}_ID {field.start}" for field in game.actions]
    lines += [
        f"#define NUM_COLOURS {len(names.COLOURS)}",
        f"#define NUM_BUILDINGS {len(names.BUILDINGS)}",
        f"#define NUM_ICONS {len(names.ICONS)}",
        f"#define LARGEST_AMOUNT {LARGEST_AMOUNT}",
        f"#define STATE_SIZE {STATE.itemsize}",
        f"#define OBSERVATION_SIZE {game.observations.size}",
        f"#define NUM_WORDS {game.num_words}",
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


def compiled(game: PortaNigra, folder: Path) -> Twins:
    """Compile the twins into `folder`.

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
    code, constants = ctypes.CDLL(str(library)), game.constants

    def twin(name: str, dtype: Any, size: int) -> Callable[[Any, Any, int], None]:
        """Return a function of the library that writes a row of `size` numbers for each state."""
        function = getattr(code, name)
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64]
        function.restype = None

        def call(states: Any, out: Any, repeats: int) -> None:
            if states.dtype != STATE or out.dtype != dtype:
                raise TypeError(f"expected an array of states and one of {np.dtype(dtype)}")
            if out.shape != (len(states), size) or not out.flags.c_contiguous:
                raise ValueError(f"results: expected C order and shape ({len(states)}, {size})")
            function(constants.ctypes.data, states.ctypes.data, len(states), out.ctypes.data, repeats)

        return call

    return Twins(twin("observe_all", np.float32, game.observations.size), twin("legal_all", np.uint64, game.num_words))
