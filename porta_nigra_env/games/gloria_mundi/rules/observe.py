"""Observations in the layout of `observation.OBSERVATION`, and the privileged vector."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.seats import seen_at
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import (
    MAX_PLAYERS,
    NUM_BASIC,
    NUM_CARDS,
    NUM_PLACES,
    PAY,
    PAY_TRIBUTE,
    SEATS,
)
from porta_nigra_env.games.gloria_mundi.observation import AHEAD, AT, UNIT
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.goth import next_empty, reached_space, stones_on
from porta_nigra_env.games.gloria_mundi.rules.payment import due_stones
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS

FEWEST_PLAYERS = SEATS[0]

Vector = npt.NDArray[np.float32]


@jit
def observe_turn(constants: Constants, state: State, player: int, out: Vector) -> None:
    """Write the current player and the progress of the game."""
    players = int(state["num_players"])
    out[AT.num_players + players - FEWEST_PLAYERS] = 1.0
    out[AT.phase + int(state["phase"])] = 1.0
    if state["current_player"] >= 0:
        out[AT.current_player + seen_at(int(state["current_player"]), player, players)] = 1.0
    else:
        out[AT.end + int(state["end"])] = 1.0
    out[AT.active_player + seen_at(int(state["active_player"]), player, players)] = 1.0
    out[AT.turn] = min(int(state["turn"]), UNIT.largest) * UNIT.turn
    out[AT.deck_size] = int(state["num_deck"]) * UNIT.deck_size
    if state["played"] >= 0:
        out[AT.played + int(state["played"])] = 1.0


@jit
def observe_cards(state: State, out: Vector) -> None:
    """Write the building cards of the forum and the deck."""
    for place in range(NUM_PLACES):
        if state["forum"][place] >= 0:
            out[AT.forum + NUM_CARDS * place + int(state["forum"][place])] = 1.0
    for index in range(NUM_CARDS - int(state["num_deck"]), NUM_CARDS):
        out[AT.deck + int(state["deck"][index])] = 1.0


@jit
def observe_decision(constants: Constants, state: State, out: Vector) -> None:
    """Write the pending decision: cards left, a purchase, a payment, losses."""
    left = np.uint64(int(state["left"]))
    while left != np.uint64(0):
        out[AT.left + bits.lowest(left)] = 1.0
        left &= left - np.uint64(1)
    if state["card"] >= 0:
        out[AT.card + int(state["card"])] = 1.0
    out[AT.give_left] = int(state["give_left"]) * UNIT.give_left
    out[AT.take_left] = int(state["take_left"]) * UNIT.take_left
    if state["place"] >= 0:
        out[AT.place + int(state["place"])] = 1.0
    if state["base"] >= 0:
        out[AT.base + int(state["base"])] = 1.0
    if state["phase"] == PAY or state["phase"] == PAY_TRIBUTE:
        out[AT.due] = due_stones(constants, state) * UNIT.due
    for kind in range(NUM_BASIC):
        if state["paid"][kind] >= 0:
            out[AT.paid + kind] = int(state["paid"][kind]) * UNIT.paid
            out[AT.fixed + kind] = 1.0
    for base in range(NUM_BASES):
        out[AT.demanded + base] = int(state["demanded"][base]) * UNIT.demanded
    for kind in range(NUM_KINDS):
        out[AT.raid_stones + kind] = int(state["raid_stones"][kind]) * UNIT.raid_stones


@jit
def observe_goth(constants: Constants, state: State, out: Vector) -> None:
    """Write the track of the Goth, the tribute ahead, and the demand of a march."""
    goth, empty, rome = int(state["goth"]), next_empty(state), int(constants["provinces"]) + 1
    out[AT.goth] = goth * UNIT.goth
    out[AT.to_rome] = max(0, rome - empty) * UNIT.to_rome
    reached = reached_space(constants, state)
    for base in range(NUM_BASES):
        out[AT.goth_symbols + base] = int(constants["symbols"][goth, base]) * UNIT.goth_symbols
        demand = int(constants["symbols_to"][reached, base]) - int(constants["symbols_to"][goth, base])
        out[AT.at_stake + base] = demand * UNIT.at_stake
    for ahead in range(min(AHEAD, rome - empty)):
        for base in range(NUM_BASES):
            symbols = int(constants["symbols"][empty + ahead, base])
            out[AT.ahead + NUM_BASES * ahead + base] = symbols * UNIT.ahead
    for space in range(goth + 1, empty):
        for kind in range(NUM_KINDS):
            out[AT.tribute + kind] += stones_on(constants, state, space, kind) * UNIT.tribute


@jit
def observe_player(constants: Constants, state: State, seat: int, offset: int, out: Vector) -> None:
    """Write the possessions of a seat at an offset in turn order from the observer."""
    steps = int(state["steps"][seat])
    out[AT.steps + offset] = steps * UNIT.steps
    out[AT.steps_left + offset] = (int(constants["escape_steps"]) - steps) * UNIT.steps_left
    for kind in range(NUM_KINDS):
        out[AT.stones + NUM_KINDS * offset + kind] = min(int(state["stones"][seat, kind]), UNIT.largest) * UNIT.stones
    for base in range(NUM_BASES):
        cards, bare = int(state["covered"][seat, base]), int(state["bare"][seat, base])
        at = NUM_BASES * offset + base
        out[AT.hand + at] = int(state["hand"][seat, base]) * UNIT.hand
        out[AT.bare + at] = bare * UNIT.bare
        covered = 0
        left = np.uint64(cards)
        while left != np.uint64(0):
            card = bits.lowest(left)
            out[AT.owner + MAX_PLAYERS * card + offset] = 1.0
            out[AT.lies_on + card] = (base + 1) * UNIT.lies_on
            left &= left - np.uint64(1)
            covered += 1
        out[AT.display + at] = (bare + covered) * UNIT.display


@jit
def observe_record(constants: Constants, state: State, player: int, out: Vector) -> None:
    """Write the observation of `player`, with players in turn order from it; out: float32 (observation_size,)."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    observe_turn(constants, state, player, out)
    observe_cards(state, out)
    observe_decision(constants, state, out)
    observe_goth(constants, state, out)
    players = int(state["num_players"])
    for offset in range(players):
        seat = player + offset
        observe_player(constants, state, seat - players if seat >= players else seat, offset, out)


@jit
def privileged_record(constants: Constants, state: State, out: Vector) -> None:
    """Write the observation of seat 0, then the order of the deck; out: float32 (privileged_size,)."""
    observe_record(constants, state, 0, out)
    cards = int(state["num_deck"])
    for index in range(cards):
        out[AT.deck_order + index] = (int(state["deck"][NUM_CARDS - cards + index]) + 1) * UNIT.deck_order
