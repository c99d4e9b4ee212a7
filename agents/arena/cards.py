"""Gains of cards: how much more often the seats that took a card win, next to its printed price.

Within each game, the win share of every seat is compared with the cards that it took, by one linear regression on the
numbers of all cards.  Winners take more cards, so a card alone would also have the gain of all others.  Intervals count
a game once: the results of its seats depend on each other.

The gain is a correlation.  A player in a good position can take a good card, and takes it at a good moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.arena.ratings import Estimate, Floats, Z, win_shares
from agents.arena.tables import interval, markdown

#: Cards that fewer seats took, or did not take, have no gain.
FEW_TAKEN: Final = 30


class Cards(NamedTuple):
    """The cards of a course.

    Attributes:
        names: (k,), of the cards.
        prices: float64 (k,), in units of the game.
        unit: the name of these units.
        taken: integers (games, players, k), how often a seat took each.
    """

    names: Sequence[str]
    prices: Floats
    unit: str
    taken: npt.NDArray[np.integer]


class Gain(NamedTuple):
    """A card's gain.

    Attributes:
        card, price: of the card.
        seats: number of seats that took it.
        gain: change of the win share with one more of it.
        above: `gain` less that of a card of the same price, by a line through all cards.
    """

    card: str
    price: float
    seats: int
    gain: Estimate
    above: Estimate


def gains(cards: Cards, places: npt.ArrayLike) -> list[Gain]:
    """Return the gains of all cards that enough seats took, the highest `above` first.

    Args:
        cards: the cards.
        places: integers (games, players), final ranks.
    """
    taken = np.asarray(cards.taken, dtype=np.float64)
    games, players, _ = taken.shape
    seats = (taken > 0).sum(axis=(0, 1))
    kept = np.flatnonzero((seats >= FEW_TAKEN) & (games * players - seats >= FEW_TAKEN))
    if not len(kept):
        return []
    # Differences within a game: each deals its cards to all of its seats.
    within = taken[:, :, kept] - taken[:, :, kept].mean(axis=1, keepdims=True)
    results = win_shares(places) - 1 / players
    inverse = np.linalg.pinv(np.einsum("gsi,gsj->ij", within, within))
    values = inverse @ np.einsum("gsi,gs->i", within, results)
    scores = np.einsum("gsi,gs->gi", within, results - within @ values)
    spread = games / max(games - 1, 1) * inverse @ (scores.T @ scores) @ inverse
    prices = np.column_stack([np.ones(len(kept)), cards.prices[kept]])
    weighted = prices.T * seats[kept]
    residual = np.eye(len(kept)) - prices @ np.linalg.pinv(weighted @ prices) @ weighted
    above, errors = residual @ values, np.sqrt(np.diagonal(residual @ spread @ residual.T))
    found = [
        Gain(
            cards.names[card],
            float(cards.prices[card]),
            int(seats[card]),
            _estimate(values[row], np.sqrt(spread[row, row])),
            _estimate(above[row], errors[row]),
        )
        for row, card in enumerate(kept.tolist())
    ]
    return sorted(found, key=lambda one: -one.above.value)


def _estimate(value: float, error: float) -> Estimate:
    return Estimate(float(value), float(value - Z * error), float(value + Z * error))


def gains_table(cards: Cards, places: npt.ArrayLike) -> str:
    """Return the gains as a Markdown table, in percent of a win; places: see `gains`."""
    rows = [
        [f"`{one.card}`", f"{one.price:g}", str(one.seats), interval(one.gain, 1, 100), interval(one.above, 1, 100)]
        for one in gains(cards, places)
    ]
    return markdown(["card", cards.unit, "seats with it", "gain, % of a win", "above its price"], rows)
