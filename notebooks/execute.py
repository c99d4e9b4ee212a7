"""Execute notebooks: ``python -m notebooks.execute``, ``python -m notebooks.execute --check``.

Each ``NN_name.py`` (jupytext's percent format) is the source of ``NN_name.ipynb``, which adds the outputs.  The program
executes all scripts, or the named ones, and writes the notebooks.  With ``--check`` it executes nothing and lists
notebooks that differ from their script.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jupytext
import nbformat
import tyro
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from porta_nigra_env.core.files import write_whole

FOLDER: Final = Path(__file__).parent
#: Time limit of a cell in seconds.
LIMIT: Final = 900
#: MIME type of a live widget; it needs a kernel, so notebooks keep the widget's picture instead.
WIDGET: Final = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Execute notebooks and write them with their outputs."""

    names: tyro.conf.Positional[tuple[str, ...]] = ()
    """Prefixes of names, e.g. 01; all by default."""
    check: bool = False
    """Execute nothing; list notebooks that differ from their script."""
    dry: bool = False
    """Execute, but write no notebook."""


def scripts() -> list[Path]:
    """Return the scripts in order."""
    return sorted(FOLDER.glob("[0-9][0-9]_*.py"))


def cells(notebook: Any) -> list[tuple[str, str]]:
    """Return the kind and source of all cells."""
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def stale(script: Path) -> bool:
    """Return whether the notebook of a script is missing or has other cells."""
    file = script.with_suffix(".ipynb")
    return not file.exists() or cells(nbformat.read(file, as_version=4)) != cells(jupytext.read(script))  # type: ignore[no-untyped-call]


def execute(script: Path) -> Any:
    """Execute a script and return its notebook.  Raises CellExecutionError if a cell fails."""
    notebook = jupytext.read(script)
    for number, cell in enumerate(notebook.cells):
        # Fixed ids keep the diff of a new run small.
        cell["id"] = f"cell-{number}"
    NotebookClient(
        notebook,
        timeout=LIMIT,
        kernel_name="python3",
        resources={"metadata": {"path": str(FOLDER.parent)}},
        store_widget_state=False,
    ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            # stderr holds warnings and progress bars.
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                output.get("data", {}).pop(WIDGET, None)
    return notebook


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return 1 if a cell fails or a notebook is stale, 2 for an unknown name."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m notebooks.execute")
    chosen = [script for script in scripts() if not arguments.names or script.name.startswith(tuple(arguments.names))]
    if not chosen:
        print(f"python -m notebooks.execute: no notebook is called {' or '.join(arguments.names)}", file=sys.stderr)
        return 2
    if arguments.check:
        outdated = [script.stem for script in chosen if stale(script)]
        for name in outdated:
            print(f"{name}.ipynb is not that of its script: python -m notebooks.execute {name[:2]}", file=sys.stderr)
        return 1 if outdated else 0
    for script in chosen:
        start = time.perf_counter()
        try:
            notebook = execute(script)
        except CellExecutionError as error:
            print(f"{script.name}: {error}", file=sys.stderr)
            return 1
        if not arguments.dry:
            write_whole(script.with_suffix(".ipynb"), nbformat.writes(notebook) + "\n")  # type: ignore[no-untyped-call]
        print(f"{script.stem}: {time.perf_counter() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
