"""Weights of the scripted players, their compiler, and the value of stones and steps."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import GLORY
from porta_nigra_env.games.gloria_mundi.rules.compiler import SOURCES
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_KINDS

Weights = npt.NDArray[np.float64]
#: `cards.turns_to_come`.
Turns = tuple[float, float, float, float]

jit = compiler(*SOURCES, Path(__file__).parent)

# The quaestor's weights are hand-made weights after 150 generations of
# `python -m training.tune --game gloria_mundi --generations 150 --population 20 --deals 100 --seed 2`.  Against the
# hand-made weights they win 54.6 % at two players, 33.1 % at three, 28.2 % at four, 24.5 % at five and 18.9 % at six
# (2,000 deals; even: 50, 33, 25, 20, 17).
#: Name, greedy weight, quaestor's weight, meaning.  A weight is the number of steps that one unit is worth, or a factor
#: of steps, unless the meaning says otherwise.
WEIGHTS: Final = (
    ("stone", 0.2, 0.31, "a basic stone while there are few of the kind"),
    ("glory", 0.3, 0.418, "a glory stone while there are few"),
    ("enough", 6.0, 3.858, "number of stones of a kind that are few"),
    ("surplus", 0.4, 0.117, "fraction of a stone's worth beyond that number"),
    ("africa", 100.0, 106.6, "reaching Africa"),
    ("laurel", 1.0, 0.856, "factor of the laurel steps of a card bought"),
    ("rival", 0.0, 0.901, "factor of the others' mean gain"),
    ("later", 0.0, 1.597, "factor of the value a card adds to future activations"),
    ("repeat", 0.0, -0.126, "relative value that the printed X adds to an ability"),
    ("pace", 1.5, 0.391, "expected turns per space of the Goth"),
    ("wall", 0.0, 0.126, "a wall, per expected turn"),
    ("base", 0.3, 1.469, "a base card in the display, in addition to its production"),
    ("wait", 0.0, 0.143, "each stone of the extra, in addition to its worth"),
    ("share", 1.0, 1.578, "factor of the own share of the tribute"),
    ("delay", 0.3, -4.304, "keeping the Goth where it is"),
    ("crowd", 0.0, 8.97, "the same, per player beyond two"),
    ("march", 0.0, 0.387, "factor of the others' losses in a march"),
    ("haste", 0.0, 1.313, "per step of a lead, times the fraction of the way to Rome that the Goth moves"),
)
(
    STONE, GLORY_STONE, ENOUGH, SURPLUS, AFRICA, LAUREL, RIVAL, LATER, AGAIN, PACE, WALLS, BASE_CARD, WAIT, SHARE,
    DELAY, CROWD, MARCH, HASTE,
) = range(len(WEIGHTS))  # fmt: skip

#: Larger than the stock of any kind.
NONE_AT_ALL = 1_000_000.0


@jit
def stock_worth(kind: int, stones: float, w: Weights) -> float:
    """Return the worth of a stock of one kind: few stones count in full, the others for less."""
    few = min(stones, w[ENOUGH])
    single = w[GLORY_STONE] if kind == GLORY else w[STONE]
    return float(single * (few + w[SURPLUS] * (stones - few)))


@jit
def stones_worth(state: State, seat: int, kind: int, change: float, w: Weights) -> float:
    """Return the worth of a change of a stock, which does not fall below 0."""
    stones = float(state["stones"][seat, kind])
    return stock_worth(kind, max(0.0, stones + change), w) - stock_worth(kind, stones, w)


@jit
def steps_worth(constants: Constants, state: State, seat: int, steps: int, w: Weights) -> float:
    """Return the worth of steps, with the bonus for Africa."""
    missing = int(constants["escape_steps"]) - int(state["steps"][seat])
    if steps >= missing:
        return float(missing + w[AFRICA])
    return float(steps)


@jit
def choice_worth(state: State, seat: int, kinds: int, count: int, w: Weights) -> float:
    """Return the worth of the best stones gained (count > 0) or the cheapest given (< 0), all of one kind."""
    best = -NONE_AT_ALL
    for kind in range(NUM_KINDS):
        if (kinds >> kind) & 1 and (count > 0 or int(state["stones"][seat, kind]) >= -count):
            best = max(best, stones_worth(state, seat, kind, float(count), w))
    if best == -NONE_AT_ALL:
        # No kind has enough: a mix, at the price of a scarce stone.
        best = count * w[STONE]
    return float(best)


@jit
def stone_cost(state: State, seat: int, kind: int, w: Weights) -> float:
    """Return the cost of one stone less."""
    return -stones_worth(state, seat, kind, -1.0, w)
