"""Setup (R6 and the rulebook's setup steps)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import shuffle_draw
from porta_nigra_env.core.arrays.rng import random_below, seed_key, shuffle
from porta_nigra_env.games.porta_nigra.components.names import (
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_BUILDING_CARDS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
)
from porta_nigra_env.games.porta_nigra.rules.cards import NUM_ICONS, deal_deck
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.market import NUM_COLOURS
from porta_nigra_env.games.porta_nigra.rules.turn import NUM_BUILDINGS, begin_turn
from porta_nigra_env.games.porta_nigra.state import GAME_PURPOSE, SETUP_STREAM, SUPPLY_STREAM


@jit
def clear(s: Any) -> None:
    """An empty table: no bricks, no cards, no players."""
    s["occupied"] = 0
    for spot in range(NUM_SPOTS):
        s["spot_owner"][spot] = -1
        s["spot_height"][spot] = 0
    for player in range(MAX_PLAYERS):
        s["sesterces"][player] = 0
        s["vp"][player] = 0
        s["torches"][player] = 0
        s["influence"][player] = 0
        s["romans"][player] = 0
        s["romans_reserve"][player] = 0
        s["quarter"][player] = -1
        s["hand"][player] = 0
        s["num_hand"][player] = 0
        s["num_action_discard"][player] = 0
        s["num_action_draw"][player] = 0
        s["youngest_first"][player] = -1
        s["final_turns"][player] = -1
        for colour in range(NUM_COLOURS):
            s["bricks"][player, colour] = 0
        for card in range(NUM_ACTION_CARDS):
            s["action_cards"][player, card] = -1
        for building in range(NUM_BUILDINGS):
            s["buildings_owned"][player, building] = 0
            s["built"][player, building] = 0
        for final in range(s["finals_owned"].shape[1]):
            s["finals_owned"][player, final] = 0
    for colour in range(NUM_COLOURS):
        s["market"][colour] = 0
    for icon in range(NUM_ICONS):
        s["icons_left"][icon] = 0
    s["card_in_play"] = -1
    s["markers_left"] = 0
    s["honour_bought"] = 0
    s["early_player"] = -1
    s["num_final_turns"] = 0
    s["split_tens"] = -1
    s["num_building_display"] = 0
    s["num_honour_display"] = 0


@jit
def set_up_piles(t: Any, s: Any) -> None:
    """Shuffle supply, building and honour cards."""
    key, counters = s["key"], s["counters"]
    for card in range(NUM_SUPPLY_CARDS):
        s["supply_cards"][card] = card
    s["num_supply_draw"] = NUM_SUPPLY_CARDS
    shuffle_draw(key, counters, SUPPLY_STREAM, s["supply_cards"], NUM_SUPPLY_CARDS)
    for card in range(NUM_BUILDING_CARDS):
        s["building_cards"][card] = card
    s["num_building_draw"] = NUM_BUILDING_CARDS
    shuffle_draw(key, counters, SETUP_STREAM, s["building_cards"], NUM_BUILDING_CARDS)
    place = 0
    for kind in range(int(t["num_honours"])):
        for _ in range(int(t["honour_copies"][kind])):
            s["honour_cards"][place] = kind
            place += 1
    s["num_honour_draw"] = NUM_HONOUR_CARDS
    shuffle_draw(key, counters, SETUP_STREAM, s["honour_cards"], NUM_HONOUR_CARDS)


@jit
def reset_record(t: Any, s: Any, seed: int, num_players: int) -> None:
    """A new game up to the first decision; every byte of the record is written."""
    clear(s)
    seed_key(s["key"], s["counters"], seed, GAME_PURPOSE)
    s["num_players"] = num_players
    s["round"] = 1
    s["reserve"] = t["bricks_total"]
    for player in range(num_players):
        s["youngest_first"][player] = player
        s["sesterces"][player] = t["start_sesterces"]
        s["torches"][player] = t["start_torches"]
        s["romans"][player] = t["start_romans"]
        s["romans_reserve"][player] = t["romans_per_player"] - t["start_romans"]
        deal_deck(t, s, player)
    shuffle(s["key"], s["counters"], SETUP_STREAM, s["youngest_first"], 0, num_players)
    s["starting_player"] = random_below(s["key"], s["counters"], SETUP_STREAM, num_players)
    set_up_piles(t, s)
    begin_turn(t, s, int(s["starting_player"]))
