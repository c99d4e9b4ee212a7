"""The compiled kernel functions of a game, bound to the names of `core.game.contract`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from porta_nigra_env.core.arrays.rng import reseed
from porta_nigra_env.core.compile.template import Replacements
from porta_nigra_env.core.game import contract
from porta_nigra_env.core.game.results import no_points, no_rounds, rank_by_totals


class Kernel(NamedTuple):
    """The compiled kernel functions of a game; `core.game.contract` documents each of them."""

    reset: Callable[..., Any]
    step: Callable[..., Any]
    legal: Callable[..., Any]
    observe: Callable[..., Any]
    determinize: Callable[..., Any]
    score: Callable[..., Any]
    redact: Callable[..., Any]
    privileged: Callable[..., Any]
    rank: Callable[..., Any] = rank_by_totals
    points: Callable[..., Any] = no_points
    rounds: Callable[..., Any] = no_rounds
    redraw: Callable[..., Any] = reseed

    @property
    def replacements(self) -> Replacements:
        """The kernel functions by their contract, to specialize templates."""
        return {getattr(contract, name): function for name, function in self._asdict().items()}

    @property
    def has_rounds(self) -> bool:
        """True if the game counts rounds."""
        return self.rounds is not no_rounds

    @property
    def has_points(self) -> bool:
        """True if players gain points before the end."""
        return self.points is not no_points
