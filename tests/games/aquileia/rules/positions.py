"""Positions in short: a `Table` is set up like a real one, and `effect` returns all changes of an action.

A table begins in the first placement: no followers, empty hands, piles in the order of the component file. Seat 0
starts and is the only seat that has not passed: its ``pass`` begins the action phase. `asked` sets a question of a
later phase. Cards come out of the piles, so all decks stay complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from porta_nigra_env.games.aquileia.components.load import Components, load
from porta_nigra_env.games.aquileia.components.names import AUCTION, KINDS, PHASES
from porta_nigra_env.games.aquileia.game import State

Position = dict[str, Any]
#: A component set in which every number differs from the packaged one.
OTHER: Final = str(Path(__file__).parents[1] / "components" / "other.toml")

#: Integers that name something: `effect` shows their new values instead of differences.
_NAMES: Final = ("current_player", "starting_player", "round", "spaces", "buildings", "owner", "won", "bidder",
                 "auctioneer")  # fmt: skip


@cache
def data_of(components: Components) -> dict[str, Any]:
    """Return the data of a component set; do not change it."""
    return components.data


def coins(bronze: int = 0, silver: int = 0, gold: int = 0) -> dict[str, int]:
    """Return a table of coins."""
    return dict(zip(KINDS, (bronze, silver, gold), strict=True))


class Table:
    """A position under construction.

    Attributes:
        position: the dict of the format aquileia/1 as it stands.
        data: the component set's data.
        state_class: the implementation of the rules, see `conftest.implementation`.
    """

    state_class: ClassVar[type[State]] = State

    def __init__(self, components: Components | str = "standard", players: int = 3, starter: int = 0) -> None:
        self.components = load(components)
        self.data = data_of(self.components)
        self.players = players
        self.position: Position = State.new(players, 1, self.components).to_dict()
        self.position.update(starting_player=starter, current_player=starter, rng=None)
        if not self.components.packaged:
            self.position["components_digest"] = self.components.digest
        decks = self.data["slave_cards"], self.data["stadium_cards"]["colours"]
        slaves = [face for face in self.components.slave_faces for _ in range(decks[0][face[-1]])]
        equi = [face for face in self.components.equi_faces for _ in range(self._copies(face))]
        stadium = [face for face in self.components.stadium_faces for _ in range(decks[1].get(face, 1))]
        places = len(self.position["equi"]["row"])
        self.position["slaves"]["draw"] = slaves
        self.position["equi"].update(row=equi[:places], draw=equi[places:])
        self.position["stadium"].update(open=stadium[0], draw=stadium[1:])
        self.position["theatre"]["draw"] = list(self.components.theatre_cards)
        self.passed: set[int] | None = None

    def _copies(self, face: str) -> int:
        group, _, strength = face.rpartition("_")
        copies: int = self.data["equi_cards"][group][strength]
        return copies

    # -- the table

    def stand(self, **spaces: int) -> Self:
        """Put followers on spaces: space=seat; a coin lies under each on a coin space."""
        self.position["spaces"].update(spaces)
        kinds = [kind for kind in self.data["portus"]["spaces"] if f"portus_{kind}" in self.position["spaces"]]
        self.position["portus_coins"] = kinds
        return self

    def crests(self, *seats: int) -> Self:
        """Set the advantage track, from rank 1."""
        self.position["advantage"] = list(seats)
        return self

    def purse(self, seat: int, bronze: int = 0, silver: int = 0, gold: int = 0) -> Self:
        """Set the stock of a seat."""
        self.player(seat)["coins"] = coins(bronze, silver, gold)
        return self

    def poor(self) -> Self:
        """Empty all stocks."""
        for seat in range(self.players):
            self.purse(seat)
        return self

    def player(self, seat: int) -> dict[str, Any]:
        """Return the part of a seat."""
        part: dict[str, Any] = self.position["players"][seat]
        return part

    def slaves(self, seat: int, singles: int = 0, doubles: int = 0) -> Self:
        """Move slave cards from the pile into a hand."""
        for face, cards in (("slave_1", singles), ("slave_2", doubles)):
            for _ in range(cards):
                self.position["slaves"]["draw"].remove(face)
                self.player(seat)["slaves"][face] += 1
        return self

    def equi(self, seat: int, *faces: str, known: bool = False) -> Self:
        """Move equi cards from the pile, or else the row, into a hand."""
        for face in faces:
            draw, row = self.position["equi"]["draw"], self.position["equi"]["row"]
            if face in draw:
                draw.remove(face)
            else:
                row[row.index(face)] = draw.pop()
            self.player(seat)["equi"][face] += 1
            self.player(seat)["equi_known"][face] += known
        return self

    def row(self, *faces: str | None) -> Self:
        """Set the open equi cards from the pile; a gap's card goes to the end of the pile."""
        equi = self.position["equi"]
        equi["draw"] += [face for face in equi["row"] if face is not None]
        for face in faces:
            if face is not None:
                equi["draw"].remove(face)
        equi["row"] = list(faces)
        return self

    def pile(self, deck: str, cards: int, discarded: bool = True) -> Self:
        """Leave some cards in the pile of ``slaves`` or ``equi``; the others are discarded, or in the last hand."""
        part = self.position[deck]
        gone, part["draw"] = part["draw"][cards:], part["draw"][:cards]
        to = part["discard"] if discarded else self.player(self.players - 1)[deck]
        for face in gone:
            to[face] += 1
        return self

    def built(self, seat: int, *buildings: str) -> Self:
        """Put houses of a seat on buildings."""
        self.position["buildings"].update(dict.fromkeys(buildings, seat))
        return self

    def own_theatre(self, seat: int, *cards: str) -> Self:
        """Give won theatre cards to a seat."""
        for card in cards:
            self.position["theatre"]["draw"].remove(card)
            self.position["theatre"]["won"][card] = seat
        return self

    def past(self, opened: str, drawn: str, first: int | None, second: int | None, kept: str | None) -> Self:
        """Add a past round with the owners of its stadium cards."""
        stadium = self.position["stadium"]
        pool = [stadium["open"], *stadium["draw"]]
        for face in (opened, drawn):
            pool.remove(face)
        stadium.update(open=pool[0], draw=pool[1:])
        entry = {"open": opened, "drawn": drawn, "first": first, "second": second, "first_kept": kept}
        stadium["past"].append(entry)
        self.position["round"] += 1
        return self

    def stadium(self, opened: str, *draw: str) -> Self:
        """Set the open stadium card and the next ones of the pile."""
        part = self.position["stadium"]
        pool = [part["open"], *part["draw"]]
        for face in (opened, *draw):
            pool.remove(face)
        part.update(open=opened, draw=[*draw, *pool])
        return self

    def round(self, number: int) -> Self:
        """Set the round; the earlier ones had no race."""
        while self.position["round"] < number:
            stadium = self.position["stadium"]
            self.past(stadium["open"], stadium["draw"][0], None, None, None)
        return self

    # -- questions

    def asked(self, phase: str, seat: int, **keys: Any) -> Self:
        """Set the question of a phase; a race that must be over by then had no racer."""
        self.position.update(phase=phase, current_player=seat, passed=[], **keys)
        if PHASES.index(phase) >= AUCTION:
            stadium = self.position["stadium"]
            entry = {"open": stadium["open"], "drawn": stadium["draw"][0], "first": None, "second": None,
                     "first_kept": None}  # fmt: skip
            stadium.update(open=None, draw=stadium["draw"][1:], past=[*stadium["past"], entry])
        return self

    def contest(self, phase: str, seat: int, last: str | None = None, **strengths: int) -> Self:
        """Set a question of a fight or race: ``p0=3`` is the strength of seat 0 so far."""
        counted = {name[1:]: strength for name, strength in strengths.items()}
        rolled = {name: ["bronze"] * self.data["constants"]["contest_red_dice"] for name in counted}
        self.position["dice"][phase.partition("_")[0]] = rolled
        return self.asked(phase, seat, contest={"strength": counted, "last": last})

    def blue(self, owner: int, left: int | None = None) -> Self:
        """Set the owner of the blue dice and their number, by default all."""
        dice = self.data["constants"]["blue_dice"]
        self.position["blue_dice"] = {"owner": owner, "left": dice if left is None else left}
        return self

    def auction(self, seat: int, bid: dict[str, int], bidder: int | None, out: tuple[int, ...] = ()) -> Self:
        """Set a question of the auction of the first theatre card; the auctioneer stands on theatrum."""
        card = self.position["theatre"]["draw"].pop(0)
        auctioneer = self.position["spaces"]["theatrum"]
        sale = {"card": card, "auctioneer": auctioneer, "bid": bid, "bidder": bidder, "out": sorted(out)}
        return self.asked("auction", seat, auction=sale)

    def no_passes(self) -> Self:
        """Clear the passes of the placement."""
        self.passed = set()
        return self

    def has_pieces(self, seat: int) -> bool:
        """Return True if a seat has a follower or the crest left."""
        standing = list(self.position["spaces"].values()).count(seat)
        left: int = self.data["constants"]["followers_per_player"] - standing
        return left > 0 or seat not in self.position["advantage"]

    def state(self, seed: int = 0) -> State:
        """Return the position as a state of the implementation under test."""
        if self.position["phase"] == "place":
            others = set(range(self.players)) - {self.position["current_player"]}
            passed = others if self.passed is None else self.passed
            self.position["passed"] = sorted(filter(self.has_pieces, passed))
        return self.state_class.from_dict(self.position, seed)


def _leaves(position: Position) -> Iterator[tuple[str, Any]]:
    """Yield every value of a position with its path: `p0.coins.bronze`, `spaces.dolus`, `contest.strength.2`."""
    for key, value in position.items():
        if key == "players":
            for seat, player in enumerate(value):
                for path, leaf in _leaves(player):
                    yield f"p{seat}.{path}", leaf
        elif isinstance(value, dict):
            for path, leaf in _leaves(value):
                yield f"{key}.{path}", leaf
        elif key != "rng":
            yield key, value


def changes(old: Position, new: Position) -> dict[str, Any]:
    """Return all differences by path: the difference of amounts, else the new value (None for a removed one)."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    changed: dict[str, Any] = {}
    for path in {**before, **after}:
        was, now = before.get(path), after.get(path)
        if was != now:
            changed[path] = now
            if type(was) is int and type(now) is int and not any(name in path.split(".") for name in _NAMES):
                changed[path] = now - was
    return changed


def effect(before: State | Table, *actions: str) -> dict[str, Any]:
    """Return all changes by the actions, see `changes`.

    Nothing else changes: a comparison with the expected dict pins all effects and their absence.
    """
    state = before.state() if isinstance(before, Table) else before.clone()
    old = state.to_dict()
    for action in actions:
        state.apply(action)
    return changes(old, state.to_dict())


def gained(before: State | Table, *actions: str) -> dict[str, int]:
    """Return the changed amounts of the players: the part of `effect` below the seats."""
    return {path: change for path, change in effect(before, *actions).items() if path[0] == "p" and path[1].isdigit()}


def legal(before: State | Table, *beginnings: str) -> list[str]:
    """Return the legal actions that begin with one of these words, all without any."""
    state = before.state() if isinstance(before, Table) else before
    return [action for action in state.legal_actions() if not beginnings or action.startswith(beginnings)]


def after(before: State | Table, *actions: str) -> Position:
    """Return the position after these actions."""
    state = before.state() if isinstance(before, Table) else before.clone()
    for action in actions:
        state.apply(action)
    return state.to_dict()
