"""Notebooks out of their scripts: ``python -m notebooks.execute``, ``python -m notebooks.execute --check``.

Each ``NN_name.py`` (jupytext's percent format) is the source of ``NN_name.ipynb``, which also holds the outputs.  This
executes all of them, or those that are named, and writes the notebooks; with ``--check`` nothing is executed, and a
notebook whose cells are not those of its script is named.
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

FOLDER: Final = Path(__file__).parent
#: Seconds for a single cell.
LIMIT: Final = 900
#: What stands for a widget that lives in the kernel: here, where no kernel is, its picture is kept instead.
WIDGET: Final = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Execute notebooks and write them with their outputs."""

    names: tyro.conf.Positional[tuple[str, ...]] = ()
    """Beginnings of names, e.g. 01; by default all."""
    check: bool = False
    """Execute nothing, name notebooks that are not up to date."""
    dry: bool = False
    """Execute, but write nothing."""


def scripts() -> list[Path]:
    """The sources, in order."""
    return sorted(FOLDER.glob("[0-9][0-9]_*.py"))


def cells(notebook: Any) -> list[tuple[str, str]]:
    """Kind and text of all cells."""
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def stale(script: Path) -> bool:
    """Whether a notebook is missing, or its cells are not those of its script."""
    file = script.with_suffix(".ipynb")
    return not file.exists() or cells(nbformat.read(file, as_version=4)) != cells(jupytext.read(script))  # type: ignore[no-untyped-call]


def execute(script: Path) -> Any:
    """The notebook of a script with its outputs; CellExecutionError if a cell fails."""
    notebook = jupytext.read(script)
    for number, cell in enumerate(notebook.cells):
        # Names that stay the same, so that a new run changes what has changed.
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
            # What goes to the error stream are warnings and progress bars.
            cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
            for one in cell.outputs:
                one.get("data", {}).pop(WIDGET, None)
    return notebook


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 if a cell fails or a notebook is stale, 2 for a name that no notebook has."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m notebooks.execute")
    chosen = [one for one in scripts() if not arguments.names or one.name.startswith(tuple(arguments.names))]
    if not chosen:
        print(f"python -m notebooks.execute: no notebook is called {' or '.join(arguments.names)}", file=sys.stderr)
        return 2
    if arguments.check:
        old = [one.stem for one in chosen if stale(one)]
        for name in old:
            print(f"{name}.ipynb is not that of its script: python -m notebooks.execute {name[:2]}", file=sys.stderr)
        return 1 if old else 0
    for script in chosen:
        begun = time.perf_counter()
        try:
            notebook = execute(script)
        except CellExecutionError as error:
            print(f"{script.name}: {error}", file=sys.stderr)
            return 1
        if not arguments.dry:
            file = script.with_suffix(".ipynb")
            partial = file.with_suffix(".partial")
            nbformat.write(notebook, partial)  # type: ignore[no-untyped-call]
            partial.replace(file)
        print(f"{script.stem}: {time.perf_counter() - begun:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
