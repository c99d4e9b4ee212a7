"""Scores as if the game ended now (A54, A55)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.games.aquileia.oracle.referee.board import Board
from tests.games.aquileia.oracle.referee.chance import Position


def stadium_owners(position: Position) -> Iterator[tuple[str, int]]:
    """Yield (card, seat) for each owned stadium card (A35, A36)."""
    for entry in position["stadium"]["past"]:
        if entry["first"] is None:
            continue
        other = "drawn" if entry["first_kept"] == "open" else "open"
        yield entry[entry["first_kept"]], entry["first"]
        if entry["second"] is not None:
            yield entry[other], entry["second"]


def scores(board: Board, position: Position) -> list[dict[str, Any]]:
    """A54, player by player."""
    return [_sheet(board, position, seat) for seat in range(position["num_players"])]


def _sheet(board: Board, position: Position, seat: int) -> dict[str, Any]:
    values = dict.fromkeys(board.colours, 0)
    for name, owner in position["buildings"].items():
        if owner == seat and board.buildings[name]["kind"] == "villa":
            values[board.buildings[name]["colour"]] += board.buildings[name]["value"]
    own = [card for card, owner in stadium_owners(position) if owner == seat]
    theatre = {}
    for card, owner in position["theatre"]["won"].items():
        if owner == seat:
            one, two = board.theatre[card]
            theatre[card] = two if values[two] > values[one] else one  # A54: in a tie the one named first
    cards = [*own, *theatre.values()]
    villas = {colour: value * cards.count(colour) for colour, value in values.items()}
    laurels = sum(board.laurels.get(card, 0) for card in own)
    vp = position["players"][seat]["vp"]
    return {
        "vp": vp,
        "laurels": laurels,
        "villas": villas,
        "theatre": theatre,
        "total": vp + laurels + sum(villas.values()),
    }


def winners(board: Board, position: Position) -> list[int]:
    """A55: most VP wins, a tie has several winners; no winner before the end."""
    if position["phase"] != "over":
        return []
    totals = [sheet["total"] for sheet in scores(board, position)]
    return [seat for seat, total in enumerate(totals) if total == max(totals)]
