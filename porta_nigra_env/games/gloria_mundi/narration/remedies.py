"""Reasons why an action is not legal: the changes of a position that would make it legal."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.core.narration.facts import Remedy
from porta_nigra_env.games.gloria_mundi.actions import KIND
from porta_nigra_env.games.gloria_mundi.components.names import BASES, NUM_BASIC, NUM_CARDS, PLACE, RECLAIM
from porta_nigra_env.games.gloria_mundi.rules.dispatch import pending_options

#: More than anything costs.
PLENTY: Final = 99
NUM_BASES: Final = len(BASES)


def _hand(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind == KIND.play:
        state["hand"][player, first] = 1
    return bool(kind == KIND.play)


def _stones(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["stones"][player, :] = PLENTY
    return kind in (KIND.use, KIND.buy, KIND.pay, KIND.give)


def _bare(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind == KIND.lose_bare:
        state["bare"][player, first] = 1
    else:
        state["bare"][player, :] = 1
    return kind in (KIND.buy, KIND.on, KIND.lose_bare)


def _owned(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    """Add the card to the display, on a base card of the played type or of any type."""
    base = max(0, int(state["played"]))
    if kind in (KIND.lose, KIND.wall):
        base = 0
        for other in range(NUM_BASES):
            if state["demanded"][other] > state["demanded"][base]:
                base = other
    elif kind not in (KIND.use, KIND.base, KIND.discard):
        return False
    state["covered"][player, base] = int(state["covered"][player, base]) | 1 << first
    return True


def _left(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind not in (KIND.use, KIND.base):
        return False
    state["left"] = int(state["left"]) | 1 << first
    return True


def _two_left(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind != KIND.base:
        return False
    state["left"] = int(state["left"]) | 0b11 | 1 << first
    return True


def _demanded(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["demanded"][:] = 1
    return kind in (KIND.lose_bare, KIND.lose, KIND.wall)


def _tribute(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind != KIND.take or int(state["phase"]) != RECLAIM:
        return False
    state["raid_stones"][first] = 1
    return True


def _order(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    """Ask for the stone of the action, as if nothing had been paid with the ones before."""
    if kind != KIND.pay:
        return False
    for stone in range(NUM_BASIC):
        state["paid"][stone] = 0 if stone < first else -1
    return True


def _stand_in(constants: Constants) -> int:
    """Return the first card that lies on most base types."""
    best = 0
    for card in range(NUM_CARDS):
        if constants["lies_on"][card] > constants["lies_on"][best]:
            best = card
    return best


def _full(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind != KIND.buy:
        return False
    if int(state["forum"][first]) < 0:
        state["forum"][first] = _stand_in(constants)
    return True


def _fitting(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind != KIND.on or int(state["phase"]) != PLACE:
        return False
    state["forum"][int(state["place"])] = _stand_in(constants)
    return True


def _naming(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    """Use another card, which names the stone."""
    if kind not in (KIND.give, KIND.take) or int(state["phase"]) == RECLAIM:
        return False
    for card in range(NUM_CARDS):
        kinds = int(constants["pay_kinds"][card]) if kind == KIND.give else int(constants["gain_kinds"][card])
        if kinds >> first & 1:
            state["card"] = card
            return True
    return False


def _other(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    """Carry out another card."""
    if kind != KIND.discard or int(state["card"]) != first:
        return False
    state["card"] = -1
    return True


def refresh(constants: Constants, state: State) -> None:
    """Update the options of the pending decision."""
    state["options"] = pending_options(constants, state)


REMEDIES: Final = (
    Remedy("You have no such base card in your hand.", _hand),
    Remedy("This card cannot be given up for itself.", _other),
    Remedy("This card is not in your display.", _owned),
    Remedy("This card has no activation left in this turn.", _left),
    Remedy("This can be chosen only while at least two cards are left.", _two_left),
    Remedy("The card does not name this stone.", _naming),
    Remedy("You do not have the stones for it.", _stones),
    Remedy("This place of the forum is empty.", _full),
    Remedy("The card may not lie on this base card.", _fitting),
    Remedy("You have no bare base card for it.", _bare),
    Remedy("The Goth does not demand this type.", _demanded),
    Remedy("None of these stones is left of the tribute.", _tribute),
    Remedy("The amounts are chosen in the order food, gold, peace.", _order),
)
