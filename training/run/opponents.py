"""Whom networks meet: agents by name, those of a game by default."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType
from typing import Final

from agents.agent import Agent
from agents.registry import make
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game

#: Of games whose agents' package names none.
ANY_GAME: Final = ("random",)


def agents_of(game: str) -> ModuleType | None:
    """The package of the agents that know a game, ``agents.GAME``; None without."""
    name = f"agents.{game}"
    return None if importlib.util.find_spec(name) is None else importlib.import_module(name)


def rivals(game: str) -> tuple[str, ...]:
    """Names of the agents that others are measured against in a game, the strongest one last: `RIVALS` of its package.

    >>> rivals("noughts_and_crosses")
    ('random',)
    """
    found: tuple[str, ...] = getattr(agents_of(game), "RIVALS", ANY_GAME)
    return found


def opponent(name: str, game: Game) -> Policy | Agent:
    """An agent as an opponent in `BatchEnv`: its compiled policy where there is one, otherwise itself.

    Raises:
        ValueError: no such agent, or one that must be shown what its seat cannot see.
    """
    agent = make(name, game)
    if agent.cheats:
        raise ValueError(f"{name!r} sees the true state; an opponent may see no more than its seat")
    return agent if agent.compiled is None else agent.compiled
