"""Check and measure the repository: ``python -m tests.architecture {measure,prose,tables}``."""

from __future__ import annotations

import sys
from typing import Any

import tyro

from tests.architecture import measure, prose, tables

if __name__ == "__main__":
    programs: dict[str, Any] = {"measure": measure.main, "prose": prose.main, "tables": tables.main}
    sys.exit(tyro.extras.subcommand_cli_from_dict(programs, prog="python -m tests.architecture"))
