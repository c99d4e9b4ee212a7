"""A reader of the English sentences: what they claim about two positions, and whether it is true.

It knows sentences and positions (`State.to_dict`) only, and nothing of the tables that the sentences are made from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

#: A position of `State.to_dict`.
Position = Any
#: A number of a position about a seat; None where the position does not tell it.
Number = Callable[[Position, int], int | None]


class Claim(NamedTuple):
    """A number that a sentence tells: of the position after a step, or the difference to the one before it.

    within: what a step may not change, since more than the action would have changed the number.
    """

    number: Number
    seat: int
    value: int
    differs: bool = False
    within: Callable[[Position], object] = lambda position: None

    def difference(self, before: Position, after: Position) -> int | None:
        """Return the number after the step less the one before it; None if the positions do not tell."""
        new, old = self.number(after, self.seat), self.number(before, self.seat)
        return None if new is None or old is None else new - old

    def holds(self, before: Position, after: Position) -> bool | None:
        """Return True if the positions agree with the claim; None if they do not tell."""
        if self.seat >= len(before["players"]):
            return False
        if self.within(before) != self.within(after):
            return None
        found = self.difference(before, after) if self.differs else self.number(after, self.seat)
        return None if found is None else found == self.value


class Clause(NamedTuple):
    """A kind of clause: its pattern, and the claims of a match from the speaker's seat; group "who" names a seat."""

    pattern: str
    claims: Callable[[re.Match[str], int], Iterable[Claim]]


@dataclass(frozen=True)
class Grammar:
    """The sentences of a game.

    Attributes:
        things: countable things by pattern, which may have groups, as numbers of a seat.
        clauses: clauses without things that change.
        actions: phrases of actions that have numbers.
        untold: names of numbers in sentences that positions do not always tell, as parts of their clauses.
        follows: pattern of the paths of a player's numbers that follow from others, and that no event tells.
    """

    things: Mapping[str, Callable[[re.Match[str]], Number]]
    clauses: tuple[Clause, ...]
    actions: tuple[Clause, ...]
    untold: tuple[str, ...] = ()
    follows: str = ""


#: Words whose things become fewer, and more.
FEWER: Final = ("pay", "use", "lose", "give", "play")
SUBJECT: Final = r"(?P<who>you|player \d+) (?P<verb>get|pay|use|lose|give|play)s? (?P<list>\d.*)"
DIGITS: Final = re.compile(r"\d+")


def seat_of(who: str, reader: int) -> int:
    """Return the seat that a text names: "player 3", or the reader's."""
    found = re.search(r"player (\d+)", who)
    return int(found[1]) if found else reader


@dataclass
class Tally:
    """Counts of the understood and the wrong texts.

    Attributes:
        clauses, numbers: read, and the numbers in them.
        silent: clauses without a number that match nothing, by text.
        untold: numbers that the positions do not tell.
        unknown, wrong: texts that it does not understand, and false ones.
    """

    clauses: int = 0
    numbers: int = 0
    untold: int = 0
    silent: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Reader:
    """Reads sentences addressed to seats, and compares them with positions."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar: Final = grammar
        self.tally: Final = Tally()

    def sentence(self, text: str, seat: int, before: Position, after: Position) -> None:
        """Read the sentence of an action of `seat`."""
        phrase, _, effects = text.removesuffix("Chance decides the rest.").strip().removesuffix(".").partition(": ")
        self._check(phrase, self._matches(self.grammar.actions, phrase, seat), before, after)
        for clause in filter(None, effects.split("; ")):
            self.clause(clause, seat, before, after)

    def clause(self, text: str, seat: int, before: Position, after: Position) -> list[Claim]:
        """Read a clause addressed to a seat; return its claims."""
        claims = self._matches(self.grammar.clauses, text, seat)
        if claims is None:
            claims = self._stocks(text, seat)
        self._check(text, claims, before, after)
        return claims or []

    @staticmethod
    def _matches(clauses: Iterable[Clause], text: str, seat: int) -> list[Claim] | None:
        for clause in clauses:
            found = re.fullmatch(clause.pattern, text)
            if found:
                who = seat_of(found["who"], seat) if "who" in found.re.groupindex else seat
                return list(clause.claims(found, who))
        return None

    def _stocks(self, text: str, seat: int) -> list[Claim] | None:
        found = re.fullmatch(SUBJECT, text)
        if not found:
            return None
        who, sign = seat_of(found["who"], seat), -1 if found["verb"] in FEWER else 1
        return self.listed(found["list"], who, sign)

    def listed(self, text: str, seat: int, sign: int) -> list[Claim] | None:
        """Return the claims of a list: ``2 black bricks, 1 sesterce (now 3) and 1 Roman``."""
        claims = []
        for item in re.split(r", | and (?=\d)", text):
            found = re.fullmatch(r"(\d+) (.+?)(?: \(now (-?\d+)\))?", item)
            number = self._thing(found[2]) if found else None
            if found is None or number is None:
                return None
            claims.append(Claim(number, seat, sign * int(found[1]), differs=True))
            if found[3]:
                claims.append(Claim(number, seat, int(found[3])))
        return claims

    def _thing(self, text: str) -> Number | None:
        for pattern, number in self.grammar.things.items():
            found = re.fullmatch(pattern, text)
            if found:
                return number(found)
        return None

    def _check(self, text: str, claims: list[Claim] | None, before: Position, after: Position) -> None:
        tally, numbers = self.tally, len(DIGITS.findall(text))
        tally.clauses += 1
        tally.numbers += numbers
        if claims is None:
            if numbers:
                tally.unknown.append(text)
            else:
                tally.silent.add(text)
        for claim in claims or ():
            holds = claim.holds(before, after)
            if holds is None:
                if any(part in text for part in self.grammar.untold):
                    tally.untold += 1
                else:
                    tally.unknown.append(text)
            elif not holds:
                tally.wrong.append(text)


# -- words


def inside(part: str, claims: Callable[[re.Match[str], int], Iterable[Claim]]) -> Any:
    """Return claims that hold only while a part of the position stays."""
    return lambda found, seat: [claim._replace(within=lambda p: p[part]) for claim in claims(found, seat)]


def value(number: Number, group: str = "n") -> Callable[[re.Match[str], int], Iterator[Claim]]:
    """Return the claim that a number has the value of a group."""
    return lambda found, seat: iter([Claim(number, seat, int(found[group]))])


def change(number: Number, sign: int = 1) -> Callable[[re.Match[str], int], Iterator[Claim]]:
    """Return the claim that a number changes by that of the group "n"."""
    return lambda found, seat: iter([Claim(number, seat, sign * int(found["n"]), differs=True)])


def fact(test: Callable[[Position, int, re.Match[str]], bool]) -> Callable[[re.Match[str], int], Iterator[Claim]]:
    """Return the claim that something is true after the step; it is false where the position lacks its parts."""

    def claims(found: re.Match[str], seat: int) -> Iterator[Claim]:
        def number(position: Position, player: int) -> int:
            try:
                return int(test(position, player, found))
            except (IndexError, KeyError, TypeError, ValueError):
                return 0

        yield Claim(number, seat, 1)

    return claims


def became(test: Callable[[Position, int, re.Match[str]], int], sign: int = 1) -> Any:
    """Return the claim that a count grows, or with -1 falls, by the group "n", by 1 without one."""

    def claims(found: re.Match[str], seat: int) -> Iterator[Claim]:
        by = int(found["n"]) if "n" in found.re.groupindex else 1
        yield Claim(lambda p, s: test(p, s, found), seat, sign * by, differs=True)

    return claims


def name(text: str) -> str:
    """Return the name in positions of a shown name."""
    return text.lower().replace(" ", "_")


def count(cards: Any) -> int:
    """Return the number of cards of a position: of a list, of a table by name, or of hidden ones."""
    if isinstance(cards, Mapping):
        return int(cards["count"]) if "count" in cards else sum(cards.values())
    return len(cards)


def of_player(*path: str) -> Number:
    """Return the number at a path below a player."""

    def number(position: Position, seat: int) -> int | None:
        found = position["players"][seat]
        for part in path:
            found = found[part]
        return int(found)

    return number


def at(*path: str) -> Number:
    """Return the number at a path of a position; 0 where an object on the way is null."""

    def number(position: Position, seat: int) -> int | None:
        found = position
        for part in path:
            if found is None:
                return 0
            found = found[part]
        return None if found is None else int(found)

    return number


YOU_ARE: Final = "(?P<who>you are|player \\d+ is)"
YOU: Final = "(?P<who>you|player \\d+)"
COMMON: Final = (
    Clause(r"round (?P<n>\d+) begins", value(at("round"))),
    Clause(rf"{YOU_ARE} the starting player", fact(lambda p, s, _: p["starting_player"] == s)),
)
TURN: Final = Clause(r"it is (?P<who>your turn|the turn of player \d+)", fact(lambda p, s, _: p["current_player"] == s))
