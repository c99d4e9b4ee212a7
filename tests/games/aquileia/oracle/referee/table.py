"""A position in play: common operations of several areas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.games.aquileia.oracle.referee.board import Board, Space
from tests.games.aquileia.oracle.referee.chance import Chance, Position


class Table:
    """A position, changed in place, and its source of chance.

    Args:
        board: the component file.
        p: the position.
        chance: throws and shuffles; None where nothing is played.
    """

    __slots__ = ("_chance", "board", "p")

    def __init__(self, board: Board, p: Position, chance: Chance | None = None) -> None:
        self.board, self.p, self._chance = board, p, chance

    @property
    def chance(self) -> Chance:
        """Return the source of chance; a ValueError without one."""
        if self._chance is None:
            raise ValueError("chance decides here: an outcome is needed")
        return self._chance

    # -- seats

    @property
    def seat(self) -> int:
        """The seat asked."""
        seat: int = self.p["current_player"]
        return seat

    @property
    def me(self) -> dict[str, Any]:
        """The player asked."""
        player: dict[str, Any] = self.p["players"][self.seat]
        return player

    def coins(self, seat: int) -> dict[str, int]:
        """A player's stock."""
        stock: dict[str, int] = self.p["players"][seat]["coins"]
        return stock

    def clockwise(self, seat: int) -> list[int]:
        """All seats, this one first."""
        seats = self.p["num_players"]
        return [(seat + step) % seats for step in range(seats)]

    def turn_order(self) -> list[int]:
        """All seats, the round's starting player first."""
        return self.clockwise(self.p["starting_player"])

    def ask(self, phase: str, seat: int) -> bool:
        """Wait for this seat's decision; True, so that the game is not played on."""
        self.p["phase"], self.p["current_player"] = phase, seat
        return True

    # -- spaces

    def acting_space(self) -> Space | None:
        """The first occupied space in acting order."""
        spaces = self.p["spaces"]
        if not spaces:
            return None
        return next(space for name, space in self.board.spaces.items() if name in spaces)

    def go_home(self, area: str) -> bool:
        """The followers of a contest go home, or that of the acting space; False, so that the game is played on."""
        spaces = self.p["spaces"]
        if area in ("arena", "stadium"):
            for name in [name for name in spaces if self.board.spaces[name].area == area]:
                del spaces[name]
        else:
            acting = self.acting_space()
            assert acting is not None
            assert acting.area == area, f"{acting.name} acts in {area}"
            del spaces[acting.name]
        return False

    # -- coins

    def can_pay(self, seat: int, price: dict[str, int]) -> bool:
        """Return True if the stock holds this, kind by kind."""
        stock = self.coins(seat)
        return all(stock[kind] >= amount for kind, amount in price.items())

    def pay(self, seat: int, price: dict[str, int]) -> None:
        """Coins out of the stock."""
        stock = self.coins(seat)
        for kind, amount in price.items():
            assert stock[kind] >= amount, f"seat {seat} cannot pay {price}"
            stock[kind] -= amount

    def receive(self, seat: int, coins: dict[str, int]) -> None:
        """Coins into the stock.  A52: the bank never runs out of them."""
        stock = self.coins(seat)
        for kind, amount in coins.items():
            stock[kind] += amount

    # -- cards

    def draw_slave(self, seat: int) -> None:
        """Draw the top slave card, unseen by others, if there is one (A51)."""
        piles = self.p["slaves"]
        if not piles["draw"]:
            piles["draw"] = self.chance.slave_pile(piles["discard"]) if any(piles["discard"].values()) else []
            piles["discard"] = dict.fromkeys(piles["discard"], 0)
        if piles["draw"]:
            self.p["players"][seat]["slaves"][piles["draw"].pop(0)] += 1

    def draw_equi(self, to_hand: bool) -> str | None:
        """Draw the top equi card for a buyer or for the row; None without cards (A51)."""
        piles = self.p["equi"]
        if not piles["draw"]:
            gaps = [place for place, card in enumerate(piles["row"]) if card is None]
            cards = piles["discard"]
            piles["draw"] = self.chance.equi_pile(cards, gaps, to_hand) if any(cards.values()) else []
            piles["discard"] = dict.fromkeys(cards, 0)
        if not piles["draw"]:
            return None
        card: str = piles["draw"].pop(0)
        return card

    def discard_slaves(self, seat: int, cards: Iterable[str]) -> None:
        """Slave cards played or paid go to their discard (A29, A45)."""
        hand, discard = self.p["players"][seat]["slaves"], self.p["slaves"]["discard"]
        for card in cards:
            hand[card] -= 1
            discard[card] += 1

    def discard_equi(self, seat: int, card: str) -> None:
        """An equi card played goes to its discard; of equal cards the known one first (A6)."""
        player = self.p["players"][seat]
        player["equi"][card] -= 1
        player["equi_known"][card] = max(0, player["equi_known"][card] - 1)
        self.p["equi"]["discard"][card] += 1
