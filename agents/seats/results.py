"""Results of finished games, with forfeits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.results import outcome_returns, withdraw


@dataclass(frozen=True)
class Result:
    """The result of a game, by seat.

    Attributes:
        places: 1 for the best; forfeited seats are last.
        totals: points with final scoring, as played to the end by the fallback where a seat forfeited.
        sources: points by source; {} for games without.
        returns: zero-sum result from the places, 1 for a sole winner.
        forfeits: why seats forfeited: "answers", "time" or "left".
    """

    places: tuple[int, ...]
    totals: tuple[int, ...]
    sources: tuple[dict[str, int], ...]
    returns: tuple[float, ...]
    forfeits: dict[int, str]

    def score(self, seat: int) -> float:
        """Return the share of the other seats that finished behind, ties half; 0 for a forfeited seat."""
        if seat in self.forfeits:
            return 0.0
        own, others = self.places[seat], [place for other, place in enumerate(self.places) if other != seat]
        return sum((place > own) + (place == own) / 2 for place in others) / len(others)

    def record(self) -> dict[str, Any]:
        """Return the result as a JSON-able dict."""
        return {
            "places": list(self.places), "totals": list(self.totals), "points": list(self.sources),
            "returns": list(self.returns), "forfeits": {str(seat): why for seat, why in self.forfeits.items()},
        }  # fmt: skip


def result_of(game: Game, states: States, forfeits: Mapping[int, str] = {}) -> Result:
    """Return the result of a finished game; states: (1,); forfeits: reasons by seat, the first seat first."""
    places = game.places(states)
    for seat in reversed(list(forfeits)):
        withdraw(places, seat)
    points = game.points_by_source(states)[0].tolist()
    return Result(
        tuple(places.tolist()),
        tuple(game.totals(states).tolist()),
        tuple(dict(zip(game.point_sources, row, strict=True)) for row in points),
        tuple(float(value) for value in outcome_returns(places)),
        dict(forfeits),
    )
