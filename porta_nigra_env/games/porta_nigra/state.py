"""The state of one game as a flat record, and the tables of action ids and observation parts.

A batch of games is a 1-D array of `STATE`; a single game is a batch of one.  A record holds no references: its bytes
are its identity, its hash and its file format.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from porta_nigra_env.core.spans import Part, Spans
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    BUY_ICONS,
    COLOURS,
    FIXED_SPOTS,
    ICONS,
    MAX_FINAL_VALUES,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_BUILDING_CARDS,
    NUM_HEIGHTS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
    PHASES,
    PORTA_NIGRA_SPOTS,
    TAKE_ICONS,
)

#: Version of the environment: raised whenever rules, observations or action ids change.
VERSION: Final = 0

_P, _C, _B = MAX_PLAYERS, len(COLOURS), len(BUILDINGS)

#: Random streams of a game (`core.rng`): the supply pile, one deck per seat, and the setup.
SUPPLY_STREAM: Final = 0
DECK_STREAM: Final = 1
SETUP_STREAM: Final = 5
NUM_STREAMS: Final = 6

#: What a seed is used for (`core.rng.seed_key`): one seed gives unrelated numbers to each.
GAME_PURPOSE: Final = 1
DETERMINIZE_PURPOSE: Final = 2

#: Largest number of sesterces, torch tokens, influence tokens and victory points a position may give a player.
LARGEST_AMOUNT: Final = 9_999

# Fields are ordered by width so that nothing is padded.  Indices are those of components.names; -1 means "none" or
# "empty".
#
# A pile array holds two lists in one: the open list grows from the front, the draw pile lies at the end with its next
# card first, and the cells between are -1.  A card drawn and laid open therefore never meets the other list:
#
#     supply_cards   [discard ........ | ...... draw]      (no gap: all ten are always in one of the two)
#     honour_cards   [display ... | -1 -1 | ... draw]
#     action_cards   [discard ... | -1 -1 | ... draw]      (the gap is the hand and the card in play)
STATE: Final = np.dtype(
    [
        ("key", np.int64, (2,)),  # random key, 32 bits each; zeros in a redacted state
        ("occupied", np.int64),  # bit s: spot s holds an element
        ("counters", np.int32, (NUM_STREAMS,)),  # numbers taken from each random stream
        ("sesterces", np.int32, (_P,)),
        ("vp", np.int32, (_P,)),  # on the marker, without the final scoring
        ("torches", np.int32, (_P,)),  # torch tokens
        ("influence", np.int32, (_P,)),
        ("hand", np.int16, (_P,)),  # bit k: action card k is in hand; 0 where unknown in a redacted state
        ("num_players", np.int8),
        ("phase", np.int8),
        ("current_player", np.int8),  # seat asked for a decision; -1 when over
        ("round", np.int8),  # from 1
        ("starting_player", np.int8),
        ("youngest_first", np.int8, (_P,)),  # seats by age (R6), -1 beyond num_players
        ("reserve", np.int8),  # bricks
        ("market", np.int8, (_C,)),
        ("supply_cards", np.int8, (NUM_SUPPLY_CARDS,)),  # pile array of discard and draw
        ("num_supply_draw", np.int8),
        ("building_cards", np.int8, (NUM_BUILDING_CARDS,)),  # pile array; a card is building * 5 + colour
        ("num_building_display", np.int8),
        ("num_building_draw", np.int8),
        ("honour_cards", np.int8, (NUM_HONOUR_CARDS,)),  # pile array; a card is its kind
        ("num_honour_display", np.int8),
        ("num_honour_draw", np.int8),
        ("spot_owner", np.int8, (NUM_SPOTS,)),
        ("spot_height", np.int8, (NUM_SPOTS,)),  # bricks in the element, 0 when empty
        ("romans", np.int8, (_P,)),  # in the play area
        ("romans_reserve", np.int8, (_P,)),
        ("bricks", np.int8, (_P, _C)),  # personal supply
        ("quarter", np.int8, (_P,)),  # building beside the master builder, -1 before he is placed
        ("num_hand", np.int8, (_P,)),
        ("action_cards", np.int8, (_P, NUM_ACTION_CARDS)),  # pile array of discard and draw
        ("num_action_discard", np.int8, (_P,)),
        ("num_action_draw", np.int8, (_P,)),
        ("buildings_owned", np.int8, (_P, _B)),  # building cards, substitutes included (R25)
        ("finals_owned", np.int8, (_P, MAX_FINAL_VALUES)),  # final scoring cards by index into final_vp
        ("built", np.int8, (_P, _B)),  # bricks a player has in a building
        ("card_in_play", np.int8),
        ("icons_left", np.int8, (len(ICONS),)),
        ("markers_left", np.int8),
        ("honour_bought", np.int8),
        ("early_player", np.int8),  # who triggered the early end (R29), -1 before
        ("final_turns", np.int8, (_P,)),  # seats that still have a final turn, next first
        ("num_final_turns", np.int8),
        ("split_tens", np.int8),  # chosen tens between split_tens and split_units, else -1
    ]
)


def _action_parts(num_honours: int, num_tens: int) -> list[Part]:
    return [
        Part("place", (_B,), "place the master builder: building"),
        Part("card", (NUM_ACTION_CARDS,), "play an action card: card"),
        Part("buy", (len(BUY_ICONS), _C), "buy a brick: icon used, colour bought"),
        Part("take", (len(TAKE_ICONS),), "use another icon: icon"),
        Part("roman", (1,), "influence tokens for a Roman"),
        Part("coin", (1,), "a marker or torch token for sesterces"),
        Part("end", (1,), "end the turn"),
        Part("build", (FIXED_SPOTS,), "build with the icon: spot"),
        Part("build_porta_nigra", (NUM_HEIGHTS, PORTA_NIGRA_SPOTS), "build with the icon: height, spot"),
        Part("influence_build", (FIXED_SPOTS,), "build by influence: spot"),
        Part("influence_build_porta_nigra", (NUM_HEIGHTS, PORTA_NIGRA_SPOTS), "build by influence: height, spot"),
        Part("crown", (PORTA_NIGRA_SPOTS,), "the Porta Nigra element that gets the brick: spot"),
        Part("units", (10,), "interim scoring: single sesterces"),
        Part("appoint", (_P,), "the next starting player: seat"),
        Part("honour", (num_honours,), "buy an honour card: kind, in the order of the component file"),
        Part("tens", (num_tens,), "interim scoring: tens of sesterces"),
    ]


@lru_cache(maxsize=64)
def action_spans(num_honours: int, num_tens: int) -> Spans:
    """The action ids of a component set with so many kinds of honour cards and so many choices of tens."""
    return Spans(_action_parts(num_honours, num_tens))


# First ids of the spans whose place no component set can move, for the kernel.
_FIXED = action_spans(0, 0)
PLACE: Final[int] = _FIXED["place"].start
CARD: Final[int] = _FIXED["card"].start
BUY: Final[int] = _FIXED["buy"].start
TAKE: Final[int] = _FIXED["take"].start
ROMAN: Final[int] = _FIXED["roman"].start
COIN: Final[int] = _FIXED["coin"].start
END: Final[int] = _FIXED["end"].start
BUILD: Final[int] = _FIXED["build"].start
BUILD_PORTA_NIGRA: Final[int] = _FIXED["build_porta_nigra"].start
INFLUENCE_BUILD: Final[int] = _FIXED["influence_build"].start
INFLUENCE_BUILD_PORTA_NIGRA: Final[int] = _FIXED["influence_build_porta_nigra"].start
CROWN: Final[int] = _FIXED["crown"].start
UNITS: Final[int] = _FIXED["units"].start
APPOINT: Final[int] = _FIXED["appoint"].start
HONOUR: Final[int] = _FIXED["honour"].start

#: Largest number of tens a component file may lead to (bricks_total x largest multiplier // 10 + 1).
MAX_TENS: Final = 37
#: 64-bit words of a legality bit set; enough for every component set.
NUM_WORDS: Final = -(-action_spans(NUM_HONOUR_CARDS, MAX_TENS).size // 64)

_AMOUNT = float(LARGEST_AMOUNT)
_BRICKS = 120.0  # most bricks a component file may have


def _observation_parts(num_honours: int) -> list[Part]:
    cards = NUM_ACTION_CARDS
    return [
        Part("num_players", (3,), "one-hot: 2, 3, 4 players"),
        Part("seat", (_P,), "one-hot: the observer's seat (actions name seats)"),
        Part("phase", (len(PHASES),), "one-hot: pending decision"),
        Part("current_player", (_P,), "one-hot: who is asked, none when over"),
        Part("starting_player", (_P,), "one-hot: starting player of the round"),
        Part("age", (_P,), "place by age: 4 for the youngest, 3, 2, 1; 0 for empty seats", 4.0),
        Part("round", (1,), "number of the round, from 1", 6.0),
        Part("rounds_left", (1,), "rounds after this one", 6.0),
        Part("reserve", (1,), "bricks in the reserve", 90.0, _BRICKS / 90),
        Part("market", (_C,), "bricks in the shops, by colour", 8.0, _BRICKS / 8),
        Part("supply_draw", (NUM_SUPPLY_CARDS,), "supply cards still in the draw pile"),
        Part("building_display", (_B, _C), "building cards in the display: building, colour"),
        Part("building_draw", (_B, _C), "building cards still in the draw pile: building, colour"),
        Part("spot_owner", (NUM_SPOTS, _P), "elements: spot, owner"),
        Part("spot_height", (PORTA_NIGRA_SPOTS,), "bricks of the Porta Nigra's elements", 8.0),
        Part("card_in_play", (cards,), "one-hot: the card played this turn"),
        Part("icons_left", (len(ICONS),), "unused icons on it", 5.0),
        Part("markers_left", (1,), "unused action markers", 3.0),
        Part("honour_bought", (1,), "an honour card was bought this turn"),
        Part("early_end", (_P,), "one-hot: who triggered the early end"),
        Part("final_turns", (_P,), "who still has a final turn: 4 for the next, 3, 2; else 0", 4.0),
        Part("split_total", (1,), "interim scoring: points to split", 100.0, 3.6),
        Part("split_tens", (1,), "interim scoring: chosen tens + 1, 0 before", 10.0, 3.7),
        Part("split_left", (_P,), "interim scoring: who splits after the current player"),
        Part("hand", (cards,), "the observer's own hand"),
        Part("sesterces", (_P,), "sesterces", 50.0, _AMOUNT / 50),
        Part("torches", (_P,), "torch tokens", 10.0, _AMOUNT / 10),
        Part("influence", (_P,), "influence tokens", 10.0, _AMOUNT / 10),
        Part("vp", (_P,), "victory points on the marker", 100.0, _AMOUNT / 100),
        Part("romans", (_P,), "Romans in the play area", 15.0),
        Part("romans_reserve", (_P,), "Romans in the reserve", 15.0),
        Part("bricks", (_P, _C), "personal supply: player, colour", 8.0, _BRICKS / 8),
        Part("quarter", (_P, _B), "one-hot: the master builder's quarter, none before he is placed"),
        Part("built", (_P, _B), "bricks built: player, building", 30.0, _BRICKS / 30),
        Part("buildings_owned", (_P, _B), "building cards owned: player, building", 8.0, 4.0),
        Part("finals_owned", (_P, MAX_FINAL_VALUES), "final scoring cards owned: player, value", 4.0, 7.0),
        Part("num_hand", (_P,), "cards in hand", float(cards)),
        Part("num_action_draw", (_P,), "cards in the action draw pile", float(cards)),
        Part("played", (_P, cards), "cards already played this round: player, card"),
        Part("honour_display", (num_honours,), "honour cards in the display, by kind", 4.0, 7.0),
        Part("honour_draw", (num_honours,), "honour cards still in the draw pile, by kind", 4.0, 7.0),
    ]


def _hidden_parts() -> list[Part]:
    cards = NUM_ACTION_CARDS
    return [
        Part("hands", (_P, cards), "every player's hand: seat, card"),
        Part("action_draw", (_P, cards), "place in the seat's draw pile, 1/8 for the next card; 0 elsewhere"),
        Part("supply_order", (NUM_SUPPLY_CARDS,), "place of a supply card in the draw pile, 1/10 for the next; else 0"),
        Part("building_order", (_B, _C), "place of a building card in the draw pile, 1/20 for the next; else 0"),
        Part(
            "honour_order", (NUM_HONOUR_CARDS,), "(kind + 1) / 28 of the draw pile's cards, next first; 0 past its end"
        ),
    ]


@lru_cache(maxsize=64)
def observation_spans(num_honours: int) -> Spans:
    """What one player may know.  Quantities per player stand self first, then by turn order; absent seats are zeros."""
    return Spans(_observation_parts(num_honours))


@lru_cache(maxsize=64)
def privileged_spans(num_honours: int) -> Spans:
    """The privileged vector: the observation of seat 0 (so players by seat) followed by everything that is hidden."""
    return Spans(_observation_parts(num_honours) + _hidden_parts())
