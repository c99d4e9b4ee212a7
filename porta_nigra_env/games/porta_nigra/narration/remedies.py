"""Reasons why an action is not legal: the changes of a position that would make it legal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from porta_nigra_env.core.arrays.piles import open_card
from porta_nigra_env.core.narration.facts import Choice, Remedy
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILD_ICON,
    FIXED_SPOTS,
    HIGHEST_HEIGHT,
    INFLUENCE_ICON,
    WHITE,
)

#: More than anything costs.
PLENTY: Final = 100


def _amount(field: str, kinds: tuple[str, ...] = ()) -> Callable[[Choice], bool]:
    """Return a change that gives the player plenty of something, for some kinds of actions."""

    def change(choice: Choice) -> bool:
        choice.record[field][choice.player] = PLENTY
        return not kinds or choice.kind in kinds

    return change


def _icon(choice: Choice) -> bool:
    icons = {"buy": choice.index[0], "take": INFLUENCE_ICON + choice.index[0]}
    icon = BUILD_ICON if choice.kind in ("build", "build_porta_nigra") else icons.get(choice.kind)
    if icon is None:
        return False
    choice.record["icons_left"][icon] = 1
    return True


def _stock(choice: Choice) -> bool:
    if choice.kind != "buy":
        return False
    choice.record["market"][choice.index[1]] = 1
    return True


def _spot(choice: Choice) -> int | None:
    if choice.kind in ("build", "influence_build"):
        return choice.index[0]
    if choice.kind in ("build_porta_nigra", "influence_build_porta_nigra"):
        return FIXED_SPOTS + choice.index[1]
    return None


def _free_spot(choice: Choice) -> bool:
    spot = _spot(choice)
    if spot is None:
        return False
    choice.record["occupied"] = int(choice.record["occupied"]) & ~(1 << spot)
    return True


def _bricks(choice: Choice) -> bool:
    choice.record["bricks"][choice.player, :] = HIGHEST_HEIGHT
    return _spot(choice) is not None


def _card(choice: Choice) -> bool:
    if choice.kind != "card":
        return False
    choice.record["hand"][choice.player] |= 1 << choice.index[0]
    return True


def _display(choice: Choice) -> bool:
    shown = int(choice.record["num_honour_display"])
    if choice.kind != "honour" or shown >= len(choice.record["honour_cards"]):
        return False
    open_card(choice.record["honour_cards"], shown, choice.index[0])
    choice.record["num_honour_display"] = shown + 1
    return True


def _first_honour(choice: Choice) -> bool:
    choice.record["honour_bought"] = 0
    return choice.kind == "honour"


def _cards_to_give(choice: Choice) -> bool:
    choice.record["buildings_owned"][choice.player, :] = 1
    choice.record["finals_owned"][choice.player, :] = 1
    return choice.kind == "honour"


def _grey(choice: Choice) -> bool:
    """Empty the shop of the icon: it then buys any colour."""
    if choice.kind != "buy" or choice.index[0] > WHITE:
        return False
    choice.record["market"][choice.index[0]] = 0
    return choice.index[0] != choice.index[1]


_INFLUENCE: Final = ("roman", "honour", "influence_build", "influence_build_porta_nigra")
_TORCH: Final = ("buy", "take", "coin", "build", "build_porta_nigra")

REMEDIES: Final = (
    Remedy("This card is not in your hand.", _card),
    Remedy("The card has no such icon left.", _icon),
    Remedy("You have no action marker and no torch token left.", _amount("torches", _TORCH)),
    Remedy("The shop of this colour is empty.", _stock),
    Remedy("This icon buys its own colour as long as that shop has bricks.", _grey),
    Remedy("You do not have enough sesterces.", _amount("sesterces")),
    Remedy("You do not have enough influence tokens.", _amount("influence", _INFLUENCE)),
    Remedy("You have no Roman in your play area.", _amount("romans")),
    Remedy("You have no Roman left in your reserve.", _amount("romans_reserve", ("roman",))),
    Remedy("This spot is taken.", _free_spot),
    Remedy("You do not have the bricks for it.", _bricks),
    Remedy("This honour card is not on display.", _display),
    Remedy("You have already bought an honour card in this turn.", _first_honour),
    Remedy("You do not own the cards that have to be given for it.", _cards_to_give),
)
