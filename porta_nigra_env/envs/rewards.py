"""Reward schemes: what the course and the end of a game are worth to each seat."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game import Game, States
from porta_nigra_env.core.results import outcome_returns

#: Names of the schemes.
#:
#: outcome: at the end `core.game.outcome_returns`, zero-sum in [-1, 1].
#: margin: at the end the own total minus the mean total of the others, zero-sum, in points.
#: vp: the points gained by each decision, and at the end what the final scoring adds; they sum to the total.
REWARDS: Final = ("outcome", "margin", "vp")


def margin_returns(totals: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Zero-sum result (n,) in points: the own total minus the mean of the others' totals."""
    values = np.asarray(totals, dtype=np.float64)
    others: npt.NDArray[np.float64] = (values.sum() - values) / (len(values) - 1)
    return values - others


class Rewards:
    """What each seat has gained, asked for after every decision of one game.

    Attributes:
        scheme: one of `REWARDS`.
        in_play: whether anything but zero can be gained before the end.
    """

    __slots__ = ("_before", "_game", "in_play", "scheme")

    def __init__(self, game: Game, scheme: str) -> None:
        if scheme not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {scheme!r}")
        self.scheme = scheme
        self.in_play = scheme == "vp" and game.points_field is not None
        self._game = game
        self._before = [0] * game.num_players

    def restart(self, states: States) -> None:
        """A game begins at the position in row 0: points already on the marker there are nobody's gain."""
        self._before = self._points(states) if self.in_play else [0] * self._game.num_players

    def gained(self, states: States, over: bool) -> list[float]:
        """What every seat has gained since the last call, or since `restart`; `over`: the game has ended."""
        players = self._game.num_players
        if over:
            totals = np.zeros(players, dtype=np.int32)
            self._game.kernel.score(self._game.tables, states, 0, totals)
            if self.scheme == "outcome":
                return [float(value) for value in outcome_returns(totals)]
            if self.scheme == "margin":
                return [float(value) for value in margin_returns(totals)]
            now: list[int] = totals.tolist()
        elif self.in_play:
            now = self._points(states)
        else:
            return [0.0] * players
        gains = [float(after - before) for after, before in zip(now, self._before, strict=True)]
        self._before = now
        return gains

    def clone(self) -> Rewards:
        """An independent copy."""
        twin = Rewards(self._game, self.scheme)
        twin._before = list(self._before)
        return twin

    def _points(self, states: States) -> list[int]:
        # The field has a place for every seat the game can have; only those of this game play.
        points: list[Any] = states[self._game.points_field][0].tolist()
        return points[: self._game.num_players]
