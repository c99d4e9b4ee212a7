"""The browser that the page is tested and measured in: ``python -m benchmarks.browser`` says whether there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

#: Names under which systems have it.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Names another one.
VARIABLE = "CHROMIUM"
#: Where it is set, a browser that is missing is a failure.
REQUIRED = "PORTA_NIGRA_BROWSER_REQUIRED"


def find_chromium() -> Path | None:
    """The program, None where there is none.

    Raises:
        FileNotFoundError: the environment names one that is not there.
    """
    if named := os.environ.get(VARIABLE):
        if shutil.which(named) is None:
            raise FileNotFoundError(f"{VARIABLE}: there is no program {named!r}")
        return Path(shutil.which(named) or "")
    return next((Path(found) for name in NAMES if (found := shutil.which(name))), None)


def why_not() -> str:
    """What is missing to run it; "" when nothing is."""
    missing = [name for name in ("playwright", "axe_playwright_python") if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} not installed (pip install --group page)"
    return "" if find_chromium() else f"no chromium found (install one, or name it: {VARIABLE}=/path/to/chromium)"


def main() -> None:
    """Say whether the page is tested in a browser, and in which; 1 where there is none and one is required."""
    if reason := why_not():
        print(f"page in a browser: NOT tested, {reason}")
        raise SystemExit(1 if os.environ.get(REQUIRED) else 0)
    done = subprocess.run([str(find_chromium()), "--version"], capture_output=True, text=True, check=False)
    print(f"page in a browser: tested in {done.stdout.strip() or find_chromium()}")


if __name__ == "__main__":
    main()
