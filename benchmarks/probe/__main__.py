"""The command line; see the package."""

from __future__ import annotations

import json
import sys

from . import measure
from .lines import Wanted


def main(argv: list[str]) -> int:
    measure.only_this_tree()
    mode, *rest = argv
    if mode == "import":
        found = {"lines": {measure.IMPORT: measure.attempt(measure.import_time)}}
    else:
        seconds, name, *seats = rest
        wanted = Wanted(name, tuple(map(int, seats)))
        if mode == "lines":
            found = measure.all_lines(float(seconds), wanted)
        else:
            found = {"lines": {measure.FIRST_STEP: measure.attempt(lambda: measure.first_step_time(wanted))}}
    json.dump({"from": measure.source(), **found}, sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
