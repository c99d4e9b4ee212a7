"""The browser in which the page is tested and measured."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

#: Names of the program on different systems.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: An environment variable with another program.
VARIABLE = "CHROMIUM"
#: An environment variable that makes a missing browser a failure.
REQUIRED = "PORTA_NIGRA_BROWSER_REQUIRED"


def find_chromium() -> Path | None:
    """Return the path of the program, or None.

    Raises:
        FileNotFoundError: the environment names a missing program.
    """
    if named := os.environ.get(VARIABLE):
        if shutil.which(named) is None:
            raise FileNotFoundError(f"{VARIABLE}: there is no program {named!r}")
        return Path(shutil.which(named) or "")
    return next((Path(path) for name in NAMES if (path := shutil.which(name))), None)


def why_not() -> str:
    """Return the missing requirements as a message; empty if there are none."""
    missing = [name for name in ("playwright", "axe_playwright_python") if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} not installed (make .venv/dev)"
    return "" if find_chromium() else f"no chromium found (install one, or name it: {VARIABLE}=/path/to/chromium)"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the browser; return 1 if there is none and one is required."""
    if reason := why_not():
        print(f"page in a browser: NOT tested, {reason}")
        return 1 if os.environ.get(REQUIRED) else 0
    done = subprocess.run([str(find_chromium()), "--version"], capture_output=True, text=True, check=False)
    print(f"page in a browser: tested in {done.stdout.strip() or find_chromium()}")
    return 0
