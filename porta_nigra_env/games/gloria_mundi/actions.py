"""Actions: ids, action strings, documentation, and the spot on the drawn table that stands for each.

An action is one micro-decision.  The ids are the same for every component file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, Literal, NamedTuple

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, offsets, ordinals
from porta_nigra_env.core.positions.components import Components
from porta_nigra_env.games.gloria_mundi.components.names import (
    BASES,
    BASIC,
    MAX_DUE,
    NUM_BASIC,
    NUM_CARDS,
    NUM_PLACES,
    PHASES,
    STONES,
)

#: Amounts of a stone that a payment may have, from 0.
NUM_AMOUNTS: Final = MAX_DUE + 1


class Kind(NamedTuple):
    """A kind of action, a field of the layout.

    Attributes:
        name: of the field, and the first word of the action strings unless `word` is given.
        options: names of the options; "cards" and "extras" are those of the component set; empty for a single action.
        doc: one phrase for the generated documentation.
        target: first word of the name of the drawn spot that chooses the action; the option's last word follows.
        phases: those in which bit i of the state's field `options` stands for option i.
        word: first word of the action strings.
        shape: of the field where it is not ``(number of options,)``.
    """

    name: str
    options: tuple[str, ...] | Literal["cards", "extras"]
    doc: str
    target: str
    phases: tuple[str, ...] = ()
    word: str = ""
    shape: tuple[int, ...] = ()

    def spec(self) -> FieldSpec:
        size = {"cards": NUM_CARDS, "extras": NUM_PLACES, (): 1}.get(self.options, len(self.options))
        return FieldSpec(self.name, self.shape or (size,), self.doc)


_AMOUNTS: Final = tuple(f"{stone} {amount}" for stone in BASIC for amount in range(NUM_AMOUNTS))

KINDS: Final = (
    Kind("play", BASES, "play this base card from the hand", "hand", ("play",)),
    Kind("use", "cards", "use a building card, in the order of the component file", "card", ("exclusive", "activate")),
    Kind("base", "cards", "let the base card below a building card produce instead", "card"),
    Kind("done", (), "use no exclusive card; let all cards left produce; do not repeat; buy nothing", "done"),
    Kind("again", (), "give and receive once more", "again"),
    Kind("give", STONES, "give one stone of a choice", "stone", ("give",)),
    Kind("discard", "cards", "give up this building card", "card", ("discard",)),
    Kind("take", STONES, "take one stone of a choice, or of the tribute", "stone", ("take", "reclaim")),
    Kind("buy", "extras", "buy the card on this place of the forum, in sliding order", "forum", ("buy",)),
    Kind("on", BASES, "lay the card on this base type", "bare", ("place",)),
    Kind("pay", _AMOUNTS, "fix the amount of a basic stone in the payment: stone, amount", "amount",
         ("pay", "pay_tribute"), shape=(NUM_BASIC, NUM_AMOUNTS)),
    Kind("tribute", (), "pay the tribute of the next empty space", "tribute"),
    Kind("goth", (), "let the Goth move", "goth"),
    Kind("lose_bare", BASES, "lose a bare base card", "bare", ("lose",), word="lose"),
    Kind("lose", "cards", "lose a building card and the base card below it", "card"),
    Kind("wall", "cards", "lose a wall instead of the base card below it", "card"),
)  # fmt: skip

#: The decision of each phase in words; a player is the subject.
DECISIONS: Final = {
    "play": "plays a base card",
    "exclusive": "may use an exclusive card",
    "activate": "uses building cards",
    "repeat": "may do it again",
    "give": "gives a stone",
    "discard": "gives up a building card",
    "take": "takes a stone",
    "buy": "may buy a card",
    "place": "lays the card down",
    "pay": "pays for the card",
    "goth": "pays tribute or not",
    "pay_tribute": "pays the tribute",
    "lose": "loses a base card",
    "reclaim": "takes of the tribute",
    "over": "game over:",
}

ACTIONS: Final = Layout([kind.spec() for kind in KINDS])
#: The first id of every field, by name.
ID: Final = offsets(ACTIONS)
#: The number of every field, by name.
KIND: Final = ordinals(ACTIONS)
NUM_ACTIONS: Final = ACTIONS.size
#: 64-bit words of a legality bit set.
NUM_WORDS: Final = -(-NUM_ACTIONS // 64)
#: The action id of bit 0 of the options, by phase; 0 in phases without options.
FIRST: Final = tuple(next((ACTIONS[kind.name].start for kind in KINDS if phase in kind.phases), 0) for phase in PHASES)


def _options(components: Components) -> Iterator[tuple[Kind, str]]:
    """Yield the kind and the option of every action id; the option may be ""."""
    for kind in KINDS:
        options = getattr(components, kind.options) if isinstance(kind.options, str) else kind.options
        for option in options or ("",):
            yield kind, str(option)


@cache
def action_texts(components: Components) -> tuple[str, ...]:
    """Return the action string of every id; all differ."""
    return tuple(f"{kind.word or kind.name} {option}".rstrip() for kind, option in _options(components))


def action_targets(components: Components) -> tuple[str, ...]:
    """Return the name of the drawn spot that chooses the action, for every id."""
    return tuple(f"{kind.target} {option.split(' ')[-1]}".rstrip() for kind, option in _options(components))


assert tuple(DECISIONS) == PHASES
