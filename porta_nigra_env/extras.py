"""The extras of this package: which one a missing module needs, and how to install it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

#: The folder of a checkout, or of the installed packages.
ROOT: Final = Path(__file__).parents[1]
#: Importable modules of each extra, besides those of the extras that it includes.
EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "render": ("PIL", "resvg_py", "pygame"),
    "sb3": ("stable_baselines3", "sb3_contrib"),
    "agents": ("jinja2", "matplotlib", "msgspec", "scipy", "segno", "starlette", "uvicorn", "websockets"),
    "llm": ("httpx",),
    "train": ("torch", "tensorboard", "cmaes", "optuna"),
    "notebooks": ("anywidget", "traitlets", "jupytext", "nbclient", "ipykernel", "pandas"),
    "ray": ("ray",),
    "wasm": ("ziglang",),
    "gpu": ("numba_cuda",),
}
#: The target of the Makefile that installs an extra; `make .venv/dev` installs all others.
_TARGETS: Final = {
    **dict.fromkeys(("render", "sb3", "agents", "train"), "make .venv/train"),
    "ray": "make .venv-ray/made",
    "gpu": "make .venv-gpu/made",
}


def install(extra: str) -> str:
    """Return the command that installs an extra, in a checkout that of the Makefile as well.

    >>> install("train").endswith("pip install 'porta-nigra-env[train]'")
    True
    """
    made = f"{_TARGETS.get(extra, 'make .venv/dev')} in the checkout, or " if (ROOT / "Makefile").exists() else ""
    return f"{made}pip install 'porta-nigra-env[{extra}]'"


def imported(module: str, extra: str) -> Any:
    """Import a module of an extra; if it is not installed, the ImportError has the command."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{error}: {install(extra)}") from error


def explanation(error: BaseException | None) -> str:
    """Return a sentence about the missing module of an extra; "" for any other error."""
    missing = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    for extra, modules in EXTRAS.items():
        if missing in modules:
            return f"{missing} is not installed: {install(extra)}"
    return ""


def explain_missing_modules() -> None:
    """Let a program that ``python -m`` starts end with a sentence instead of a traceback for a missing extra."""
    if sys.argv[:1] == ["-m"]:  # until the program itself runs
        sys.excepthook = _explain


def _explain(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if sentence := explanation(error):
        print(f"error: {sentence}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)
