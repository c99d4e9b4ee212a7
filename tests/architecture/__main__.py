"""Check and measure the repository: ``python -m tests.architecture {measure,prose,tables,catalogues}``."""

from __future__ import annotations

import sys
from typing import Any

import tyro

from tests.architecture import measure, prose, tables
from tests.narration import catalogues

if __name__ == "__main__":
    programs: dict[str, Any] = {
        "measure": measure.main, "prose": prose.main, "tables": tables.main, "catalogues": catalogues.main,
    }  # fmt: skip
    sys.exit(tyro.extras.subcommand_cli_from_dict(programs, prog="python -m tests.architecture"))
