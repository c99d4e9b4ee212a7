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
    values = [dict.fromkeys(board.colours, 0) for _ in position["players"]]
    for name, owner in position["buildings"].items():
        if name in board.villas:
            colour, value = board.villas[name]
            values[owner][colour] += value
    cards: list[list[str]] = [[] for _ in values]
    for card, owner in stadium_owners(position):
        cards[owner].append(card)
    theatre: list[dict[str, str]] = [{} for _ in values]
    for card, owner in position["theatre"]["won"].items():
        first, second = board.theatre[card]
        # A54: in a tie the one named first.
        theatre[owner][card] = second if values[owner][second] > values[owner][first] else first
    rows = zip(position["players"], values, cards, theatre, strict=True)
    return [_sheet(board, player["vp"], *row) for player, *row in rows]


def _sheet(board: Board, vp: int, values: dict[str, int], cards: list[str], theatre: dict[str, str]) -> dict[str, Any]:
    scoring = [*cards, *theatre.values()]
    villas = {colour: value * scoring.count(colour) for colour, value in values.items()}
    laurels = sum(board.laurels.get(card, 0) for card in cards)
    total = vp + laurels + sum(villas.values())
    return {"vp": vp, "laurels": laurels, "villas": villas, "theatre": theatre, "total": total}


def winners(board: Board, position: Position) -> list[int]:
    """A55: most VP wins, a tie has several winners; no winner before the end."""
    if position["phase"] != "over":
        return []
    totals = [sheet["total"] for sheet in scores(board, position)]
    return [seat for seat, total in enumerate(totals) if total == max(totals)]
