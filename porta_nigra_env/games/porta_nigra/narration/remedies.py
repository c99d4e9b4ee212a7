"""Reasons why an action is not legal: the changes of a position that would make it legal."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.arrays.piles import open_card
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.core.narration.facts import Change, Remedy
from porta_nigra_env.games.porta_nigra.actions import KIND
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILD_ICON,
    FIXED_SPOTS,
    HIGHEST_HEIGHT,
    INFLUENCE_ICON,
    NUM_HONOUR_CARDS,
    WHITE,
)

#: More than anything costs.
PLENTY: Final = 100


def _amount(field: str, *kinds: int) -> Change:
    """Return a change that gives the player plenty of something, for some kinds of actions, or all."""
    every = not kinds

    def change(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
        state[field][player] = PLENTY
        return every or kind in kinds

    return change


def _icon(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind == KIND.buy:
        icon = first
    elif kind == KIND.take:
        icon = INFLUENCE_ICON + first
    elif kind in (KIND.build, KIND.build_porta_nigra):
        icon = BUILD_ICON
    else:
        return False
    state["icons_left"][icon] = 1
    return True


def _stock(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind != KIND.buy:
        return False
    state["market"][second] = 1
    return True


def _spot(kind: int, first: int, second: int) -> int:
    """Return the spot of an action that builds, otherwise -1."""
    if kind in (KIND.build, KIND.influence_build):
        return first
    if kind in (KIND.build_porta_nigra, KIND.influence_build_porta_nigra):
        return FIXED_SPOTS + second
    return -1


def _free_spot(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    spot = _spot(kind, first, second)
    if spot < 0:
        return False
    state["occupied"] = int(state["occupied"]) & ~(1 << spot)
    return True


def _bricks(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["bricks"][player, :] = HIGHEST_HEIGHT
    return _spot(kind, first, second) >= 0


def _card(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    if kind != KIND.card:
        return False
    state["hand"][player] = int(state["hand"][player]) | 1 << first
    return True


def _display(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    shown = int(state["num_honour_display"])
    if kind != KIND.honour or shown >= NUM_HONOUR_CARDS:
        return False
    open_card(state["honour_cards"], shown, first)
    state["num_honour_display"] = shown + 1
    return True


def _first_honour(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["honour_bought"] = 0
    return bool(kind == KIND.honour)


def _cards_to_give(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    state["buildings_owned"][player, :] = 1
    state["finals_owned"][player, :] = 1
    return bool(kind == KIND.honour)


def _grey(constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    """Empty the shop of the icon: it then buys any colour."""
    if kind != KIND.buy or first > WHITE:
        return False
    state["market"][first] = 0
    return first != second


_INFLUENCE: Final = (KIND.roman, KIND.honour, KIND.influence_build, KIND.influence_build_porta_nigra)
_TORCH: Final = (KIND.buy, KIND.take, KIND.coin, KIND.build, KIND.build_porta_nigra)

REMEDIES: Final = (
    Remedy("This card is not in your hand.", _card),
    Remedy("The card has no such icon left.", _icon),
    Remedy("You have no action marker and no torch token left.", _amount("torches", *_TORCH)),
    Remedy("The shop of this colour is empty.", _stock),
    Remedy("This icon buys its own colour as long as that shop has bricks.", _grey),
    Remedy("You do not have enough sesterces.", _amount("sesterces")),
    Remedy("You do not have enough influence tokens.", _amount("influence", *_INFLUENCE)),
    Remedy("You have no Roman in your play area.", _amount("romans")),
    Remedy("You have no Roman left in your reserve.", _amount("romans_reserve", KIND.roman)),
    Remedy("This spot is taken.", _free_spot),
    Remedy("You do not have the bricks for it.", _bricks),
    Remedy("This honour card is not on display.", _display),
    Remedy("You have already bought an honour card in this turn.", _first_honour),
    Remedy("You do not own the cards that have to be given for it.", _cards_to_give),
)
