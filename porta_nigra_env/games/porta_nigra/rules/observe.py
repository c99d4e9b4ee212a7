"""Observations and the privileged vector, in the layout of `observation.privileged_layout`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.seats import seen_at
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.names import (
    FIXED_SPOTS,
    MAX_FINAL_VALUES,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_BUILDING_CARDS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
    PORTA_NIGRA_SPOTS,
    SPLIT_TENS,
    SPLIT_UNITS,
)
from porta_nigra_env.games.porta_nigra.observation import AT, UNIT
from porta_nigra_env.games.porta_nigra.rules.cards import NUM_ICONS
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.market import NUM_COLOURS
from porta_nigra_env.games.porta_nigra.rules.turn import NUM_BUILDINGS, split_total

Out = npt.NDArray[np.float32]


@jit
def amount(value: int) -> int:
    """Clip an amount to the documented bound."""
    return min(int(value), int(UNIT.largest))


@jit
def seat_at(offset: int, player: int, players: int) -> int:
    """Return the seat at an offset from the observer in turn order, or -2, which owns nothing."""
    return (player + offset) % players if offset < players else -2


@jit
def observe_table(constants: Constants, state: State, player: int, out: Out) -> None:
    """Write the entries that belong to no single player."""
    players = int(state["num_players"])
    out[AT.num_players + players - 2] = 1.0
    out[AT.seat + player] = 1.0
    out[AT.phase + int(state["phase"])] = 1.0
    if state["current_player"] >= 0:
        out[AT.current_player + seen_at(state["current_player"], player, players)] = 1.0
    out[AT.starting_player + seen_at(state["starting_player"], player, players)] = 1.0
    for i in range(players):
        seat = seen_at(state["youngest_first"][i], player, players)
        out[AT.age + seat] = (MAX_PLAYERS - i) * UNIT.age
    out[AT.round] = int(state["round"]) * UNIT.round
    out[AT.rounds_left] = (int(constants["rounds"][players]) - int(state["round"])) * UNIT.rounds_left
    out[AT.reserve] = int(state["reserve"]) * UNIT.reserve
    for colour in range(NUM_COLOURS):
        out[AT.market + colour] = int(state["market"][colour]) * UNIT.market
    for i in range(NUM_SUPPLY_CARDS - int(state["num_supply_draw"]), NUM_SUPPLY_CARDS):
        out[AT.supply_draw + int(state["supply_cards"][i])] = 1.0
    for i in range(int(state["num_building_display"])):
        out[AT.building_display + int(state["building_cards"][i])] = 1.0
    for i in range(NUM_BUILDING_CARDS - int(state["num_building_draw"]), NUM_BUILDING_CARDS):
        out[AT.building_draw + int(state["building_cards"][i])] = 1.0
    # Without branches that no processor could foresee, and in an order that it writes in few instructions.
    first, second = player, seat_at(1, player, players)
    third, fourth = seat_at(2, player, players), seat_at(3, player, players)
    for spot in range(NUM_SPOTS):
        owner, at = state["spot_owner"][spot], AT.spot_owner + MAX_PLAYERS * spot
        out[at] = owner == first
        out[at + 1] = owner == second
        out[at + 2] = owner == third
        out[at + 3] = owner == fourth
    for i in range(PORTA_NIGRA_SPOTS):
        out[AT.spot_height + i] = int(state["spot_height"][FIXED_SPOTS + i]) * UNIT.spot_height
    kinds = int(constants["num_honours"])
    for i in range(int(state["num_honour_display"])):
        out[AT.honour_display + int(state["honour_cards"][i])] += UNIT.honour_display
    for i in range(NUM_HONOUR_CARDS - int(state["num_honour_draw"]), NUM_HONOUR_CARDS):
        out[AT.honour_draw + kinds + int(state["honour_cards"][i])] += UNIT.honour_draw


@jit
def observe_decision(constants: Constants, state: State, player: int, out: Out) -> None:
    """Write the turn, the early end and the interim scoring."""
    players = int(state["num_players"])
    if state["card_in_play"] >= 0:
        out[AT.card_in_play + int(state["card_in_play"])] = 1.0
        for icon in range(NUM_ICONS):
            out[AT.icons_left + icon] = int(state["icons_left"][icon]) * UNIT.icons_left
        out[AT.markers_left] = int(state["markers_left"]) * UNIT.markers_left
        out[AT.honour_bought] = int(state["honour_bought"])
    if state["early_player"] >= 0:
        out[AT.early_end + seen_at(state["early_player"], player, players)] = 1.0
        for i in range(int(state["num_final_turns"])):
            seat = seen_at(state["final_turns"][i], player, players)
            out[AT.final_turns + seat] = (MAX_PLAYERS - i) * UNIT.final_turns
    if state["phase"] == SPLIT_TENS or state["phase"] == SPLIT_UNITS:
        current = int(state["current_player"])
        out[AT.split_total] = amount(split_total(constants, state, current)) * UNIT.split_total
        out[AT.split_tens] = (int(state["split_tens"]) + 1) * UNIT.split_tens
        seat = (current + 1) % players
        while seat != state["starting_player"]:
            out[AT.split_left + (seat - player) % players] = 1.0
            seat = (seat + 1) % players


@jit
def observe_player(state: State, seat: int, offset: int, out: Out) -> None:
    """Write the public entries of the player on `seat`, `offset` seats after the observer."""
    out[AT.sesterces + offset] = amount(state["sesterces"][seat]) * UNIT.sesterces
    out[AT.torches + offset] = amount(state["torches"][seat]) * UNIT.torches
    out[AT.influence + offset] = amount(state["influence"][seat]) * UNIT.influence
    out[AT.vp + offset] = amount(state["vp"][seat]) * UNIT.vp
    out[AT.romans + offset] = int(state["romans"][seat]) * UNIT.romans
    out[AT.romans_reserve + offset] = int(state["romans_reserve"][seat]) * UNIT.romans_reserve
    for colour in range(NUM_COLOURS):
        out[AT.bricks + NUM_COLOURS * offset + colour] = int(state["bricks"][seat, colour]) * UNIT.bricks
    if state["quarter"][seat] >= 0:
        out[AT.quarter + NUM_BUILDINGS * offset + int(state["quarter"][seat])] = 1.0
    for building in range(NUM_BUILDINGS):
        i = NUM_BUILDINGS * offset + building
        out[AT.built + i] = int(state["built"][seat, building]) * UNIT.built
        out[AT.buildings_owned + i] = int(state["buildings_owned"][seat, building]) * UNIT.buildings_owned
    for final in range(MAX_FINAL_VALUES):
        i = MAX_FINAL_VALUES * offset + final
        out[AT.finals_owned + i] = int(state["finals_owned"][seat, final]) * UNIT.finals_owned
    out[AT.num_hand + offset] = int(state["num_hand"][seat]) * UNIT.num_hand
    out[AT.num_action_draw + offset] = int(state["num_action_draw"][seat]) * UNIT.num_action_draw
    for i in range(int(state["num_action_discard"][seat])):
        out[AT.played + NUM_ACTION_CARDS * offset + int(state["action_cards"][seat, i])] = 1.0


@jit
def observe_record(constants: Constants, state: State, player: int, out: Out) -> None:
    """Write the observation of `player`: self first, then by turn order.  out: float32 (observation_size,)."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    observe_table(constants, state, player, out)
    observe_decision(constants, state, player, out)
    hand = int(state["hand"][player])
    for card in range(NUM_ACTION_CARDS):
        out[AT.hand + card] = (hand >> card) & 1
    players = int(state["num_players"])
    for offset in range(players):
        observe_player(state, (player + offset) % players, offset, out)


@jit
def privileged_record(constants: Constants, state: State, out: Out) -> None:
    """Write the observation of seat 0, then all hands and the order of all draw piles.  out: float32 (state_size,)."""
    observe_record(constants, state, 0, out)
    shift = 2 * int(constants["num_honours"])
    for seat in range(int(state["num_players"])):
        for card in range(NUM_ACTION_CARDS):
            out[shift + AT.hands + NUM_ACTION_CARDS * seat + card] = (int(state["hand"][seat]) >> card) & 1
        left = int(state["num_action_draw"][seat])
        for i in range(left):
            card = int(state["action_cards"][seat, NUM_ACTION_CARDS - left + i])
            out[shift + AT.action_draw + NUM_ACTION_CARDS * seat + card] = (i + 1) / NUM_ACTION_CARDS
    left = int(state["num_supply_draw"])
    for i in range(left):
        card = int(state["supply_cards"][NUM_SUPPLY_CARDS - left + i])
        out[shift + AT.supply_order + card] = (i + 1) / NUM_SUPPLY_CARDS
    left = int(state["num_building_draw"])
    for i in range(left):
        card = int(state["building_cards"][NUM_BUILDING_CARDS - left + i])
        out[shift + AT.building_order + card] = (i + 1) / NUM_BUILDING_CARDS
    left = int(state["num_honour_draw"])
    for i in range(left):
        kind = int(state["honour_cards"][NUM_HONOUR_CARDS - left + i])
        out[shift + AT.honour_order + i] = (kind + 1) / NUM_HONOUR_CARDS
