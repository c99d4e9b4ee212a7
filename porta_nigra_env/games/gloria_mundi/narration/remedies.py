"""Reasons why an action is not legal: the changes of a position that would make it legal."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.narration.facts import Choice, Remedy
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import NUM_BASIC, PLACE, RECLAIM

#: More than anything costs.
PLENTY: Final = 99


def _hand(choice: Choice) -> bool:
    if choice.kind == "play":
        choice.record["hand"][choice.player, choice.index[0]] = 1
    return choice.kind == "play"


def _stones(choice: Choice) -> bool:
    choice.record["stones"][choice.player, :] = PLENTY
    return choice.kind in ("use", "buy", "pay", "give")


def _bare(choice: Choice) -> bool:
    if choice.kind == "lose_bare":
        choice.record["bare"][choice.player, choice.index[0]] = 1
    else:
        choice.record["bare"][choice.player, :] = 1
    return choice.kind in ("buy", "on", "lose_bare")


def _owned(choice: Choice) -> bool:
    """Add the card to the display, on a base card of the played type or of any type."""
    if choice.kind not in ("use", "base", "discard", "lose", "wall"):
        return False
    base, bit = max(0, int(choice.record["played"])), 1 << choice.index[0]
    if choice.kind in ("lose", "wall"):
        base = int(choice.record["demanded"].argmax())
    choice.record["covered"][choice.player, base] |= bit
    return True


def _left(choice: Choice) -> bool:
    if choice.kind not in ("use", "base"):
        return False
    choice.record["left"] |= 1 << choice.index[0]
    return True


def _two_left(choice: Choice) -> bool:
    if choice.kind != "base":
        return False
    choice.record["left"] |= 0b11 | 1 << choice.index[0]
    return True


def _demanded(choice: Choice) -> bool:
    choice.record["demanded"][:] = 1
    return choice.kind in ("lose_bare", "lose", "wall")


def _tribute(choice: Choice) -> bool:
    if choice.kind != "take" or choice.record["phase"] != RECLAIM:
        return False
    choice.record["raid_stones"][choice.index[0]] = 1
    return True


def _order(choice: Choice) -> bool:
    """Ask for the stone of the action, as if nothing had been paid with the ones before."""
    if choice.kind != "pay":
        return False
    for kind in range(NUM_BASIC):
        choice.record["paid"][kind] = 0 if kind < choice.index[0] else -1
    return True


def remedies(components: Components) -> tuple[Remedy, ...]:
    """Return the remedies of a component set, which needs cards of all kinds."""
    constants = components.constants[0]
    stand_in = int(constants["lies_on"].argmax())  # a card that lies on most base types

    def full(choice: Choice) -> bool:
        if choice.kind != "buy":
            return False
        if int(choice.record["forum"][choice.index[0]]) < 0:
            choice.record["forum"][choice.index[0]] = stand_in
        return True

    def fitting(choice: Choice) -> bool:
        if choice.kind != "on" or choice.record["phase"] != PLACE:
            return False
        choice.record["forum"][choice.record["place"]] = stand_in
        return True

    def naming(choice: Choice) -> bool:
        """Use another card, which names the stone."""
        if choice.kind not in ("give", "take") or choice.record["phase"] == RECLAIM:
            return False
        kinds = constants["pay_kinds" if choice.kind == "give" else "gain_kinds"]
        cards = [card for card, named in enumerate(kinds.tolist()) if named >> choice.index[0] & 1]
        if not cards:
            return False
        choice.record["card"] = cards[0]
        return True

    def other(choice: Choice) -> bool:
        """Carry out another card."""
        if choice.kind != "discard" or int(choice.record["card"]) != choice.index[0]:
            return False
        choice.record["card"] = -1
        return True

    return (
        Remedy("You have no such base card in your hand.", _hand),
        Remedy("This card cannot be given up for itself.", other),
        Remedy("This card is not in your display.", _owned),
        Remedy("This card has no activation left in this turn.", _left),
        Remedy("This can be chosen only while at least two cards are left.", _two_left),
        Remedy("The card does not name this stone.", naming),
        Remedy("You do not have the stones for it.", _stones),
        Remedy("This place of the forum is empty.", full),
        Remedy("The card may not lie on this base card.", fitting),
        Remedy("You have no bare base card for it.", _bare),
        Remedy("The Goth does not demand this type.", _demanded),
        Remedy("None of these stones is left of the tribute.", _tribute),
        Remedy("The amounts are chosen in the order food, gold, peace.", _order),
    )
