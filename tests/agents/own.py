"""Agents that are named by their import path."""

from __future__ import annotations

import numpy as np

from agents.agent import Agent
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View


class First(Agent):
    """The first legal action, or one a few places behind it."""

    def __init__(self, name: str, game: Game, seed: int = 0, behind: int = 0, last: bool = False) -> None:
        super().__init__(name, game, seed)
        self.behind, self.last = behind, last

    def act(self, view: View) -> int:
        legal = view.legal_ids()
        return int(legal[-1] if self.last else legal[min(self.behind, len(legal) - 1)])


def drawn(name: str, game: Game, seed: int, weight: float) -> Agent:
    """Any action; a function with a parameter that has to be given."""

    class Drawn(Agent):
        def act(self, view: View) -> int:
            return int(np.random.default_rng(self.decision_seed(view)).choice(view.legal_ids()))

    if weight < 0:
        raise ValueError(f"weight must not be negative, not {weight}")
    return Drawn(name, game, seed)


def number(name: str, game: Game, seed: int) -> int:
    """Makes no agent."""
    return 3


NOT_CALLABLE = 3
