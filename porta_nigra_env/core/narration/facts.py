"""Facts: the quantities of a position that its texts name, declared as data by each game.

A fact is an array of integers read from a record, such as the coins of every seat or the cards on display.  It is read
from a *redacted* record, so it holds nothing that the observing seat may not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from porta_nigra_env.core.narration.language import Noun
from porta_nigra_env.core.narration.reading import COUNTS, MEMBERS, Source

#: A record of a state array: ``states[row]``.
Record = Any
#: The name of the axis of seats, and of facts whose values are seats.
SEAT: Final = "seat"


class Axis(NamedTuple):
    """The things along one dimension of a fact or of an action: their names in positions, and their texts.

    A text is a `Noun` where things are counted.  The context tells equal texts apart in catalogues, so the same thing
    can have one form for each place in a sentence.  Proper names are the same in every language.
    """

    ids: Sequence[str]
    texts: Sequence[str | Noun]
    context: str = ""
    proper: bool = False


def named(ids: Sequence[str], context: str = "") -> Axis:
    """Return an axis whose texts are its names with spaces.

    >>> named(["buy_any"]).texts
    ['buy any']
    """
    return Axis(ids, [name.replace("_", " ") for name in ids], context)


def numbered(numbers: Iterable[int]) -> Axis:
    """Return an axis of numbers, which no catalogue translates."""
    return named([str(number) for number in numbers])


class Verb(NamedTuple):
    """Texts of a change, as ends of a sentence: for the observer, and for any other seat or for none.

    Placeholders: ``{seat}``, ``{what}`` (the amount or the value), ``{after}`` (the new amount), and the names of the
    axes of the fact.
    """

    you: str
    seat: str


def plain(text: str) -> Verb:
    """Return a text without a subject."""
    return Verb(text, text)


GET: Final = Verb("you get {what}", "{seat} gets {what}")
PAY: Final = Verb("you pay {what}", "{seat} pays {what}")
LOSE: Final = Verb("you lose {what}", "{seat} loses {what}")
#: An effect with the new amount.
LEFT: Final = "{text} (now {after})"


@dataclass(frozen=True)
class Fact:
    """A quantity of a position.

    Attributes:
        kind: the kind of its events, unique in its game.
        source: the place of its values, integers of the sizes of `axes`.
        axes: names of its axes; `SEAT` is the axis of seats, and the first one.
        up, down: texts for a larger and for a smaller value; without `down`, `up` serves both.
        noun: counts the amount; without one, the text of the last axis does, or that of the value.
        values: the axis of the value itself, where the fact is an index: -1 is none.
        none: text for the value -1.
        seen_by: who sees its values before the end: "all"; "owner", the seat of the first axis, while the others see no
            changes; or "some", which only redacted positions tell.
        drawn: true if chance can change it, or the fields of `Narration.chance` that can: effects of an action name it
            only where none of them changes.
        aside: if true, effects of an action leave it out, since the action's own text implies it.
        left: if true, effects name the new amount.
    """

    kind: str
    source: Source
    axes: tuple[str, ...] = ()
    up: Verb = GET
    down: Verb | None = None
    noun: Noun | None = None
    values: str | None = None
    none: Verb | None = None
    seen_by: Literal["all", "owner", "some"] = "all"
    drawn: bool | tuple[str, ...] = False
    aside: bool = False
    left: bool = False


def entries(name: str) -> Source:
    """Return the source of a field of numbers."""
    return Source(name)


def members(name: str, size: int) -> Source:
    """Return the source of a field of bit sets: 1 for each member, along a last axis of this size."""
    return Source(name, MEMBERS, size)


def shown_counts(name: str, count: str, size: int, total: int = 0) -> Source:
    """Return the source of a list's first entries: the number of each kind.

    Args:
        count: the field with their number; with `total`, there are `total` less that.
        size: the number of kinds.
    """
    return Source(name, COUNTS, size, count, total)


#: The phase, and the seat to move, in games whose texts do not differ.
PHASE: Final = Fact("phase", entries("phase"), values="phase", aside=True, drawn=True, up=plain("next: {what}"))
MOVER: Final = Fact(
    "current_player",
    entries("current_player"),
    values=SEAT,
    aside=True,
    drawn=True,
    up=Verb("it is your turn", "it is the turn of {seat}"),
    none=plain("the game is over"),
)
#: The starting player of a round.
STARTING_PLAYER: Final = Fact(
    "starting_player",
    entries("starting_player"),
    values=SEAT,
    aside=True,
    up=Verb("you are the starting player", "{seat} is the starting player"),
)


class Phrase(NamedTuple):
    """The text of a kind of action.

    Attributes:
        text: with the names of `axes` as placeholders.
        axes: names of the axes of the action's field, first dimension first.
        phases: those in which the kind can be legal.
        otherwise: the reason why an action is not legal that no `Remedy` makes legal; "" for a general one.
    """

    text: str
    axes: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    otherwise: str = ""


#: Changes a position so that an action can become legal; it returns False where it does not apply to the action.
#: Arguments: the constants and the state (records), the player to move, the action's kind (`arrays.layout.ordinals`),
#: and its first two indices along the axes of the phrase, 0 where it has fewer.  It is written like a kernel function,
#: since other targets compile it.
Change = Callable[[Record, Record, int, int, int, int], bool]


class Remedy(NamedTuple):
    """A change of a position that can make an action legal; the reason why it is not legal without it.

    Attributes:
        reason: a sentence for the player to move.
        change: changes the record.
    """

    reason: str
    change: Change


class Explanation(NamedTuple):
    """Two sentences about a component.

    Attributes:
        text: with the names of `values` as placeholders.
        ruling: the number of the rule.
        values: numbers, or things as (axis, indices).
    """

    text: str
    ruling: str
    values: Mapping[str, int | tuple[str, Sequence[int]]] = {}


@dataclass(frozen=True)
class Narration:
    """The words of a game with one component set.

    Attributes:
        folder: of its catalogues.
        axes: by name; that of seats is left out.
        phrases: by the name of an action's field.
        phases: the texts of the phases, in their order.
        facts: everything that can change visibly.
        silent: the fields of the record without a fact of their own, with the reason.
        chance: fields that change if and only if a step draws something.
        veils: fields whose change can show or hide values that not all seats see.
        remedies: in the order in which they are tried.
        refresh: called with the constants and the state (records) after remedies; it updates derived fields.
        explanations: by the name of a component.
        sources: the texts of the sources of points, in the order of `Game.point_sources`.
    """

    folder: Path
    axes: Mapping[str, Axis]
    phrases: Mapping[str, Phrase]
    phases: Sequence[str]
    facts: Sequence[Fact]
    silent: Mapping[str, str]
    chance: Sequence[str]
    veils: Sequence[str] = ()
    remedies: Sequence[Remedy] = ()
    refresh: Callable[[Record, Record], None] | None = None
    explanations: Mapping[str, Explanation] = field(default_factory=dict)
    sources: Sequence[str] = ()

    def messages(self) -> Iterator[tuple[str, str | Noun]]:
        """Yield every text with its context: what a catalogue has to translate."""
        for axis in (axis for axis in self.axes.values() if not axis.proper):
            yield from ((axis.context, text) for text in axis.texts if isinstance(text, Noun) or not text.isdigit())
        yield from (("", text) for phrase in self.phrases.values() for text in (phrase.text, phrase.otherwise) if text)
        yield from (("phase", text) for text in self.phases)
        yield from (("points", text) for text in self.sources)
        yield from (("", remedy.reason) for remedy in self.remedies)
        yield from (("", explanation.text) for explanation in self.explanations.values())
        for fact in self.facts:
            yield from (("", text) for verb in (fact.up, fact.down, fact.none) if verb for text in verb)
            if fact.noun:
                yield fact.kind, fact.noun
