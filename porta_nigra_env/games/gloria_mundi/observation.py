"""Layouts of the observation and the privileged vector; they are the same for every component file."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, offsets, units
from porta_nigra_env.games.gloria_mundi.components import names
from porta_nigra_env.games.gloria_mundi.state import LARGEST_AMOUNT

_P, _B, _S, _C = names.MAX_PLAYERS, len(names.BASES), len(names.STONES), names.NUM_CARDS
_STONES, _DEALT, _SYMBOLS = LARGEST_AMOUNT / 8, names.MAX_DEALT / 8, names.MAX_PROVINCES * names.MAX_SYMBOLS / 8
_STEPS, _SPACES = names.MAX_STEPS / 32, (names.MAX_PROVINCES + 1) / 32
#: Every turn except the last takes a base card from a hand.
_TURNS: Final = (1 + names.MAX_PLAYERS * _B * names.MAX_DEALT) / 64

#: Number of spaces, from the next empty one on, whose symbols are observed.
AHEAD: Final = 8

# Scales are powers of two: multiplying by the reciprocal gives the same number as dividing.
_FIELDS: Final = [
    FieldSpec("num_players", (len(names.SEATS),), "one-hot: 2 to 6 players"),
    FieldSpec("phase", (len(names.PHASES),), "one-hot: pending decision"),
    FieldSpec("current_player", (_P,), "one-hot: player to move, none when over"),
    FieldSpec("active_player", (_P,), "one-hot: player whose turn it is"),
    FieldSpec("turn", (1,), "number of the turn, from 1", 64.0, _TURNS),
    FieldSpec("deck_size", (1,), "cards in the deck", 64.0, _C / 64),
    FieldSpec("played", (_B,), "one-hot: base type played in this turn, none before"),
    FieldSpec("steps", (_P,), "steps from Rome", 32.0, _STEPS),
    FieldSpec("steps_left", (_P,), "steps to Africa", 32.0, _STEPS),
    FieldSpec("stones", (_P, _S), "stock: player, kind", 8.0, _STONES),
    FieldSpec("hand", (_P, _B), "base cards in hand: player, type", 8.0, _DEALT),
    FieldSpec("bare", (_P, _B), "bare base cards: player, type", 8.0, _DEALT),
    FieldSpec("display", (_P, _B), "base cards, bare and covered: player, type", 8.0, _DEALT),
    FieldSpec("owner", (_C, _P), "building cards in displays: card, player"),
    FieldSpec("lies_on", (_C,), "(type + 1) / 4 of the base card below it, 0 outside displays: card", 4.0, _B / 4),
    FieldSpec("forum", (names.NUM_PLACES, _C), "one-hot: card on each place, none where empty"),
    FieldSpec("deck", (_C,), "cards in the deck"),
    FieldSpec("left", (_C,), "cards left in this activation"),
    FieldSpec("card", (_C,), "one-hot: card being carried out"),
    FieldSpec("give_left", (1,), "stones still to be given", 8.0, names.MAX_COUNT / 8),
    FieldSpec("take_left", (1,), "stones still to be taken", 8.0, names.MAX_COUNT / 8),
    FieldSpec("goth", (1,), "spaces the Goth has moved", 32.0, _SPACES),
    FieldSpec("goth_symbols", (_B,), "symbols of the Goth's space, by type", 1.0, float(names.MAX_SYMBOLS)),
    FieldSpec("to_rome", (1,), "spaces from the next empty one to Rome", 32.0, _SPACES),
    FieldSpec("ahead", (AHEAD, _B), "symbols from the next empty space on: space, type", 1.0, float(names.MAX_SYMBOLS)),
    FieldSpec("tribute", (_S,), "stones on the provinces ahead of the Goth, by kind", 8.0, _SYMBOLS),
    FieldSpec("at_stake", (_B,), "base cards that a march would demand now, by type", 8.0, _SYMBOLS),
    FieldSpec("place", (names.NUM_PLACES,), "one-hot: place bought from"),
    FieldSpec("base", (_B,), "one-hot: type that the card bought will lie on"),
    FieldSpec("due", (1,), "stones of the pending payment", 8.0, names.MAX_DUE / 8),
    FieldSpec("paid", (names.NUM_BASIC,), "amounts fixed in the payment, by kind", 8.0, names.MAX_DUE / 8),
    FieldSpec("fixed", (names.NUM_BASIC,), "1 where the amount of a kind is fixed"),
    FieldSpec("demanded", (_B,), "base cards still to be lost, by type", 8.0, _SYMBOLS),
    FieldSpec("raid_stones", (_S,), "tribute still to be shared, by kind", 8.0, _SYMBOLS),
    FieldSpec("end", (len(names.ENDS),), "one-hot: the end of the game, none before"),
]  # fmt: skip

#: The observation of a player.  Quantities by player begin with the observer, in turn order; absent seats are 0.
OBSERVATION: Final = Layout(_FIELDS)
#: The privileged vector: the observation of seat 0 (players by seat), then the hidden information.
PRIVILEGED: Final = Layout(
    [
        *_FIELDS,
        FieldSpec("deck_order", (_C,), "(card + 1) / 64 of the deck's cards, next first; else 0", 64.0, (_C + 1) / 64),
    ]
)

#: The offset of every field and the value of one unit of its quantity, by name.
AT: Final = offsets(PRIVILEGED)
UNIT: Final = units(PRIVILEGED, LARGEST_AMOUNT)
