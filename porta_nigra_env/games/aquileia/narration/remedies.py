"""Reasons why an action is not legal: the changes of a position that would make it legal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from porta_nigra_env.core.narration.facts import Choice, Remedy
from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import MAX_SLAVES, PORTUS, STADIUM_GOLD, STADIUM_SILVER

#: More than anything costs.
PLENTY: Final = 99


def _coins(*kinds: str) -> Callable[[Choice], bool]:
    """Return a change that gives the player plenty of coins, for some kinds of actions."""

    def change(choice: Choice) -> bool:
        choice.record["coins"][choice.player, :] = PLENTY
        return choice.kind in kinds

    return change


def _free(choice: Choice) -> bool:
    if choice.kind != "place":
        return False
    for seat in range(len(choice.record["standing"])):
        choice.record["standing"][seat] = int(choice.record["standing"][seat]) & ~(1 << choice.index[0])
    return True


def _crest(choice: Choice) -> bool:
    choice.record["crest"][choice.player] = -1
    return choice.kind == "crest"


def _follower(choice: Choice) -> bool:
    choice.record["followers_left"][choice.player] = 1
    return choice.kind == "place"


def _received(choice: Choice) -> bool:
    choice.record["received"][:] = 0
    return choice.kind == "exchange"


def _order(choice: Choice) -> bool:
    choice.record["last"] = -1
    return choice.kind in ("exchange", "play")


def _held(choice: Choice) -> bool:
    if choice.kind != "play":
        return False
    face = choice.index[0]
    if face < MAX_SLAVES:
        choice.record["slaves"][choice.player, face] = 1
    else:
        choice.record["equi"][choice.player, face - MAX_SLAVES] = 1
    return True


def _cards_left(choice: Choice) -> bool:
    choice.record["num_slave_draw"] = len(choice.record["slave_cards"])
    return choice.kind == "buy"


def _dice(choice: Choice) -> bool:
    choice.record["blue_left"] = PLENTY
    return choice.kind == "dice"


def _house(choice: Choice) -> bool:
    choice.record["houses_left"][choice.player] = 1
    return choice.kind == "build"


def _site(choice: Choice) -> bool:
    if choice.kind != "build":
        return False
    for seat in range(len(choice.record["buildings"])):
        choice.record["buildings"][seat] = int(choice.record["buildings"][seat]) & ~(1 << choice.index[0])
    return True


def _slaves(choice: Choice) -> bool:
    choice.record["slaves"][choice.player, :] = PLENTY
    return choice.kind == "build"


def _bidder(choice: Choice) -> bool:
    choice.record["bid"][:] = 0
    return choice.kind == "bid"


def remedies(components: Components) -> tuple[Remedy, ...]:
    """Return the remedies of a component set."""
    constants = components.constants[0]
    areas = constants["space_area"]

    def other_side(choice: Choice) -> bool:
        """Leave the other side of the Stadium."""
        if choice.kind != "place" or areas[choice.index[0]] not in (STADIUM_GOLD, STADIUM_SILVER):
            return False
        other = STADIUM_SILVER if areas[choice.index[0]] == STADIUM_GOLD else STADIUM_GOLD
        choice.record["standing"][choice.player] &= ~int(constants["area_spaces"][other])
        return True

    def harbour(choice: Choice) -> bool:
        """Leave the other coin spaces."""
        if choice.kind != "place" or areas[choice.index[0]] != PORTUS:
            return False
        choice.record["standing"][choice.player] &= ~int(constants["area_spaces"][PORTUS])
        return True

    def before(choice: Choice) -> bool:
        """Fill the equal spaces that come first."""
        if choice.kind != "place":
            return False
        for space in range(choice.index[0]):
            if areas[space] == areas[choice.index[0]]:
                choice.record["standing"][(choice.player + 1) % int(choice.record["num_players"])] |= 1 << space
        return True

    return (
        Remedy("This space is taken.", _free),
        Remedy("Of equal spaces the first free one is taken.", before),
        Remedy("Nobody stands on both sides of the Stadium.", other_side),
        Remedy("Each player holds at most one coin space of the Portus.", harbour),
        Remedy("You do not have the coin that this space takes.", _coins("place")),
        Remedy("You have no follower left.", _follower),
        Remedy("Your crest lies on the track already.", _crest),
        Remedy("Coins received in this action are not given again.", _received),
        Remedy("This comes before the last one in the order that has to be kept.", _order),
        Remedy("You do not hold this card.", _held),
        Remedy("Fewer cards are left.", _cards_left),
        Remedy("Fewer blue dice are left.", _dice),
        Remedy("This site is taken.", _site),
        Remedy("You have no house left.", _house),
        Remedy("You do not have the slaves for it.", _slaves),
        Remedy("You do not have the coins for it.", _coins("exchange", "buy", "bid", "build", "activate")),
        Remedy("The bid is higher than your coins.", _bidder),
    )
