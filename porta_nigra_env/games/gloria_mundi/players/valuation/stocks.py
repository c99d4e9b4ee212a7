"""What stones and steps are worth."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import GLORY
from porta_nigra_env.games.gloria_mundi.players.valuation.weights import (
    AFRICA,
    ENOUGH,
    GLORY_STONE,
    STONE,
    SURPLUS,
    jit,
)
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_KINDS

#: Larger than the stock of any kind.
NONE_AT_ALL = 1_000_000.0


@jit
def stock_worth(kind: int, stones: float, w: Any) -> float:
    """So many stones of a kind: the first ones count in full, the others for less."""
    few = min(stones, w[ENOUGH])
    one = w[GLORY_STONE] if kind == GLORY else w[STONE]
    return float(one * (few + w[SURPLUS] * (stones - few)))


@jit
def stones_worth(state: State, seat: int, kind: int, change: float, w: Any) -> float:
    """What so many stones of a kind more or less are worth to a player; never less than none."""
    stones = float(state["stones"][seat, kind])
    return stock_worth(kind, max(0.0, stones + change), w) - stock_worth(kind, stones, w)


@jit
def steps_worth(constants: Constants, state: State, seat: int, steps: int, w: Any) -> float:
    """Steps, and what Africa is worth."""
    missing = int(constants["escape_steps"]) - int(state["steps"][seat])
    if steps >= missing:
        return float(missing + w[AFRICA])
    return float(steps)


@jit
def choice_worth(state: State, seat: int, kinds: int, count: int, w: Any) -> float:
    """The best (count above 0) or the cheapest (below 0) stones of some kinds, all of one kind."""
    best = -NONE_AT_ALL
    for kind in range(NUM_KINDS):
        if (kinds >> kind) & 1 and (count > 0 or int(state["stones"][seat, kind]) >= -count):
            best = max(best, stones_worth(state, seat, kind, float(count), w))
    if best == -NONE_AT_ALL:
        # No kind has enough: a mix, at the price of one that is scarce.
        best = count * w[STONE]
    return float(best)


@jit
def one_stone(state: State, seat: int, kind: int, w: Any) -> float:
    """What one stone less costs."""
    return -stones_worth(state, seat, kind, -1.0, w)
