"""Lawful positions, concisely: a `Table` is laid out during a placement, and the last pass sets everything going.

Every method keeps the position lawful (cards come out of their piles, coins lie under followers on coin spaces) and
returns the table.  Nothing here knows the engine.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Self

from tests.games.aquileia.oracle.referee import Position, Referee, copied
from tests.games.aquileia.rules.judges import Judge

ROOT: Final = Path(__file__).parents[4]
STANDARD: Final = ROOT / "porta_nigra_env" / "games" / "aquileia" / "components" / "standard.toml"
COMPONENTS: Final[dict[str, Any]] = tomllib.loads(STANDARD.read_text(encoding="utf-8"))
REFEREE: Final = Referee(COMPONENTS)
KINDS: Final = ("bronze", "silver", "gold")
#: Seeds that `until` tries.
TRIES: Final = 6_000


class Table:
    """A position under construction, in the placement of some round; seats without coins or cards.

    Args:
        players: seats.
        round: of the game; the races before it had no racer.
        start: the starting player.
    """

    def __init__(self, players: int = 4, round: int = 1, start: int = 0) -> None:
        self.players = players
        decks = {name: list(cards.elements()) for name, cards in REFEREE.decks().items()}
        self.position = REFEREE.start(players, start, decks)
        self.position["round"] = round
        for seat in range(players):
            self.coins(seat)
        stadium = self.position["stadium"]
        for _ in range(round - 1):
            one, other = stadium["draw"].pop(), stadium["draw"].pop()
            stadium["past"].append({"open": one, "drawn": other, "first": None, "second": None, "first_kept": None})

    # -- the board

    def put(self, **holders: int) -> Self:
        """Followers on spaces, coins under those on coin spaces."""
        self.position["spaces"].update(holders)
        self.position["portus_coins"] = [kind for kind in KINDS if f"portus_{kind}" in self.position["spaces"]]
        return self

    def track(self, *seats: int) -> Self:
        """Crests on the advantage track, place 1 first."""
        self.position["advantage"] = list(seats)
        return self

    def build(self, seat: int, *names: str) -> Self:
        """Houses on sites."""
        self.position["buildings"].update(dict.fromkeys(names, seat))
        return self

    # -- coins and cards

    def coins(self, seat: int, bronze: int = 0, silver: int = 0, gold: int = 0) -> Self:
        """A stock of exactly these coins."""
        self.position["players"][seat]["coins"] = {"bronze": bronze, "silver": silver, "gold": gold}
        return self

    def slaves(self, seat: int, singles: int = 0, doubles: int = 0) -> Self:
        """Slave cards out of the pile into a hand."""
        for face, count in (("slave_1", singles), ("slave_2", doubles)):
            for _ in range(count):
                self.position["slaves"]["draw"].remove(face)
            self.position["players"][seat]["slaves"][face] += count
        return self

    def equi(self, seat: int, *faces: str, known: bool = False) -> Self:
        """Equi cards out of the pile into a hand; one that lies in the row alone is replaced there."""
        equi = self.position["equi"]
        for face in faces:
            if face not in equi["draw"]:
                place = equi["row"].index(face)
                equi["row"][place] = next(card for card in equi["draw"] if card not in faces)
                equi["draw"].remove(equi["row"][place])
            else:
                equi["draw"].remove(face)
            for field in ("equi", "equi_known")[: 1 + known]:
                self.position["players"][seat][field][face] += 1
        return self

    def row(self, *cards: str | None) -> Self:
        """Exactly this row; a gap needs empty piles."""
        equi = self.position["equi"]
        equi["draw"] += [card for card in equi["row"] if card is not None]
        for card in cards:
            if card is not None:
                equi["draw"].remove(card)
        equi["row"] = list(cards)
        return self

    def piles(self, deck: str, draw: list[str], discard: list[str], holder: int) -> Self:
        """Exactly these cards in pile and discard of `slaves` or `equi`; all others in a hand."""
        piles = self.position[deck]
        rest = Counter(piles["draw"]) + Counter(piles["discard"])
        for cards in (draw, discard):
            assert Counter(cards) <= rest, f"{cards} are not all in the pile"
            rest -= Counter(cards)
        piles["draw"], piles["discard"] = list(draw), dict.fromkeys(piles["discard"], 0) | dict(Counter(discard))
        for face, count in rest.items():
            self.position["players"][holder][deck][face] += count
        return self

    def _lay(self, holder: Any, key: Any, card: str) -> None:
        """A stadium card here; what lay here goes to where it came from."""
        stadium = self.position["stadium"]
        places = [(stadium, "open"), *((stadium["draw"], place) for place in range(len(stadium["draw"])))]
        places += [(entry, field) for entry in stadium["past"] for field in ("open", "drawn")]
        other, there = next((other, there) for other, there in places if other[there] == card)
        other[there], holder[key] = holder[key], card

    def stadium(self, shown: str, top: str) -> Self:
        """The open stadium card and the one on top of the pile."""
        self._lay(self.position["stadium"], "open", shown)
        self._lay(self.position["stadium"]["draw"], 0, top)
        return self

    def theatre(self, top: str, **won: int) -> Self:
        """The top theatre card, and who has won which."""
        cards = self.position["theatre"]
        cards["draw"] = [top, *(card for card in cards["draw"] if card != top and card not in won)]
        cards["won"] = dict(won)
        return self

    def past(self, **race: Any) -> Self:
        """The race of the round before: `open`, `drawn`, `first`, `second`, `first_kept`."""
        entry = self.position["stadium"]["past"][-1]
        for field in ("open", "drawn"):
            self._lay(entry, field, race.pop(field))
        entry.update(race)
        return self

    # -- ready

    def asked(self, seat: int) -> Position:
        """The position with this seat to place and nobody passed."""
        self.position["current_player"] = seat
        return copied(self.position)

    def ready(self, seat: int) -> Position:
        """The position with this seat to place and all others passed: her `pass` ends the placement."""
        position = self.asked(seat)
        whole = COMPONENTS["constants"]["followers_per_player"]
        for other in range(self.players):
            left = other not in position["advantage"] or list(position["spaces"].values()).count(other) < whole
            if other != seat and left:
                position["passed"].append(other)
        return position

    def run(self, judge: Judge, seat: int | None = None) -> Position:
        """What comes of the last pass, of the starting player's if no other seat is given."""
        return judge.play(self.ready(self.position["starting_player"] if seat is None else seat), "pass")


def until(judge: Judge, position: Position, action: str, wanted: Callable[[Position], bool]) -> Position:
    """The position after an action, from the first seed whose chance is the wanted one."""
    for seed in range(TRIES):
        after = judge.play(position, action, seed=seed)
        if wanted(after):
            return after
    raise AssertionError(f"none of {TRIES} seeds gives the wanted dice after {action!r}")


def faces(position: Position, roll: str, seat: int | None = None) -> Counter[str]:
    """What lies on the table of a roll."""
    rolls = position["dice"][roll]
    return Counter(rolls if seat is None else rolls[str(seat)])


def stock(position: Position, seat: int) -> tuple[int, int, int]:
    """A player's bronze, silver and gold."""
    coins = position["players"][seat]["coins"]
    return coins["bronze"], coins["silver"], coins["gold"]


def hand(position: Position, seat: int, deck: str = "slaves") -> dict[str, int]:
    """A player's cards of a deck, without zeros."""
    return {face: count for face, count in position["players"][seat][deck].items() if count}


def points(position: Position) -> list[int]:
    """Everybody's VP on the marker."""
    return [player["vp"] for player in position["players"]]


def asked(position: Position) -> tuple[str, int]:
    """Phase, and who is asked."""
    return position["phase"], position["current_player"]
