"""Reward schemes."""

from __future__ import annotations

import math
import warnings
from typing import Final

import numpy as np

from porta_nigra_env.core.batch.bookkeeping import ILLEGAL_REWARD
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.results import margin_returns, outcome_returns

#: Names of the schemes.
#:
#: outcome: at the end `core.game.results.outcome`, zero-sum in [-1, 1].
#: margin: at the end the player's total minus the mean total of the others, zero-sum, in points.
#: points: the points gained in each step, and at the end the final scoring; they sum to the total.
REWARDS: Final = ("outcome", "margin", "points")


def check_reward(name: object) -> str:
    """Return `name` if it is one of `REWARDS`, else raise ValueError; "vp" is an old name of "points"."""
    if name == "vp":
        warnings.warn("the reward 'vp' is called 'points' now", FutureWarning, stacklevel=3)
        return "points"
    if not isinstance(name, str) or name not in REWARDS:
        raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {name!r}")
    return name


def check_illegal(action: object, reward: object) -> float | None:
    """Return the reward with which an illegal action ends the game, or None if it is an error.

    Args:
        action: "terminate" or "raise".
        reward: a finite number; None for `ILLEGAL_REWARD`.

    Raises:
        ValueError: another action, another reward, or a reward with "raise", where it would have no effect.
    """
    if action not in ("raise", "terminate"):
        raise ValueError(f"illegal_action must be 'raise' or 'terminate', not {action!r}")
    if reward is None:
        return ILLEGAL_REWARD if action == "terminate" else None
    if action == "raise":
        raise ValueError("illegal_reward is for illegal_action='terminate'; with 'raise' it has no effect")
    if isinstance(reward, bool) or not isinstance(reward, int | float | np.number) or not math.isfinite(reward):
        raise ValueError(f"illegal_reward must be a finite number, not {reward!r}")
    return float(reward)


class Rewards:
    """The rewards of every seat after each step of one game; points scored before it are not rewarded.

    Args:
        scheme: one of `REWARDS`.
        states: the state array, with the start of the game in row 0.

    Attributes:
        in_play: True if rewards other than zero can occur before the end.
    """

    def __init__(self, game: Game, scheme: str, states: States) -> None:
        self.in_play = scheme == "points" and game.kernel.has_points
        self._game, self._scheme = game, scheme
        self._before = self._points(states) if self.in_play else [0] * game.num_players

    def gained(self, states: States, over: bool) -> list[float]:
        """Return the reward of every seat since the last call or the start; over: True if the game has ended."""
        if over and self._scheme == "outcome":
            return outcome_returns(self._game.places(states)).tolist()  # type: ignore[no-any-return]
        if over and self._scheme == "margin":
            return margin_returns(self._game.totals(states)).tolist()  # type: ignore[no-any-return]
        if not over and not self.in_play:
            return [0.0] * self._game.num_players
        now: list[int] = self._game.totals(states).tolist() if over else self._points(states)
        gains = [float(after - before) for after, before in zip(now, self._before, strict=True)]
        self._before = now
        return gains

    def clone(self) -> Rewards:
        """Return an independent copy."""
        twin = object.__new__(Rewards)
        vars(twin).update(vars(self))
        return twin

    def _points(self, states: States) -> list[int]:
        points = np.zeros(self._game.num_players, dtype=np.int32)
        self._game.kernel.points(self._game.constants, states, 0, points)
        return points.tolist()
