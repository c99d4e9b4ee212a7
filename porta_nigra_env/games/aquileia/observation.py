"""Layouts of observations and of the privileged vector; the component file sets the lengths."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, ordinals, units
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.sizes import LARGEST, Sizes
from porta_nigra_env.games.aquileia.state import LARGEST_AMOUNT

_P, _K = names.MAX_PLAYERS, len(names.KINDS)
_AMOUNT = float(LARGEST_AMOUNT)
_ROUNDS, _STADIUM = float(names.MAX_ROUNDS), float(names.MAX_STADIUM_CARDS)
_SLAVES, _EQUI = float(names.MAX_SLAVE_CARDS), float(names.MAX_EQUI_CARDS)
#: Possible racers besides the observer: one of the others, or two of them.
RIVALS: Final = (_P - 1) * _P // 2


def _observation_parts(sizes: Sizes) -> list[FieldSpec]:
    equi, stadium, theatre = sizes.equi_faces, sizes.stadium_faces, sizes.theatre_cards
    return [
        FieldSpec("num_players", (len(names.SEATS),), "one-hot: 3, 4, 5 players"),
        FieldSpec("phase", (len(names.PHASES),), "one-hot: the pending question"),
        FieldSpec("current_player", (_P,), "one-hot: player to act, none when over"),
        FieldSpec("starting_player", (_P,), "one-hot: starting player of the round"),
        FieldSpec("round", (1,), "number of the round, from 1", 6.0, _ROUNDS / 6),
        FieldSpec("rounds_left", (1,), "rounds after this one", 6.0, _ROUNDS / 6),
        FieldSpec("space_holder", (sizes.spaces, _P), "followers: space, player"),
        FieldSpec("followers_left", (_P,), "followers not on a space", 5.0, names.MAX_FOLLOWERS / 5),
        FieldSpec("crest", (_P, _P), "crests: player, rank on the advantage track"),
        FieldSpec("passed", (_P,), "players who have passed in this placement"),
        FieldSpec("coins", (_P, _K), "stock: player, kind", 8.0, _AMOUNT / 8),
        FieldSpec("vp", (_P,), "victory points on the marker", 100.0, _AMOUNT / 100),
        FieldSpec("houses_left", (_P,), "houses not yet built", 9.0, names.MAX_BUILDINGS / 9),
        FieldSpec("num_slaves", (_P,), "slave cards in hand", 8.0, _SLAVES / 8),
        FieldSpec("num_equi", (_P,), "equi cards in hand", 8.0, _EQUI / 8),
        FieldSpec("equi_known", (_P, equi), "publicly known equi cards: player, type", 2.0, _EQUI / 2),
        FieldSpec("slaves", (names.MAX_SLAVES,), "the observer's slave cards, singles and doubles", 8.0, _SLAVES / 8),
        FieldSpec("equi", (equi,), "the observer's equi cards, by type", 2.0, _EQUI / 2),
        FieldSpec("slave_discard", (names.MAX_SLAVES,), "discarded slave cards, singles and doubles", 8.0, _SLAVES / 8),
        FieldSpec("equi_discard", (equi,), "discarded equi cards, by type", 2.0, _EQUI / 2),
        FieldSpec("slave_draw", (1,), "slave cards in the draw pile", 24.0, _SLAVES / 24),
        FieldSpec("equi_draw", (1,), "equi cards in the draw pile", 16.0, _EQUI / 16),
        FieldSpec("equi_row", (sizes.equi_spaces, equi), "one-hot: open card of each Equi space, none for a gap"),
        FieldSpec("stadium_open", (stadium,), "one-hot: the open stadium card"),
        FieldSpec("stadium_next", (stadium,), "one-hot: the drawn stadium card, for the first while choosing"),
        FieldSpec("stadium_owned", (_P, stadium), "known stadium cards: player, type", 2.0, _STADIUM / 2),
        FieldSpec("stadium_either", (RIVALS, stadium), "open cards of one of a pair, or of one or none: pair, type",
                  2.0, _STADIUM / 2),
        FieldSpec("stadium_unseen", (_P,), "unknown stadium cards that a player has for sure", 4.0, _ROUNDS / 4),
        FieldSpec("stadium_gone", (stadium,), "stadium cards known to have left the game, by type", 2.0, _STADIUM / 2),
        FieldSpec("theatre_owner", (theatre, _P), "theatre cards: card, owner"),
        FieldSpec("on_sale", (theatre,), "one-hot: theatre card on sale"),
        FieldSpec("building_owner", (sizes.buildings, _P), "houses: building, owner"),
        FieldSpec("blue_owner", (_P,), "one-hot: owner of the blue dice"),
        FieldSpec("blue_left", (1,), "unused blue dice", 4.0, names.MAX_DICE / 4),
        FieldSpec("portus_coins", (_K,), "coins under followers, by kind"),
        FieldSpec("strength", (_P,), "strength counted so far in the fight or race", 8.0, _AMOUNT / 8),
        FieldSpec("last_played", (names.MAX_SLAVES + equi,), "one-hot: last card of the player to act, slaves first"),
        FieldSpec("last_exchange", (sizes.exchanges,), "one-hot: last exchange"),
        FieldSpec("bid", (_K,), "standing bid, by kind", 8.0, _AMOUNT / 8),
        FieldSpec("bidder", (_P,), "one-hot: player of the standing bid"),
        FieldSpec("out", (_P,), "players who are out of the auction"),
        FieldSpec("received", (_K,), "coins received at Pecunia in this action, by kind", 8.0, _AMOUNT / 8),
        FieldSpec("builds_left", (1,), "buildings that the acting follower may still put up", 2.0, 5.0),
    ]  # fmt: skip


def _hidden_parts(sizes: Sizes) -> list[FieldSpec]:
    equi, stadium = sizes.equi_faces, sizes.stadium_faces
    return [
        FieldSpec("hand_slaves", (_P, names.MAX_SLAVES), "slave cards in hand: seat, singles and doubles", 8.0,
                  _SLAVES / 8),
        FieldSpec("hand_equi", (_P, equi), "equi cards in hand: seat, type", 2.0, _EQUI / 2),
        FieldSpec("hand_stadium", (_P, stadium), "stadium cards: seat, type", 2.0, _STADIUM / 2),
        FieldSpec("slave_order", (names.MAX_SLAVE_CARDS,), "draw pile: slaves / 2 of each card, next first; else 0"),
        FieldSpec("equi_order", (names.MAX_EQUI_CARDS,), "draw pile: (type + 1) / 8 of each card, next first; else 0"),
        FieldSpec("stadium_order", (names.MAX_STADIUM_CARDS,), "draw pile: (type + 1) / 16 of each card, next first"),
        FieldSpec("theatre_order", (names.MAX_THEATRE_CARDS,), "draw pile: (card + 1) / 12 of each card, next first"),
    ]  # fmt: skip


@lru_cache(maxsize=64)
def observation_layout(sizes: Sizes) -> Layout:
    """Return the layout of a player's view: players in turn order from the observer, absent seats are zeros."""
    return Layout(_observation_parts(sizes))


@lru_cache(maxsize=64)
def privileged_layout(sizes: Sizes) -> Layout:
    """Return the layout of the privileged vector: the observation of seat 0, then all hidden information."""
    return Layout(_observation_parts(sizes) + _hidden_parts(sizes))


def starts(sizes: Sizes) -> npt.NDArray[np.int32]:
    """Return the offset of every field of the privileged vector, int32 (NUM_PARTS,): the constant `at`."""
    return np.array([field.start for field in privileged_layout(sizes)], dtype=np.int32)


_ALL: Final = privileged_layout(LARGEST)
NUM_PARTS: Final = len(_ALL)
#: The scale of every field: one unit of its quantity.
UNIT: Final = units(_ALL, LARGEST_AMOUNT)
#: The index of every field in the constant `at`, by name.
PART: Final = ordinals(_ALL)
