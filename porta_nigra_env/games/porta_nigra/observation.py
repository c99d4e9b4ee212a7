"""The layouts of an observation and of the privileged vector."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout, offsets, units
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    COLOURS,
    ICONS,
    MAX_FINAL_VALUES,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
    PHASES,
    PORTA_NIGRA_SPOTS,
)
from porta_nigra_env.games.porta_nigra.state import LARGEST_AMOUNT

_P, _C, _B = MAX_PLAYERS, len(COLOURS), len(BUILDINGS)
_AMOUNT = float(LARGEST_AMOUNT)
_BRICKS = 120.0  # largest number of bricks of a component file


def _observation_specs(num_honours: int) -> list[FieldSpec]:
    cards = NUM_ACTION_CARDS
    return [
        FieldSpec("num_players", (3,), "one-hot: 2, 3, 4 players"),
        FieldSpec("seat", (_P,), "one-hot: the observer's seat (actions name seats)"),
        FieldSpec("phase", (len(PHASES),), "one-hot: pending decision"),
        FieldSpec("current_player", (_P,), "one-hot: the player to act, none when over"),
        FieldSpec("starting_player", (_P,), "one-hot: starting player of the round"),
        FieldSpec("age", (_P,), "rank by age: 4 for the youngest, 3, 2, 1; 0 for empty seats", 4.0),
        FieldSpec("round", (1,), "number of the round, from 1", 6.0),
        FieldSpec("rounds_left", (1,), "rounds after this one", 6.0),
        FieldSpec("reserve", (1,), "bricks in the reserve", 90.0, _BRICKS / 90),
        FieldSpec("market", (_C,), "bricks in the shops, by colour", 8.0, _BRICKS / 8),
        FieldSpec("supply_draw", (NUM_SUPPLY_CARDS,), "supply cards still in the draw pile"),
        FieldSpec("building_display", (_B, _C), "building cards in the display: building, colour"),
        FieldSpec("building_draw", (_B, _C), "building cards still in the draw pile: building, colour"),
        FieldSpec("spot_owner", (NUM_SPOTS, _P), "elements: spot, owner"),
        FieldSpec("spot_height", (PORTA_NIGRA_SPOTS,), "bricks of the Porta Nigra's elements", 8.0),
        FieldSpec("card_in_play", (cards,), "one-hot: the card played this turn"),
        FieldSpec("icons_left", (len(ICONS),), "unused icons on it", 5.0),
        FieldSpec("markers_left", (1,), "unused action markers", 3.0),
        FieldSpec("honour_bought", (1,), "an honour card was bought this turn"),
        FieldSpec("early_end", (_P,), "one-hot: the player who triggered the early end"),
        FieldSpec("final_turns", (_P,), "players with a final turn left: 4 for the next, 3, 2; else 0", 4.0),
        FieldSpec("split_total", (1,), "interim scoring: points to split", 100.0, 3.6),
        FieldSpec("split_tens", (1,), "interim scoring: chosen tens + 1, 0 before", 10.0, 3.7),
        FieldSpec("split_left", (_P,), "interim scoring: players who split after the current player"),
        FieldSpec("hand", (cards,), "the observer's own hand"),
        FieldSpec("sesterces", (_P,), "sesterces", 50.0, _AMOUNT / 50),
        FieldSpec("torches", (_P,), "torch tokens", 10.0, _AMOUNT / 10),
        FieldSpec("influence", (_P,), "influence tokens", 10.0, _AMOUNT / 10),
        FieldSpec("vp", (_P,), "victory points on the marker", 100.0, _AMOUNT / 100),
        FieldSpec("romans", (_P,), "Romans in the play area", 15.0),
        FieldSpec("romans_reserve", (_P,), "Romans in the reserve", 15.0),
        FieldSpec("bricks", (_P, _C), "personal supply: player, colour", 8.0, _BRICKS / 8),
        FieldSpec("quarter", (_P, _B), "one-hot: the master builder's quarter, none before it is placed"),
        FieldSpec("built", (_P, _B), "bricks built: player, building", 30.0, _BRICKS / 30),
        FieldSpec("buildings_owned", (_P, _B), "building cards owned: player, building", 8.0, 4.0),
        FieldSpec("finals_owned", (_P, MAX_FINAL_VALUES), "final scoring cards owned: player, value", 4.0, 7.0),
        FieldSpec("num_hand", (_P,), "cards in hand", float(cards)),
        FieldSpec("num_action_draw", (_P,), "cards in the action draw pile", float(cards)),
        FieldSpec("played", (_P, cards), "cards already played this round: player, card"),
        FieldSpec("honour_display", (num_honours,), "honour cards in the display, by kind", 4.0, 7.0),
        FieldSpec("honour_draw", (num_honours,), "honour cards still in the draw pile, by kind", 4.0, 7.0),
    ]


def _hidden_specs() -> list[FieldSpec]:
    cards = NUM_ACTION_CARDS
    return [
        FieldSpec("hands", (_P, cards), "every player's hand: seat, card"),
        FieldSpec("action_draw", (_P, cards), "rank in the seat's draw pile, 1/8 for the next card; 0 elsewhere"),
        FieldSpec(
            "supply_order", (NUM_SUPPLY_CARDS,), "rank of a supply card in the draw pile, 1/10 for the next; else 0"
        ),
        FieldSpec("building_order", (_B, _C), "rank of a building card in the draw pile, 1/20 for the next; else 0"),
        FieldSpec(
            "honour_order", (NUM_HONOUR_CARDS,), "(kind + 1) / 28 of the draw pile's cards, next first; 0 past its end"
        ),
    ]


@lru_cache(maxsize=64)
def observation_layout(num_honours: int) -> Layout:
    """Return the layout of an observation; per player: self first, then by turn order, absent seats zeros."""
    return Layout(_observation_specs(num_honours))


@lru_cache(maxsize=64)
def privileged_layout(num_honours: int) -> Layout:
    """Return the layout of the privileged vector: the observation of seat 0, then everything hidden."""
    return Layout(_observation_specs(num_honours) + _hidden_specs())


#: For compiled code: the offset of every field, and the value of one unit of a quantity.  With k kinds of honour cards
#: the offset of "honour_draw" is larger by k, and that of the hidden fields by 2 k.
AT: Final = offsets(privileged_layout(0))
UNIT: Final = units(privileged_layout(0), LARGEST_AMOUNT)
