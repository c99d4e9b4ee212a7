"""Setup (R6 and the rulebook's setup steps)."""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import shuffle_draw
from porta_nigra_env.core.arrays.rng import random_below, seed_key, shuffle
from porta_nigra_env.core.game.contract import Constants, State
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
def clear(state: State) -> None:
    """Write an empty table: no bricks, no cards, no players."""
    state["occupied"] = 0
    for spot in range(NUM_SPOTS):
        state["spot_owner"][spot] = -1
        state["spot_height"][spot] = 0
    for player in range(MAX_PLAYERS):
        state["sesterces"][player] = 0
        state["vp"][player] = 0
        state["torches"][player] = 0
        state["influence"][player] = 0
        state["romans"][player] = 0
        state["romans_reserve"][player] = 0
        state["quarter"][player] = -1
        state["hand"][player] = 0
        state["num_hand"][player] = 0
        state["num_action_discard"][player] = 0
        state["num_action_draw"][player] = 0
        state["youngest_first"][player] = -1
        state["final_turns"][player] = -1
        for colour in range(NUM_COLOURS):
            state["bricks"][player, colour] = 0
        for card in range(NUM_ACTION_CARDS):
            state["action_cards"][player, card] = -1
        for building in range(NUM_BUILDINGS):
            state["buildings_owned"][player, building] = 0
            state["built"][player, building] = 0
        for final in range(state["finals_owned"].shape[1]):
            state["finals_owned"][player, final] = 0
    for colour in range(NUM_COLOURS):
        state["market"][colour] = 0
    for icon in range(NUM_ICONS):
        state["icons_left"][icon] = 0
    state["card_in_play"] = -1
    state["markers_left"] = 0
    state["honour_bought"] = 0
    state["early_player"] = -1
    state["num_final_turns"] = 0
    state["split_tens"] = -1
    state["num_building_display"] = 0
    state["num_honour_display"] = 0


@jit
def set_up_piles(constants: Constants, state: State) -> None:
    """Shuffle supply, building and honour cards."""
    key, counters = state["key"], state["counters"]
    for card in range(NUM_SUPPLY_CARDS):
        state["supply_cards"][card] = card
    state["num_supply_draw"] = NUM_SUPPLY_CARDS
    shuffle_draw(key, counters, SUPPLY_STREAM, state["supply_cards"], NUM_SUPPLY_CARDS)
    for card in range(NUM_BUILDING_CARDS):
        state["building_cards"][card] = card
    state["num_building_draw"] = NUM_BUILDING_CARDS
    shuffle_draw(key, counters, SETUP_STREAM, state["building_cards"], NUM_BUILDING_CARDS)
    index = 0
    for kind in range(int(constants["num_honours"])):
        for _ in range(int(constants["honour_copies"][kind])):
            state["honour_cards"][index] = kind
            index += 1
    state["num_honour_draw"] = NUM_HONOUR_CARDS
    shuffle_draw(key, counters, SETUP_STREAM, state["honour_cards"], NUM_HONOUR_CARDS)


@jit
def reset_record(constants: Constants, state: State, seed: int, num_players: int) -> None:
    """Write a new game up to the first decision; every byte of the record is written."""
    clear(state)
    seed_key(state["key"], state["counters"], seed, GAME_PURPOSE)
    state["num_players"] = num_players
    state["round"] = 1
    state["reserve"] = constants["bricks_total"]
    for player in range(num_players):
        state["youngest_first"][player] = player
        state["sesterces"][player] = constants["start_sesterces"]
        state["torches"][player] = constants["start_torches"]
        state["romans"][player] = constants["start_romans"]
        state["romans_reserve"][player] = constants["romans_per_player"] - constants["start_romans"]
        deal_deck(constants, state, player)
    shuffle(state["key"], state["counters"], SETUP_STREAM, state["youngest_first"], 0, num_players)
    state["starting_player"] = random_below(state["key"], state["counters"], SETUP_STREAM, num_players)
    set_up_piles(constants, state)
    begin_turn(constants, state, int(state["starting_player"]))
