"""Lawful positions, concisely: a `Table` is told what matters, and finds a turn in which all of it is possible."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import product
from typing import Any, Final, Self

from porta_nigra_env.games.gloria_mundi.components.load import SETS
from tests.games.component_files import Data, Key, changed, parsed
from tests.games.gloria_mundi.components.files import STANDARD
from tests.games.gloria_mundi.oracle.laws import FORUM_FILLED, complaints, entered
from tests.games.gloria_mundi.oracle.referee import BASES, STONES, Position
from tests.games.gloria_mundi.oracle.referees import Referees

COMPONENTS: Final[dict[str, Any]] = parsed(STANDARD)
NO_RAID: Final = {"demanded": dict.fromkeys(BASES, 0)}
#: Referees for all component sets that are used in a test.
REFEREES: Final = Referees()
REFEREES.add(COMPONENTS)


def other_set(name: str, changes: dict[Key, Any]) -> str:
    """The standard set with some values changed, told to both judges; returns its name."""
    data: Data = changed(COMPONENTS, {**changes, ("name",): name})
    SETS.from_data(data, name)
    REFEREES.add(data)
    return name


def with_ability(name: str, **abilities: dict[str, Any]) -> str:
    """The standard set with other abilities on some cards."""
    places = {card["name"]: place for place, card in enumerate(COMPONENTS["building_cards"])}
    return other_set(name, {("building_cards", places[card], "ability"): abilities[card] for card in abilities})


class Table:
    """A position under construction: a whole round has passed as often as is needed, and this player is on turn.

    Base cards that are not told of are those of the setup and of the turns so far; those that are missing have been
    lost.  Cards that are not told of lie in the deck, or were pushed into the fire.

    Args:
        players: seats.
        active: whose turn it is.
        goth: the province where the Goth stands.
        first: who was the first on turn; the active player, if nobody else.
        rounds: so many have passed at least.
        components: the name of the component set.
    """

    def __init__(
        self,
        players: int = 2,
        active: int = 0,
        goth: int = 0,
        first: int | None = None,
        rounds: int = 0,
        components: str = "standard",
    ) -> None:
        self._referee = REFEREES[components]
        self._board = self._referee.board
        self._active, self._first, self._rounds = active, active if first is None else first, rounds
        self._bare: dict[int, tuple[int, int, int]] = {}
        self._deck: list[str] = []
        self._hands: dict[int, tuple[int, int, int]] = {}
        self._p = self._referee.start(players, active, list(self._board.cards))
        self._p |= {"goth": goth, "forum": dict.fromkeys(self._board.places), "deck": [], "fire": []}
        for player in self._p["players"]:
            player["stones"] = dict.fromkeys(STONES, 0)

    # -- what matters

    def display(self, seat: int, farm: int = 0, city: int = 0, peace: int = 0, **buildings: str) -> Self:
        """Exactly these bare base cards, and building cards with the base types they lie on."""
        self._bare[seat] = (farm, city, peace)
        self._p["players"][seat]["buildings"] = dict(buildings)
        return self

    def hand(self, seat: int, farm: int = 0, city: int = 0, peace: int = 0) -> Self:
        """Exactly these base cards not yet played."""
        self._hands[seat] = (farm, city, peace)
        return self

    def stock(self, seat: int, food: int = 0, gold: int = 0, peace: int = 0, glory: int = 0) -> Self:
        """Exactly these stones; none where nothing is told."""
        self._p["players"][seat]["stones"] = {"food": food, "gold": gold, "peace": peace, "glory": glory}
        return self

    def at(self, seat: int, steps: int) -> Self:
        """So many steps from Rome."""
        self._p["players"][seat]["steps"] = steps
        return self

    def forum(self, **places: str) -> Self:
        """Cards on places: ``p3="vinea"`` is the place +3; the others are empty but for the first one in turn."""
        self._p["forum"] |= {place.removeprefix("p"): card for place, card in places.items()}
        return self

    def fire(self, *cards: str) -> Self:
        """Cards that lie in the fire, beside those that have to."""
        self._p["fire"] = list(cards)
        return self

    def next(self, *cards: str) -> Self:
        """The next cards of the deck."""
        self._deck = list(cards)
        return self

    def tribute(self, *provinces: Sequence[str]) -> Self:
        """The stones on the provinces ahead of the Goth, from the next one on."""
        self._p["tribute"] = [{stone: list(stones).count(stone) for stone in STONES} for stones in provinces]
        return self

    # -- ready

    def play(self) -> Position:
        """The position in which the active player is about to play a base card."""
        return self._ready(0)

    def asked(self, phase: str, played: str, **fields: Any) -> Position:
        """The position in a later phase of her turn; she is asked, unless `current_player` is given.

        Args:
            phase: the phase.
            played: the base type that she has played.
            fields: `activation`, `purchase`, `payment`, `raid`, `current_player`.
        """
        self._p |= {"phase": phase, "played": played, **fields}
        return self._ready(1)

    def over(self, end: str) -> Position:
        """The end of the game; after a base card has been played but where none could be."""
        self._p |= {"phase": "over", "end": end, "current_player": None}
        return self._ready(0 if end in ("hand", "deck") else 1)

    def _ready(self, extra: int) -> Position:
        """The first round in which all of this is possible.

        Args:
            extra: base cards that the active player has played in this turn.
        """
        wrong = ["more cards are laid out than there can be"]
        for rounds in range(self._rounds, len(self._board.cards)):
            p = copy.deepcopy(self._p)
            p["turn"] = 1 + rounds * p["num_players"] + self._place(self._active)
            if self._base_cards(p, rounds, extra) and self._building_cards(p):
                wrong = complaints(self._referee, p)
                if not wrong:
                    return p
        raise AssertionError(wrong)

    def _place(self, seat: int) -> int:
        """How many players are on turn before this one in a round."""
        return int((seat - self._first) % self._p["num_players"])

    def _base_cards(self, p: Position, rounds: int, extra: int) -> bool:
        """Hands and displays, if so many base cards can have been played, and the others lost."""
        dealt, shown = self._board.hands(p["num_players"]), self._board.components["constants"]["start_display"]
        # What the Goth has demanded so far, and nobody has lost.
        room = [entered(self._referee, p, base) - (p["raid"] or NO_RAID)["demanded"][base] for base in BASES]
        for seat, player in enumerate(p["players"]):
            turns = rounds + (extra if seat == self._active else self._place(seat) < self._place(self._active))
            covered = [list(player["buildings"].values()).count(base) for base in BASES]
            least = [int(seat == self._active and base == p["played"]) for base in BASES]
            ways = []
            for played in product(*(range(least[i], dealt[base] - shown[base] + 1) for i, base in enumerate(BASES))):
                bare = [shown[base] + played[i] - covered[i] for i, base in enumerate(BASES)]
                hand = tuple(dealt[base] - shown[base] - played[i] for i, base in enumerate(BASES))
                lost = [bare[i] - self._bare.get(seat, bare)[i] for i in range(3)]
                if (
                    sum(played) == turns
                    and hand == self._hands.get(seat, hand)
                    and min(bare) >= 0
                    and all(0 <= lost[i] <= room[i] for i in range(3))
                ):
                    ways.append((max(lost), -min(2, sum(map(bool, hand))), max(played), played, lost))
            if not ways:
                return False
            *_, played, lost = min(ways)
            room = [room[i] - lost[i] for i in range(3)]
            for i, base in enumerate(BASES):
                player["hand"][base] = dealt[base] - shown[base] - played[i]
                player["bare"][base] = shown[base] + played[i] - covered[i] - lost[i]
        return True

    def _building_cards(self, p: Position) -> bool:
        """Forum, fire and deck, if so many cards can have been revealed."""
        revealed = p["turn"] + self._board.start_cards - (p["end"] == "deck")
        out = [*p["fire"], *(card for card in p["forum"].values() if card)]
        out += [card for player in p["players"] for card in player["buildings"]]
        rest = [card for card in self._board.cards if card not in out and card not in self._deck]
        first = self._board.places[0]
        if p["forum"][first] is None and p["phase"] in FORUM_FILLED:
            # The dearest card is the one that disturbs least.
            p["forum"][first] = max(rest, key=lambda card: sum(self._board.cards[card].price))
            rest.remove(p["forum"][first])
            out.append(p["forum"][first])
        burnt = revealed - len(out)
        if not 0 <= burnt <= len(rest):
            return False
        p["fire"] = sorted([*p["fire"], *rest[:burnt]], key=self._board.order.__getitem__)
        p["deck"] = [*self._deck, *rest[burnt:]]
        return True


# ------------------------------------------------------------------------------------------------ reading


def asked(position: Position) -> tuple[str, int | None]:
    """Phase, and who is asked."""
    return position["phase"], position["current_player"]


def stock(position: Position, seat: int) -> tuple[int, int, int, int]:
    """A player's food, gold, peace and glory."""
    stones = position["players"][seat]["stones"]
    return stones["food"], stones["gold"], stones["peace"], stones["glory"]


def bare(position: Position, seat: int) -> tuple[int, int, int]:
    """A player's bare farms, cities and peace cards."""
    shown = position["players"][seat]["bare"]
    return shown["farm"], shown["city"], shown["peace"]


def steps(position: Position) -> list[int]:
    """How far everybody is from Rome."""
    return [player["steps"] for player in position["players"]]


def buildings(position: Position, seat: int) -> dict[str, str]:
    """A player's building cards, with the base types they lie on."""
    found: dict[str, str] = position["players"][seat]["buildings"]
    return found
