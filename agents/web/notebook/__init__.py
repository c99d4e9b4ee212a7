"""Notebook widgets: ``Table(state)`` to play, ``Replay(playthrough)`` to look at a recorded game."""

from __future__ import annotations

from porta_nigra_env.extras import explanation

try:
    from agents.web.notebook.replay import Replay
    from agents.web.notebook.table import Table
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(explanation(error) or str(error), name=error.name) from error

__all__ = ["Replay", "Table"]
