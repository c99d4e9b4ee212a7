"""The state of one game as a flat record.

A batch of games is a 1-D array of `STATE`; a single game is a batch of one. The bytes of a record are its identity, its
hash and its file format.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from porta_nigra_env.games.aquileia.components import names

#: Version of the environment: raised whenever rules, observations or action ids change.
VERSION: Final = 0

_P, _K, _E, _S = names.MAX_PLAYERS, len(names.KINDS), names.MAX_EQUI_FACES, names.MAX_SLAVES

#: Counted random streams of a game (`core.arrays.rng`): setup and decks. Dice are not counted: every die has a fixed
#: index in the stream of its roll, so no roll depends on another one (`rules.table.roll`).
SETUP_STREAM, SLAVES_STREAM, EQUI_STREAM, STADIUM_STREAM, THEATRE_STREAM = range(5)
NUM_STREAMS: Final = 5
#: Stream of a roll's dice: this and the roll's index.
DICE_STREAM: Final = NUM_STREAMS

#: Rolls: rows of the field `dice`.  The fighters' red dice by seat, then the racers'.
DOLUS_ROLL, LATRO_ROLL, ARENA_BLUE_ROLL, STADIUM_BLUE_ROLL, ARENA_ROLL = range(5)
STADIUM_ROLL: Final = ARENA_ROLL + names.MAX_PLAYERS
NUM_ROLLS: Final = STADIUM_ROLL + names.MAX_PLAYERS

#: Purposes of a seed (`core.arrays.rng.seed_key`): one seed gives unrelated numbers to each.
GAME_PURPOSE: Final = 1
DETERMINIZE_PURPOSE: Final = 2

#: Choices of the first of a race: keep the open stadium card, or the drawn one.
KEPT_OPEN, KEPT_DRAWN = range(2)

#: Largest number of coins of a kind, of victory points and of a strength that a position may give a player.
LARGEST_AMOUNT: Final = 9_999

# Fields are ordered by width to avoid padding. Indices are those of components.names and of the component file's lists;
# -1 means "none" or "empty". Slave cards count by slaves - 1, equi and stadium cards by type.
#
# In arrays of cards the draw pile lies at the end, next card first, and -1 before it (`core.arrays.piles`).
STATE: Final = np.dtype(
    [
        ("key", np.int64, (2,)),  # random key, 32 bits each; zeros in a redacted state
        ("standing", np.int64, (_P,)),  # bit s: a follower of the seat stands on space s
        ("buildings", np.int64, (_P,)),  # bit b: a house of the seat stands on building b
        ("counters", np.int32, (NUM_STREAMS,)),  # numbers taken from each counted stream; zeros in a redacted state
        ("vp", np.int32, (_P,)),  # on the marker, without the final scoring
        ("coins", np.int16, (_P, _K)),  # the stock: bids included, coins under followers not
        ("strength", np.int16, (_P,)),  # counted so far in a fight or race; else 0
        ("bid", np.int16, (_K,)),  # the standing bid; zeros before an opening and outside an auction
        ("received", np.int16, (_K,)),  # coins received at Pecunia in this action; else zeros
        ("num_players", np.int8),
        ("phase", np.int8),
        ("current_player", np.int8),  # seat to act; -1 when over
        ("round", np.int8),  # from 1
        ("starting_player", np.int8),
        ("followers_left", np.int8, (_P,)),  # not standing on a space
        ("houses_left", np.int8, (_P,)),
        ("crest", np.int8, (_P,)),  # rank on the advantage track, from 0; -1 before it is placed
        ("passed", np.int8),  # bit p: seat p has passed in this placement
        ("portus_coins", np.int8),  # bit k: a coin of kind k lies under the follower on its space
        ("blue_owner", np.int8),  # owner of the blue dice, from Potentia to the race; else -1
        ("blue_left", np.int8),  # unused blue dice; 0 without an owner
        ("dice", np.int8, (NUM_ROLLS, _K)),  # last results by kind; zeros without a roll
        ("slave_cards", np.int8, (names.MAX_SLAVE_CARDS,)),  # draw pile of slaves - 1; all -1 in a redacted state
        ("num_slave_draw", np.int8),
        ("slave_discard", np.int8, (_S,)),
        ("slaves", np.int8, (_P, _S)),  # hands; zeros where unknown in a redacted state
        ("num_slaves", np.int8, (_P,)),
        ("equi_row", np.int8, (names.MAX_EQUI_SPACES,)),  # type of the open card of each Equi space; -1 for a gap
        ("equi_cards", np.int8, (names.MAX_EQUI_CARDS,)),  # draw pile of types; all -1 in a redacted state
        ("num_equi_draw", np.int8),
        ("equi_discard", np.int8, (_E,)),
        ("equi", np.int8, (_P, _E)),  # hands; only known cards of other hands in a redacted state
        ("equi_known", np.int8, (_P, _E)),  # cards of a hand that all players know (A6)
        ("num_equi", np.int8, (_P,)),
        ("stadium_open", np.int8),  # type of the open card; -1 from the end of area III to the clean-up
        ("stadium_cards", np.int8, (names.MAX_STADIUM_CARDS,)),  # draw pile of types; -1 if redacted
        ("num_stadium_draw", np.int8),
        # past rounds (area III is over), by round - 1; -1 beyond
        ("past_open", np.int8, (names.MAX_ROUNDS,)),  # type of the open card
        ("past_drawn", np.int8, (names.MAX_ROUNDS,)),  # type of the drawn card; -1 if redacted
        ("past_first", np.int8, (names.MAX_ROUNDS,)),  # seat, -1 without a racer
        ("past_second", np.int8, (names.MAX_ROUNDS,)),  # seat, -1 without a second
        ("past_kept", np.int8, (names.MAX_ROUNDS,)),  # KEPT_OPEN, KEPT_DRAWN; -1 without a racer or if redacted
        ("theatre_cards", np.int8, (names.MAX_THEATRE_CARDS,)),  # draw pile; sorted in a redacted state
        ("num_theatre_draw", np.int8),
        ("theatre_owner", np.int8, (names.MAX_THEATRE_CARDS,)),  # winning seat; -1 in the pile and on sale
        ("auction_card", np.int8),  # theatre card on sale, else -1
        ("bidder", np.int8),  # seat of the standing bid; -1 before an opening and outside an auction
        ("out", np.int8),  # bit p: seat p is out of the auction
        ("last", np.int8),  # last card (slaves - 1, or MAX_SLAVES + equi type) or last exchange; else -1
        ("builds_left", np.int8),  # buildings that the acting follower may still put up; 0 outside the Forum
    ]
)
