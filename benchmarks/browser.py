"""Find the browser for tests and benchmarks of the page: ``python -m benchmarks.browser`` reports it."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

#: Usual names of the program.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Environment variable that names another program.
VARIABLE = "CHROMIUM"
#: Environment variable that makes a missing browser a failure.
REQUIRED = "PORTA_NIGRA_BROWSER_REQUIRED"


def find_chromium() -> Path | None:
    """Return the program, or None.

    Raises:
        FileNotFoundError: the environment names a missing program.
    """
    if named := os.environ.get(VARIABLE):
        if shutil.which(named) is None:
            raise FileNotFoundError(f"{VARIABLE}: there is no program {named!r}")
        return Path(shutil.which(named) or "")
    return next((Path(found) for name in NAMES if (found := shutil.which(name))), None)


def why_not() -> str:
    """Return the missing requirements; "" if there are none."""
    missing = [name for name in ("playwright", "axe_playwright_python") if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} not installed (pip install --group page)"
    return "" if find_chromium() else f"no chromium found (install one, or name it: {VARIABLE}=/path/to/chromium)"


def main() -> None:
    """Print the browser; exit with 1 where a required one is missing."""
    if reason := why_not():
        print(f"page in a browser: NOT tested, {reason}")
        raise SystemExit(1 if os.environ.get(REQUIRED) else 0)
    done = subprocess.run([str(find_chromium()), "--version"], capture_output=True, text=True, check=False)
    print(f"page in a browser: tested in {done.stdout.strip() or find_chromium()}")


if __name__ == "__main__":
    main()
