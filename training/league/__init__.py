"""Leagues of networks, and exploiters that measure how far an agent can be beaten."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import tyro

from training.league import exploit, generations


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code of `trainer.run_program`."""
    words = sys.argv[1:] if argv is None else argv
    programs: Any = (
        Annotated[generations.Options, tyro.conf.subcommand("generations")]
        | Annotated[exploit.Options, tyro.conf.subcommand("exploit")]
    )
    options = tyro.cli(programs, args=words, prog="python -m training.league")
    if isinstance(options, generations.Options):
        return generations.run(options)
    return exploit.run(options, words[1:])
