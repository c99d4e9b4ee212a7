"""The games in a notebook: ``Table(state)`` to play at, ``Replay(playthrough)`` to look at (docs/environments.md)."""

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
