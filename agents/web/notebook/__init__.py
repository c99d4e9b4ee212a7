"""Notebook widgets: ``Table(state)`` to play, ``Replay(playthrough)`` to look at a recorded game."""

from __future__ import annotations

try:
    import anywidget  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "anywidget":
        raise
    raise ModuleNotFoundError(
        "agents.web.notebook needs anywidget: pip install -c constraints.txt --group notebooks", name="anywidget"
    ) from error

from agents.web.notebook.replay import Replay
from agents.web.notebook.table import Table

__all__ = ["Replay", "Table"]
