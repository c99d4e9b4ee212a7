"""Reasons why an action is not legal: the changes of a position that would make it legal."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.core.narration.facts import Change, Remedy
from porta_nigra_env.games.aquileia.actions import KIND
from porta_nigra_env.games.aquileia.components.names import (
    MAX_SLAVE_CARDS,
    MAX_SLAVES,
    PORTUS,
    STADIUM_GOLD,
    STADIUM_SILVER,
)

#: More than anything costs.
PLENTY: Final = 99


def _coins(*kinds: int) -> Change:
    """Return a change that gives the player plenty of coins, for some kinds of actions."""

    def change(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
        state["coins"][player, :] = PLENTY
        return kind in kinds

    return change


def _free(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind != KIND.place:
        return False
    for seat in range(int(state["num_players"])):
        state["standing"][seat] = int(state["standing"][seat]) & ~(1 << first)
    return True


def _first_of_equal(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    """Fill the equal spaces that come first."""
    if kind != KIND.place:
        return False
    other = (player + 1) % int(state["num_players"])
    for space in range(first):
        if constants["space_area"][space] == constants["space_area"][first]:
            state["standing"][other] = int(state["standing"][other]) | 1 << space
    return True


def _leave(constants: Constants, state: State, player: int, area: int) -> None:
    state["standing"][player] = int(state["standing"][player]) & ~int(constants["area_spaces"][area])


def _other_side(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    """Leave the other side of the Stadium."""
    area = int(constants["space_area"][first]) if kind == KIND.place else -1
    if area not in (STADIUM_GOLD, STADIUM_SILVER):
        return False
    _leave(constants, state, player, STADIUM_SILVER if area == STADIUM_GOLD else STADIUM_GOLD)
    return True


def _harbour(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    """Leave the other coin spaces."""
    if kind != KIND.place or int(constants["space_area"][first]) != PORTUS:
        return False
    _leave(constants, state, player, PORTUS)
    return True


def _crest(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["crest"][player] = -1
    return bool(kind == KIND.crest)


def _follower(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["followers_left"][player] = 1
    return bool(kind == KIND.place)


def _received(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["received"][:] = 0
    return bool(kind == KIND.exchange)


def _order(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["last"] = -1
    return kind in (KIND.exchange, KIND.play)


def _held(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind != KIND.play:
        return False
    if first < MAX_SLAVES:
        state["slaves"][player, first] = 1
    else:
        state["equi"][player, first - MAX_SLAVES] = 1
    return True


def _cards_left(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["num_slave_draw"] = MAX_SLAVE_CARDS
    return bool(kind == KIND.buy)


def _dice(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["blue_left"] = PLENTY
    return bool(kind == KIND.dice)


def _house(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["houses_left"][player] = 1
    return bool(kind == KIND.build)


def _site(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind != KIND.build:
        return False
    for seat in range(int(state["num_players"])):
        state["buildings"][seat] = int(state["buildings"][seat]) & ~(1 << first)
    return True


def _slaves(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["slaves"][player, :] = PLENTY
    return bool(kind == KIND.build)


def _bidder(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["bid"][:] = 0
    return bool(kind == KIND.bid)


_PAID: Final = (KIND.exchange, KIND.buy, KIND.bid, KIND.build, KIND.activate)

REMEDIES: Final = (
    Remedy("This space is taken.", _free),
    Remedy("Of equal spaces the first free one is taken.", _first_of_equal),
    Remedy("Nobody stands on both sides of the Stadium.", _other_side),
    Remedy("Each player holds at most one coin space of the Portus.", _harbour),
    Remedy("You do not have the coin that this space takes.", _coins(KIND.place)),
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
    Remedy("You do not have the coins for it.", _coins(*_PAID)),
    Remedy("The bid is higher than your coins.", _bidder),
)
