"""The games in a notebook: ``Table(state)`` to play at, ``Replay(playthrough)`` to look at (docs/environments.md)."""

from __future__ import annotations

try:
    import anywidget  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "anywidget":
        raise
    raise ModuleNotFoundError(
        "agents.notebook needs anywidget: pip install -c constraints.txt --group notebooks", name="anywidget"
    ) from error

from agents.notebook.replay import Replay
from agents.notebook.table import Table

__all__ = ["Replay", "Table"]
