"""The state of one game as a flat record.

A batch of games is a 1-D array of `STATE`; a single game is a batch of one.  A record holds no references, so its bytes
are its identity, its hash and its file format.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from porta_nigra_env.games.gloria_mundi.components import names
from porta_nigra_env.games.gloria_mundi.components.names import MAX_PLAYERS

#: Version of the environment; it is raised whenever rules, observations or action ids change.
VERSION: Final = 0

_P, _B, _S = MAX_PLAYERS, len(names.BASES), len(names.STONES)

#: Random streams of a game (`core.arrays.rng`): the starting player (G1), and the deck.
SETUP_STREAM, DECK_STREAM = range(2)
NUM_STREAMS: Final = 2

#: Purposes of a seed (`core.arrays.rng.seed_key`); one seed gives unrelated numbers for each.
GAME_PURPOSE: Final = 1
DETERMINIZE_PURPOSE: Final = 2

#: Most stones of a kind in a stock; stones beyond it are lost (G4).
LARGEST_AMOUNT: Final = 9_999

#: Bits of the stones of a kind in an entry of `tribute`: those of kind k begin at bit TRIBUTE_BITS * k.
#: Glory stones make up the difference to the symbols of the province.
TRIBUTE_BITS: Final = 2

# Fields are ordered by width so that nothing is padded.  Indices are those of components.names and of the component
# file's lists; -1 means "none" or "empty".  Sets of building cards have bit c for card c.
#
# In `deck` the draw pile is at the end, next card first, after -1s (`core.arrays.piles`).
STATE: Final = np.dtype(
    [
        ("key", np.int64, (2,)),  # random key, 32 bits each; zeros in a redacted state
        ("covered", np.int64, (_P, _B)),  # set of the building cards on base cards of this type of the seat
        ("fire", np.int64),  # set of cards
        ("left", np.int64),  # in an activation: set of the cards left (G11), in EXCLUSIVE those after `done`; else 0
        # Choices of the pending decision, derived from the other fields (`dispatch.pending_options`); 0 when over.
        # Bit i is, by phase: PLAY, PLACE base type i; EXCLUSIVE, ACTIVATE, DISCARD card i; GIVE, TAKE, RECLAIM stone i;
        # BUY place i; PAY, PAY_TRIBUTE amount i; LOSE bare base card i, from bit len(BASES) on building cards.
        # 0 in REPEAT and GOTH.  `done`, `again`, `base`, `tribute`, `goth` and `wall` have no bits.
        ("options", np.int64),
        ("counters", np.int32, (NUM_STREAMS,)),  # numbers taken from each stream; zeros in a redacted state
        ("stones", np.int16, (_P, _S)),  # stock
        ("turn", np.int16),  # from 1
        ("demanded", np.int16, (_B,)),  # base cards still to be lost; zeros outside LOSE
        ("raid_stones", np.int16, (_S,)),  # tribute still to be shared; zeros outside LOSE and RECLAIM
        ("num_players", np.int8),
        ("phase", np.int8),
        ("current_player", np.int8),  # seat to move; -1 when over
        ("active_player", np.int8),  # seat whose turn it is
        ("played", np.int8),  # type played in this turn; -1 in PLAY and OVER
        ("goth", np.int8),  # space of the track: 0 start, provinces from 1, then Rome
        ("num_tribute", np.int8),  # provinces with tribute, consecutive from the one ahead of the Goth
        ("num_deck", np.int8),
        ("card", np.int8),  # being carried out in an activation; else -1
        ("give_left", np.int8),  # stones still to be given, in GIVE; else 0
        ("take_left", np.int8),  # stones still to be taken, in TAKE; else 0
        ("place", np.int8),  # index of the place bought from, in PLACE and PAY; else -1
        ("base", np.int8),  # base type that the card will lie on, in PAY; else -1
        ("end", np.int8),  # index into ENDS; -1 before the end
        ("paid", np.int8, (names.NUM_BASIC,)),  # amounts fixed in PAY and PAY_TRIBUTE, -1 where not yet; else all -1
        ("steps", np.int8, (_P,)),  # on the escape track
        ("hand", np.int8, (_P, _B)),  # base cards
        ("bare", np.int8, (_P, _B)),  # base cards in the display without a building card on them
        ("forum", np.int8, (names.NUM_PLACES,)),  # cards, in sliding order; -1 where empty
        ("deck", np.int8, (names.NUM_CARDS,)),  # sorted in a redacted state
        ("tribute", np.int8, (names.MAX_SPACES,)),  # basic stones by space, in TRIBUTE_BITS each; 0 where nothing lies
    ]
)
