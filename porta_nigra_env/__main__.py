"""All programs by one command: ``porta-nigra tournament builder network --out results/mine``."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from porta_nigra_env.extras import ROOT, explanation

#: The module of each command, and its extra; "" for a command that needs none.
COMMANDS: Final = {
    "play": ("agents.web.page", ""),
    "agents": ("agents.registry", ""),
    "human": ("agents.human", ""),
    "tournament": ("agents.tournament", "agents"),
    "ladder": ("agents.arena.ladder", "agents"),
    "analysis": ("agents.arena.analysis", "agents"),
    "review": ("agents.review", "train"),
    "film": ("agents.web.film", "agents"),
    "serve": ("agents.web.serve", "agents"),
    "demo": ("training.demo", "train"),
    "train": ("training.ppo", "train"),
    "expert": ("training.expert", "train"),
    "distil": ("training.distil", "train"),
    "league": ("training.league", "train"),
    "sweep": ("training.sweep", "train"),
    "tune": ("training.tune", "train"),
    "curves": ("training.curves", "train"),
    "games": ("porta_nigra_env.demo", ""),
    "cache": ("porta_nigra_env.cache", ""),
    "components": ("porta_nigra_env.components", ""),
    "wasm": ("porta_nigra_env.wasm", "wasm"),
}


def module_of(command: str) -> str:
    """Return the module of a command; a wheel has `agents` and `training` inside this package."""
    module = COMMANDS[command][0]
    if module.startswith("porta_nigra_env."):
        return module
    if (Path(__file__).parent / "agents").is_dir():
        return f"porta_nigra_env.{module}"
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return module


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 2 for an unknown one or one whose extra is not installed."""
    command, *others = (sys.argv[1:] if argv is None else argv) or ["--help"]
    if command not in COMMANDS:
        stream = sys.stdout if command in ("-h", "--help") else sys.stderr
        print(
            "usage: porta-nigra COMMAND [--help] [ARGUMENT ...]\n\ncommand       module, and the extra that it needs",
            file=stream,
        )
        for name, (module, extra) in COMMANDS.items():
            print(f"{name:13} {module}{f'  [{extra}]' if extra else ''}", file=stream)
        return 0 if stream is sys.stdout else 2
    module = module_of(command)
    # Custom agents may be modules of the working folder, as with `python -m`.
    sys.path.insert(0, "")
    sys.argv = [module, *others]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except ModuleNotFoundError as error:
        if not (sentence := explanation(error)):
            raise
        print(f"porta-nigra {command}: error: {sentence}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
