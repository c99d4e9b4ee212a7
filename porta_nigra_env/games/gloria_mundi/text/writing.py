"""Write a state record as a position dict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.position import Record, members, plain_record, rng_text
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BASIC, ENDS, PHASES, STONES
from porta_nigra_env.games.gloria_mundi.state import TRIBUTE_BITS

FORMAT: Final = "gloria_mundi/1"
#: Phases in which the objects of a position are not null.
ACTIVATION_PHASES: Final = ("exclusive", "activate", "repeat", "give", "discard", "take")
PURCHASE_PHASES: Final = ("place", "pay")
PAYMENT_PHASES: Final = ("pay", "pay_tribute")
RAID_PHASES: Final = ("lose", "reclaim")

States = npt.NDArray[np.void]
Position = dict[str, Any]


def _named(number: int, names: Sequence[Any]) -> Any:
    """Return the name of an index; None for -1."""
    return None if number < 0 else names[number]


def _counts(names: Sequence[str], amounts: Sequence[Any]) -> Position:
    return dict(zip(names, amounts, strict=True))


def _tribute(components: Components, state: Record) -> list[Position]:
    """Return the tribute ahead of the Goth; glory makes up the difference to the symbols."""
    provinces = []
    first = state["goth"] + 1
    for space in range(first, first + state["num_tribute"]):
        packed = state["tribute"][space]
        basic = [packed >> TRIBUTE_BITS * kind & (1 << TRIBUTE_BITS) - 1 for kind in range(len(BASIC))]
        glory = int(components.constants["symbols"][0, space].sum()) - sum(basic)
        provinces.append(_counts(STONES, [*basic, glory]))
    return provinces


def _players(components: Components, state: Record) -> Iterator[Position]:
    """Yield the players by seats."""
    columns = ("steps", "stones", "hand", "bare", "covered")
    rows = zip(*(state[name] for name in columns), strict=True)
    for _, (steps, stones, hand, bare, bits) in zip(range(state["num_players"]), rows, strict=False):
        covered = {card: base for base, cards in zip(BASES, bits, strict=True) for card in members(cards)}
        yield {
            "steps": steps,
            "stones": _counts(STONES, stones),
            "hand": _counts(BASES, hand),
            "bare": _counts(BASES, bare),
            "buildings": {components.cards[card]: covered[card] for card in sorted(covered)},
        }


def _pending(components: Components, state: Record, phase: str) -> Position:
    """Return the objects of the pending decision."""
    cards = components.cards
    activation = {
        "left": [cards[card] for card in members(state["left"])],
        "card": _named(state["card"], cards),
        "give_left": state["give_left"],
        "take_left": state["take_left"],
    }
    place, base = _named(state["place"], components.extras), _named(state["base"], BASES)
    payment = _counts(BASIC, [None if amount < 0 else amount for amount in state["paid"]])
    raid = {"demanded": _counts(BASES, state["demanded"]), "stones": _counts(STONES, state["raid_stones"])}
    return {
        "activation": activation if phase in ACTIVATION_PHASES else None,
        "purchase": {"place": place, "base": base} if phase in PURCHASE_PHASES else None,
        "payment": payment if phase in PAYMENT_PHASES else None,
        "raid": raid if phase in RAID_PHASES else None,
    }


def to_dict(components: Components, states: States, row: int = 0, view: int | None = None) -> Position:
    """Return the position of ``states[row]`` as a dict of the format gloria_mundi/1.

    With `view`, the deck is ``{"count": k}`` and the random state null; all else is public (G43, G44).
    """
    state, cards = plain_record(states[row]), components.cards
    players, phase = state["num_players"], PHASES[state["phase"]]
    forum, left = state["forum"], state["num_deck"]
    deck = [cards[card] for card in state["deck"][len(cards) - left :]]
    current = state["current_player"]
    position: Position = {
        "format": FORMAT,
        "components": components.name,
        "num_players": players,
        "phase": phase,
        "current_player": None if current < 0 else current,
        "active_player": state["active_player"],
        "turn": state["turn"],
        "deck": deck if view is None else {"count": left},
        "forum": {str(extra): _named(card, cards) for extra, card in zip(components.extras, forum, strict=True)},
        "fire": [cards[card] for card in members(state["fire"])],
        "goth": state["goth"],
        "tribute": _tribute(components, state),
        "players": list(_players(components, state)),
        "played": _named(state["played"], BASES),
        **_pending(components, state, phase),
        "end": _named(state["end"], ENDS),
        "rng": rng_text(state["key"], state["counters"]) if view is None else None,
    }
    if not components.packaged:
        position["components_digest"] = components.digest
    return position
