"""Run a benchmark: ``python -m benchmarks NAME [options]``.

Each prints a table; most write their figures with ``--json FILE``.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

#: The programs by module; a module is imported when its program runs.
PROGRAMS: Final = {
    "kernel": "kernel functions, also next to C; whole games; batches of all sizes and formats, threads and processes",
    "envs": "steps and pictures per second through every environment API, next to PettingZoo's games",
    "compare": "this working tree next to another commit, by ratio",
    "startup": "time to import and to the first step, with a warm and a cold cache; memory",
    "profile": "time of each part of a step with your own agent",
    "learning": "learned steps per second of the PPO implementations; collection with MaskablePPO",
    "cluster": "cost of a training iteration, and a simulation of many collectors",
    "inference": "actions of a published network in numpy and in torch",
    "rollouts": "a custom search with and without compiled rollouts",
    "search": "simulations per second of the search agents",
    "search_gain": "improvement of a network by search, in win rate",
    "generalization": "win rates of a network on component sets that it does not know",
    "rankings": "the ranking of the compiled policies across component sets",
    "hidden_information": "a search with open hands against the same search",
    "luck": "shares of skill, choices of the others and chance in results",
    "review": "reviews of games: losses of the network itself, and planted blunders",
    "sequential": "errors and lengths of sequential tests between two agents",
    "gpu": "games on a GPU next to the CPU",
    "peers": "other environments next to this one",
    "clients": "the code of docs/environments.md with each library",
    "page": "the page in a browser: size, time to the first move, speed",
    "browser": "which browser the page is tested in",
    "serving": "the server of tables: response times, cost, start",
    "seats": "seats for programs: a thousand games at once, time of a step, memory",
}


def usage() -> str:
    """Return the help text."""
    width = max(map(len, PROGRAMS))
    lines = [f"  {name:<{width}}  {sentence}" for name, sentence in PROGRAMS.items()]
    return "\n".join(
        ["usage: python -m benchmarks NAME [options]", "", "Measure:", *lines, "", "NAME --help has more."]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for an unknown program."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in PROGRAMS:
        try:
            status: int = import_module(f"benchmarks.{arguments[0]}").main(arguments[1:])
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] in ("agents", "benchmarks", "porta_nigra_env", "training"):
                raise
            print(f"python -m benchmarks {arguments[0]}: {error}; make .venv/dev", file=sys.stderr)
            return 2
        return status
    if arguments[:1] in (["--help"], ["-h"]):
        print(usage())
        return 0
    problem = f"there is no benchmark {arguments[0]!r}" if arguments else "name a benchmark"
    print(f"{usage()}\n\npython -m benchmarks: {problem}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    # Clean up after a termination as after Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    raise SystemExit(main())
