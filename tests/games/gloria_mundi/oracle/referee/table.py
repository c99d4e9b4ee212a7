"""A position in play: operations that several phases share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.games.gloria_mundi.oracle.referee.cards import STONES, Amounts, Board, Card

Position = dict[str, Any]

#: G4: more stones of a kind do not fit into one stock.
MOST_STONES = 9_999


class RefereeError(AssertionError):
    """A position of the engine that the rules do not allow; the message names the field."""


class Ended(Exception):
    """The game is over; nothing further is carried out (G40)."""


class Table:
    """A position, changed in place.

    Args:
        board: the component file.
        p: the position.

    Attributes:
        notes: rare things that have happened.
    """

    __slots__ = ("board", "notes", "p")

    def __init__(self, board: Board, p: Position) -> None:
        self.board, self.p = board, p
        self.notes: list[str] = []

    # -- seats

    @property
    def seat(self) -> int:
        """The seat asked."""
        seat: int = self.p["current_player"]
        return seat

    @property
    def me(self) -> dict[str, Any]:
        """The player asked."""
        player: dict[str, Any] = self.p["players"][self.p["current_player"]]
        return player

    def ask(self, phase: str, seat: int) -> None:
        """The next decision point."""
        self.p["phase"], self.p["current_player"] = phase, seat

    def ask_active(self, phase: str) -> None:
        """A decision point of the player whose turn it is."""
        self.ask(phase, self.p["active_player"])

    def left_neighbour(self, seat: int) -> int:
        """G1: clockwise."""
        seats: int = self.p["num_players"]
        return (seat + 1) % seats

    # -- stones and steps

    def receive(self, seat: int, stones: Amounts, steps: int = 0, times: int = 1) -> None:
        """G21: all stones, then all steps; a Roman who reaches Africa ends the game at that moment."""
        stock = self.p["players"][seat]["stones"]
        for stone, amount in zip(STONES, stones, strict=True):
            if amount:
                self.add(stock, stone, amount * times)
        self.walk(seat, steps * times)

    def add(self, stock: dict[str, int], stone: str, amount: int) -> None:
        """Stones into a stock, as far as they fit (G4)."""
        if stock[stone] + amount > MOST_STONES:
            self.notes.append("stones lost at the limit")
        stock[stone] = min(MOST_STONES, stock[stone] + amount)

    def walk(self, seat: int, steps: int) -> None:
        """Steps towards Africa (G21)."""
        if not steps:
            return
        player, escape = self.p["players"][seat], self.board.escape
        if player["steps"] + steps > escape:
            self.notes.append("steps lost beyond Africa")
        player["steps"] = min(escape, player["steps"] + steps)
        if player["steps"] == escape:
            self.end("africa")

    # -- base and building cards

    def count(self, seat: int, base: str) -> int:
        """Base cards of a type in a display, bare or covered."""
        player = self.p["players"][seat]
        count: int = player["bare"][base] + list(player["buildings"].values()).count(base)
        return count

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Cards in the component file's order."""
        return sorted(names, key=self.board.order.__getitem__)

    def cards_on(self, seat: int, base: str) -> list[Card]:
        """Building cards of a display on base cards of a type."""
        cards = self.board.cards
        return [cards[name] for name, under in self.p["players"][seat]["buildings"].items() if under == base]

    def burn(self, card: str) -> None:
        """A building card to the fire, for good (G6)."""
        self.p["fire"] = self.in_order([*self.p["fire"], card])

    # -- end

    def end(self, how: str) -> None:
        """G39, G40: the game is over at this moment."""
        p = self.p
        self.notes.append(f"end: {how}")
        if how == "africa":
            self.notes.append("Africa reached by buying" if p["phase"] == "goth" else "Africa reached in phase 3")
        p["phase"], p["current_player"], p["end"] = "over", None, how
        p["played"] = p["activation"] = p["purchase"] = p["payment"] = p["raid"] = None
        raise Ended
