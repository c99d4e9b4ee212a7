"""Published networks: their cards, pages, and programs that publish, test and reproduce them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import tyro

from training.publish import gates, network, pages, reproduce, strongest


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code of the subcommand."""
    programs: Any = (
        Annotated[network.Options, tyro.conf.subcommand("network")]
        | Annotated[gates.Options, tyro.conf.subcommand("gate")]
        | Annotated[strongest.Options, tyro.conf.subcommand("strongest")]
        | Annotated[pages.Options, tyro.conf.subcommand("pages")]
        | Annotated[reproduce.Options, tyro.conf.subcommand("reproduce")]
    )
    options = tyro.cli(programs, args=argv, prog="python -m training.publish")
    if isinstance(options, network.Options):
        return network.run(options)
    if isinstance(options, gates.Options):
        return gates.run(options)
    if isinstance(options, strongest.Options):
        return strongest.run(options)
    return pages.run() if isinstance(options, pages.Options) else reproduce.run(options)
