"""What an observation and the privileged vector consist of, in spans whose lengths follow from the component file."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, units
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.sizes import LARGEST, Sizes
from porta_nigra_env.games.aquileia.state import LARGEST_AMOUNT

_P, _K = names.MAX_PLAYERS, len(names.KINDS)
_AMOUNT = float(LARGEST_AMOUNT)
_ROUNDS, _STADIUM = float(names.MAX_ROUNDS), float(names.MAX_STADIUM_CARDS)
_SLAVES, _EQUI = float(names.MAX_SLAVE_CARDS), float(names.MAX_EQUI_CARDS)
#: Who may have taken part in a race that the observer did not: one of the others, or two of them.
RIVALS: Final = (_P - 1) * _P // 2


def _observation_parts(sizes: Sizes) -> list[FieldSpec]:
    equi, stadium, theatre = sizes.equi_faces, sizes.stadium_faces, sizes.theatre_cards
    return [
        FieldSpec("num_players", (len(names.SEATS),), "one-hot: 3, 4, 5 players"),
        FieldSpec("phase", (len(names.PHASES),), "one-hot: pending decision"),
        FieldSpec("current_player", (_P,), "one-hot: who is asked, none when over"),
        FieldSpec("starting_player", (_P,), "one-hot: starting player of the round"),
        FieldSpec("round", (1,), "number of the round, from 1", 6.0, _ROUNDS / 6),
        FieldSpec("rounds_left", (1,), "rounds after this one", 6.0, _ROUNDS / 6),
        FieldSpec("space_holder", (sizes.spaces, _P), "followers: space, player"),
        FieldSpec("followers_left", (_P,), "followers that stand nowhere", 5.0, names.MAX_FOLLOWERS / 5),
        FieldSpec("crest", (_P, _P), "crests: player, place on the advantage track"),
        FieldSpec("passed", (_P,), "who has passed in this placement"),
        FieldSpec("coins", (_P, _K), "stock: player, kind", 8.0, _AMOUNT / 8),
        FieldSpec("vp", (_P,), "victory points on the marker", 100.0, _AMOUNT / 100),
        FieldSpec("houses_left", (_P,), "houses not yet built", 9.0, names.MAX_BUILDINGS / 9),
        FieldSpec("num_slaves", (_P,), "slave cards in hand", 8.0, _SLAVES / 8),
        FieldSpec("num_equi", (_P,), "equi cards in hand", 8.0, _EQUI / 8),
        FieldSpec("equi_known", (_P, equi), "equi cards that everybody knows: player, face", 2.0, _EQUI / 2),
        FieldSpec("slaves", (names.MAX_SLAVES,), "the observer's slave cards, singles and doubles", 8.0, _SLAVES / 8),
        FieldSpec("equi", (equi,), "the observer's equi cards, by face", 2.0, _EQUI / 2),
        FieldSpec("slave_discard", (names.MAX_SLAVES,), "discarded slave cards, singles and doubles", 8.0, _SLAVES / 8),
        FieldSpec("equi_discard", (equi,), "discarded equi cards, by face", 2.0, _EQUI / 2),
        FieldSpec("slave_draw", (1,), "slave cards in the draw pile", 24.0, _SLAVES / 24),
        FieldSpec("equi_draw", (1,), "equi cards in the draw pile", 16.0, _EQUI / 16),
        FieldSpec("equi_row", (sizes.equi_spaces, equi), "one-hot: open card of each Equi space, none for a gap"),
        FieldSpec("stadium_open", (stadium,), "one-hot: the open stadium card"),
        FieldSpec("stadium_next", (stadium,), "one-hot: the drawn stadium card, for the first while she chooses"),
        FieldSpec("stadium_owned", (_P, stadium), "stadium cards known to be a player's: player, face", 2.0, _STADIUM / 2),
        FieldSpec("stadium_either", (RIVALS, stadium), "open cards that one of a pair has, or one or nobody: pair, face",
             2.0, _STADIUM / 2),
        FieldSpec("stadium_unseen", (_P,), "cards unknown to the observer that a player surely has", 4.0, _ROUNDS / 4),
        FieldSpec("stadium_gone", (stadium,), "stadium cards known to have left the game, by face", 2.0, _STADIUM / 2),
        FieldSpec("theatre_owner", (theatre, _P), "theatre cards: card, owner"),
        FieldSpec("on_sale", (theatre,), "one-hot: theatre card on sale"),
        FieldSpec("building_owner", (sizes.buildings, _P), "houses: building, owner"),
        FieldSpec("blue_owner", (_P,), "one-hot: who has the blue dice"),
        FieldSpec("blue_left", (1,), "blue dice that are left", 4.0, names.MAX_DICE / 4),
        FieldSpec("portus_coins", (_K,), "coins under followers, by kind"),
        FieldSpec("strength", (_P,), "strength counted so far in the fight or race", 8.0, _AMOUNT / 8),
        FieldSpec("last_played", (names.MAX_SLAVES + equi,), "one-hot: card that who is asked has just played, slaves first"),
        FieldSpec("last_exchange", (sizes.exchanges,), "one-hot: exchange just made"),
        FieldSpec("bid", (_K,), "standing bid, by kind", 8.0, _AMOUNT / 8),
        FieldSpec("bidder", (_P,), "one-hot: who holds it"),
        FieldSpec("out", (_P,), "who is out of the auction"),
        FieldSpec("received", (_K,), "coins received at Pecunia in this action, by kind", 8.0, _AMOUNT / 8),
        FieldSpec("builds_left", (1,), "buildings that the acting follower may put up", 2.0, 5.0),
    ]  # fmt: skip


def _hidden_parts(sizes: Sizes) -> list[FieldSpec]:
    equi, stadium = sizes.equi_faces, sizes.stadium_faces
    return [
        FieldSpec("hand_slaves", (_P, names.MAX_SLAVES), "every hand of slave cards: seat, singles and doubles", 8.0, _SLAVES / 8),
        FieldSpec("hand_equi", (_P, equi), "every player's equi cards: seat, face", 2.0, _EQUI / 2),
        FieldSpec("hand_stadium", (_P, stadium), "every player's stadium cards: seat, face", 2.0, _STADIUM / 2),
        FieldSpec("slave_order", (names.MAX_SLAVE_CARDS,), "slaves / 2 of the draw pile's cards, next first; else 0"),
        FieldSpec("equi_order", (names.MAX_EQUI_CARDS,), "(face + 1) / 8 of the draw pile's cards, next first; else 0"),
        FieldSpec("stadium_order", (names.MAX_STADIUM_CARDS,), "(face + 1) / 16 of its draw pile's cards, next first"),
        FieldSpec("theatre_order", (names.MAX_THEATRE_CARDS,), "(card + 1) / 12 of its draw pile's cards, next first"),
    ]  # fmt: skip


@lru_cache(maxsize=64)
def observation_layout(sizes: Sizes) -> Layout:
    """What one player may know.  Quantities per player stand self first, then by turn order; absent seats are zeros."""
    return Layout(_observation_parts(sizes))


@lru_cache(maxsize=64)
def privileged_layout(sizes: Sizes) -> Layout:
    """The privileged vector: the observation of seat 0 (so players by seat) followed by everything that is hidden."""
    return Layout(_observation_parts(sizes) + _hidden_parts(sizes))


def starts(sizes: Sizes) -> npt.NDArray[np.int32]:
    """Where every part of the privileged vector begins, int32 (NUM_PARTS,): the table `at` of a component file."""
    return np.array([field.start for field in privileged_layout(sizes)], dtype=np.int32)


_ALL: Final = privileged_layout(LARGEST)
NUM_PARTS: Final = len(_ALL)
#: What one of a quantity counts for in every part.
UNIT: Final = units(_ALL)
#: The place of every part in the table `at`, by name.
PART: Final[Any] = type(UNIT)(*range(NUM_PARTS))
