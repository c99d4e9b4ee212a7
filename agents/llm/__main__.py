"""Print the counts of language models in a ledger: ``python -m agents.llm llm.sqlite``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from agents.arena import program
from agents.arena.program import Program
from agents.llm.ledger import Ledger, table

PROGRAM = Program("agents.llm")


@dataclass(frozen=True)
class Arguments:
    """Print decisions, requests, tokens, cost and failures of each agent in a ledger."""

    file: tyro.conf.Positional[Path] = Path("llm.sqlite")
    """the ledger, cache=FILE of the agents"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; a missing file exits with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, __doc__ or "")
    if not arguments.file.is_file():
        PROGRAM.refuse(f"there is no file {arguments.file}")

    def show() -> int:
        print(table(Ledger(arguments.file).counts()))
        return 0

    return PROGRAM.attempt(show)


if __name__ == "__main__":
    raise SystemExit(main())
