"""Positions for the tests of the rules, built with `Table`, and readers of their parts."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Final, Self

from porta_nigra_env.games.gloria_mundi.components.load import SETS
from tests.games.component_files import Data, Key, changed, parsed
from tests.games.gloria_mundi.components.files import STANDARD
from tests.games.gloria_mundi.oracle.referee import BASES, STONES, Position
from tests.games.gloria_mundi.oracle.referees import Referees

COMPONENTS: Final[dict[str, Any]] = parsed(STANDARD)
#: Referees for all component sets of the tests.
REFEREES: Final = Referees()
REFEREES.add(COMPONENTS)


def other_set(name: str, changes: dict[Key, Any]) -> str:
    """Register the standard set with some values changed for both judges; return its name."""
    data: Data = changed(COMPONENTS, {**changes, ("name",): name})
    SETS.from_data(data, name)
    REFEREES.add(data)
    return name


def with_ability(name: str, **abilities: dict[str, Any]) -> str:
    """Register the standard set with other abilities on some cards; return its name."""
    places = {card["name"]: place for place, card in enumerate(COMPONENTS["building_cards"])}
    return other_set(name, {("building_cards", places[card], "ability"): abilities[card] for card in abilities})


class Table:
    """A position under construction; everything that no method sets follows from the turn.

    In the turns before, every player has played base cards of the type most frequent in hand.  Base cards that a
    display lacks have been lost.  Cards that are not placed are in the deck or the fire.

    Args:
        players: seats.
        active: the player whose turn it is.
        goth: the province of the Goth.
        turn: its number.
        components: the name of the component set.
    """

    def __init__(
        self, players: int = 2, active: int = 0, goth: int = 0, turn: int = 1, components: str = "standard"
    ) -> None:
        self._board = REFEREES[components].board
        self._bare: dict[int, tuple[int, int, int]] = {}
        self._hands: dict[int, tuple[int, int, int]] = {}
        self._deck: list[str] = []
        self._p = REFEREES[components].start(players, active, list(self._board.cards))
        self._p |= {"goth": goth, "turn": turn, "forum": dict.fromkeys(self._board.places), "deck": [], "fire": []}
        for player in self._p["players"]:
            player["stones"] = dict.fromkeys(STONES, 0)

    # -- contents

    def display(self, seat: int, farm: int = 0, city: int = 0, peace: int = 0, **buildings: str) -> Self:
        """Set the bare base cards, and the building cards with the base types below them."""
        self._bare[seat] = (farm, city, peace)
        self._p["players"][seat]["buildings"] = dict(buildings)
        return self

    def hand(self, seat: int, farm: int = 0, city: int = 0, peace: int = 0) -> Self:
        """Set the base cards in hand; without a call of `display` the others are bare."""
        self._hands[seat] = (farm, city, peace)
        return self

    def stock(self, seat: int, food: int = 0, gold: int = 0, peace: int = 0, glory: int = 0) -> Self:
        """Set the stones; players without a call have none."""
        self._p["players"][seat]["stones"] = {"food": food, "gold": gold, "peace": peace, "glory": glory}
        return self

    def at(self, seat: int, steps: int) -> Self:
        """Set the steps from Rome."""
        self._p["players"][seat]["steps"] = steps
        return self

    def forum(self, **places: str) -> Self:
        """Put cards on places: ``p3="vinea"`` is the place +3; the others are empty."""
        self._p["forum"] |= {place.removeprefix("p"): card for place, card in places.items()}
        return self

    def next(self, *cards: str) -> Self:
        """Set the next cards of the deck."""
        self._deck = list(cards)
        return self

    def tribute(self, *provinces: Sequence[str]) -> Self:
        """Set the stones on the provinces ahead of the Goth, from the next one on."""
        self._p["tribute"] = [{stone: list(stones).count(stone) for stone in STONES} for stones in provinces]
        return self

    # -- positions

    def play(self) -> Position:
        """Return the position in which the active player is about to play a base card."""
        return self._position()

    def asked(self, phase: str, played: str, **fields: Any) -> Position:
        """Return the position in a later phase of the turn.

        Args:
            phase: the phase.
            played: the base type that the active player has played.
            fields: `activation`, `purchase`, `payment`, `raid`, `current_player`.
        """
        self._p |= {"phase": phase, "played": played, **fields}
        return self._position()

    def over(self, end: str) -> Position:
        """Return the end of a game in the middle of a turn."""
        self._p |= {"phase": "over", "end": end, "current_player": None}
        return self._position()

    def _position(self) -> Position:
        p = copy.deepcopy(self._p)
        for turn in range(p["turn"], 0, -1):
            player = p["players"][(p["active_player"] - p["turn"] + turn) % p["num_players"]]
            if turn < p["turn"] or p["phase"] != "play":
                most = max(BASES, key=player["hand"].__getitem__)
                base = (p["played"] or most) if turn == p["turn"] else most
                player["hand"][base] -= 1
                player["bare"][base] += 1
        dealt = self._board.hands(p["num_players"])
        for seat, player in enumerate(p["players"]):
            covered = list(player["buildings"].values())
            owned = {base: dealt[base] - covered.count(base) for base in BASES}
            if seat in self._hands:
                player["hand"] = dict(zip(BASES, self._hands[seat], strict=True))
                player["bare"] = {base: owned[base] - player["hand"][base] for base in BASES}
            if seat in self._bare:
                player["bare"] = dict(zip(BASES, self._bare[seat], strict=True))
            player["hand"] = {base: min(player["hand"][base], owned[base] - player["bare"][base]) for base in BASES}
        self._place_rest(p)
        return p

    def _place_rest(self, p: Position) -> None:
        """Put the building cards that lie nowhere into the fire, as many as have been revealed, and the deck."""
        out = {card for card in p["forum"].values() if card}.union(*(player["buildings"] for player in p["players"]))
        rest = [card for card in self._board.cards if card not in out and card not in self._deck]
        burnt = max(0, p["turn"] + self._board.start_cards - len(out))
        p["fire"], p["deck"] = rest[:burnt], [*self._deck, *rest[burnt:]]


# ------------------------------------------------------------------------------------------------ reading


def asked(position: Position) -> tuple[str, int | None]:
    """Return the phase and the player asked."""
    return position["phase"], position["current_player"]


def stock(position: Position, seat: int) -> tuple[int, int, int, int]:
    """Return a player's food, gold, peace and glory."""
    stones = position["players"][seat]["stones"]
    return stones["food"], stones["gold"], stones["peace"], stones["glory"]


def bare(position: Position, seat: int) -> tuple[int, int, int]:
    """Return a player's bare farms, cities and peace cards."""
    shown = position["players"][seat]["bare"]
    return shown["farm"], shown["city"], shown["peace"]


def steps(position: Position) -> list[int]:
    """Return the steps from Rome by seat."""
    return [player["steps"] for player in position["players"]]


def buildings(position: Position, seat: int) -> dict[str, str]:
    """Return a player's building cards with the base types below them."""
    cards: dict[str, str] = position["players"][seat]["buildings"]
    return cards
