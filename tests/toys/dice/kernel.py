"""The kernel: compiled functions over the record, which neither allocate nor raise."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.layout import units
from porta_nigra_env.core.arrays.rng import random_below, seed_key
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.core.game.kernel import Kernel
from tests.toys.dice.state import (
    COINS,
    HIGHEST_BID,
    MAX_PLAYERS,
    MOST,
    OBSERVATION,
    PRIVILEGED,
    ROUNDS,
    SIDES,
    STOP_ID,
    THROW_ID,
    THROWS,
)

#: All source files of the compiled code; an edit of any of them recompiles it.
SOURCES: Final = (*CORE_SOURCES, Path(__file__), Path(__file__).with_name("state.py"))
jit = compiler(*SOURCES)

#: Streams of random numbers, and purposes of seeds.
POT, CUPS, THROWN = range(3)
GAME, DETERMINIZE = 1, 2
#: Offsets of the fields of an observation.
SEAT, TURN, BIDDING, ROUND, POT_EYES, CUP, COINS_AT, POINTS, BIDS, THROWN_AT = (
    OBSERVATION[name].start
    for name in ("seat", "turn", "bidding", "round", "pot", "cup", "coins", "points", "bids", "thrown")
)
ALL_CUPS, ALL_BIDS = PRIVILEGED["all_cups"].start, PRIVILEGED["all_bids"].start
#: Factors of raw quantities, 1 / scale; a batch with uint8 observations has 1 in their place.
UNIT: Final = units(PRIVILEGED)

# -- the rules


@jit
def begin_round(state: State) -> None:
    """Throw the pot and all cups."""
    state["round"] = int(state["round"]) + 1
    state["current_player"] = 0
    state["pot"] = 1 + random_below(state["key"], state["counters"], POT, SIDES)
    for seat in range(int(state["num_players"])):
        state["bids"][seat] = -1
        state["cup"][seat] = 1 + random_below(state["key"], state["counters"], CUPS, SIDES)
        for i in range(THROWS):
            state["thrown"][seat][i] = 0


@jit
def reset(constants: Constants, states: Any, row: int, seed: int, num_players: int) -> None:
    """Begin the first round."""
    s = states[row]
    seed_key(s["key"], s["counters"], seed, GAME)
    s["num_players"] = num_players
    s["round"] = 0
    for seat in range(MAX_PLAYERS):
        s["coins"][seat] = COINS if seat < num_players else 0
        s["pot_points"][seat] = 0
        s["cup_points"][seat] = 0
        s["bids"][seat] = -1
        s["cup"][seat] = 0
        for i in range(THROWS):
            s["thrown"][seat][i] = 0
    begin_round(s)


@jit
def is_bidding(state: State) -> bool:
    """Return True while fists are closed: the last seat has not bid."""
    return bool(state["current_player"] >= 0 and state["bids"][int(state["num_players"]) - 1] < 0)


@jit
def open_fists(state: State) -> None:
    """Let the highest unique bid pay and win the pot."""
    winner = -1
    for seat in range(int(state["num_players"])):
        alone = True
        for other in range(int(state["num_players"])):
            if other != seat and state["bids"][other] == state["bids"][seat]:
                alone = False
        if alone and (winner < 0 or state["bids"][seat] > state["bids"][winner]):
            winner = seat
    if winner >= 0:
        state["coins"][winner] = int(state["coins"][winner]) - int(state["bids"][winner])
        state["pot_points"][winner] = int(state["pot_points"][winner]) + int(state["pot"])


@jit
def worth(state: State, seat: int) -> int:
    """Return the points of a cup and the dice beside it."""
    eyes = int(state["cup"][seat])
    for i in range(THROWS):
        eyes += int(state["thrown"][seat][i])
    return eyes if eyes <= MOST else 0


@jit
def lift_cups(state: State) -> None:
    """Score the cups, then begin the next round or end the game and clear the dice."""
    for seat in range(int(state["num_players"])):
        state["cup_points"][seat] = int(state["cup_points"][seat]) + worth(state, seat)
    if state["round"] < ROUNDS:
        begin_round(state)
        return
    state["current_player"] = -1
    state["pot"] = 0
    for seat in range(int(state["num_players"])):
        state["bids"][seat] = -1
        state["cup"][seat] = 0
        for i in range(THROWS):
            state["thrown"][seat][i] = 0


@jit
def count_thrown(state: State, seat: int) -> int:
    """Return the number of dice beside a cup."""
    count = 0
    while count < THROWS and state["thrown"][seat][count] > 0:
        count += 1
    return count


@jit
def step(constants: Constants, states: Any, row: int, action: int) -> None:
    """Carry out a bid, a throw, or a stop."""
    s = states[row]
    player = int(s["current_player"])
    last = player == int(s["num_players"]) - 1
    if action < THROW_ID:
        s["bids"][player] = action
        s["current_player"] = 0 if last else player + 1
        if last:
            open_fists(s)
        return
    count = count_thrown(s, player)
    if action == THROW_ID:
        s["thrown"][player][count] = 1 + random_below(s["key"], s["counters"], THROWN, SIDES)
        if count + 1 < THROWS:
            return
    if last:
        lift_cups(s)
    else:
        s["current_player"] = player + 1


@jit
def legal(constants: Constants, states: Any, row: int, words: Any) -> None:
    """Allow bids up to the coins of the player; then a throw or a stop."""
    s = states[row]
    words[0] = np.uint64(0)
    if is_bidding(s):
        for coins in range(min(HIGHEST_BID, int(s["coins"][int(s["current_player"])])) + 1):
            bits.add(words, coins)
    elif s["current_player"] >= 0:
        bits.add(words, THROW_ID)
        bits.add(words, STOP_ID)


# -- results


@jit
def score(constants: Constants, states: Any, row: int, totals: Any) -> None:
    """Write the points so far plus the current worth of the cups."""
    s = states[row]
    for seat in range(totals.shape[0]):
        totals[seat] = int(s["pot_points"][seat]) + int(s["cup_points"][seat]) + worth(s, seat)


@jit
def rank(constants: Constants, states: Any, row: int, totals: Any, places: Any) -> None:
    """Rank by points, then by coins; further ties share the rank."""
    coins = states[row]["coins"]
    for seat in range(places.shape[0]):
        better = 0
        for other in range(places.shape[0]):
            if totals[other] > totals[seat] or (totals[other] == totals[seat] and coins[other] > coins[seat]):
                better += 1
        places[seat] = better + 1


@jit
def points(constants: Constants, states: Any, row: int, out: Any) -> None:
    """Write the points gained so far."""
    s = states[row]
    for seat in range(out.shape[0]):
        out[seat] = int(s["pot_points"][seat]) + int(s["cup_points"][seat])


@jit
def rounds(constants: Constants, states: Any, row: int) -> int:
    """Return the number of the round, from 1."""
    return int(states[row]["round"])


# -- information of a player


@jit
def observe(constants: Constants, states: Any, row: int, player: int, out: Any) -> None:
    """Write the public information in seat order from the player on, and its own die and bid."""
    s = states[row]
    players = int(s["num_players"])
    for i in range(out.shape[0]):
        out[i] = 0.0
    out[players - 2] = 1.0
    out[SEAT + player] = 1.0
    if s["current_player"] >= 0:
        out[TURN + (int(s["current_player"]) - player) % players] = 1.0
    out[BIDDING] = 1.0 if is_bidding(s) else 0.0
    out[ROUND] = int(s["round"]) * UNIT.round
    out[POT_EYES] = int(s["pot"]) * UNIT.pot
    out[CUP] = int(s["cup"][player]) * UNIT.cup
    for offset in range(players):
        seat = (player + offset) % players
        out[COINS_AT + offset] = int(s["coins"][seat]) * UNIT.coins
        out[POINTS + offset] = (int(s["pot_points"][seat]) + int(s["cup_points"][seat])) * UNIT.points
        if seat == player or not is_bidding(s):
            out[BIDS + offset] = (int(s["bids"][seat]) + 1) * UNIT.bids
        for i in range(THROWS):
            out[THROWN_AT + THROWS * offset + i] = int(s["thrown"][seat][i]) * UNIT.thrown


@jit
def privileged(constants: Constants, states: Any, row: int, out: Any) -> None:
    """Write the observation of seat 0, all cups and all bids."""
    s = states[row]
    observe(constants, states, row, 0, out)
    for seat in range(MAX_PLAYERS):
        out[ALL_CUPS + seat] = int(s["cup"][seat]) * UNIT.all_cups
        out[ALL_BIDS + seat] = (int(s["bids"][seat]) + 1) * UNIT.all_bids


@jit
def redact(constants: Constants, states: Any, row: int, player: int) -> None:
    """Clear the other cups, the other closed fists and the random key."""
    s = states[row]
    bidding = is_bidding(s)
    for seat in range(int(s["num_players"])):
        if seat != player:
            s["cup"][seat] = 0
            if bidding:
                s["bids"][seat] = -1
    for i in range(2):
        s["key"][i] = 0
    for i in range(3):
        s["counters"][i] = 0


@jit
def determinize(constants: Constants, states: Any, row: int, player: int, seed: int) -> None:
    """Sample the other cups, affordable bids in the other fists, and the future throws."""
    s = states[row]
    redact(constants, states, row, player)
    seed_key(s["key"], s["counters"], seed, DETERMINIZE)
    if s["current_player"] < 0:
        return
    bidding = is_bidding(s)
    for seat in range(int(s["num_players"])):
        if seat != player:
            s["cup"][seat] = 1 + random_below(s["key"], s["counters"], CUPS, SIDES)
            if bidding and seat < int(s["current_player"]):
                highest = min(HIGHEST_BID, int(s["coins"][seat]))
                s["bids"][seat] = random_below(s["key"], s["counters"], CUPS, highest + 1)


KERNEL: Final = Kernel(
    reset, step, legal, observe, determinize, score, redact, privileged, rank=rank, points=points, rounds=rounds
)
#: Numbers of a component file would be here; this game has none.
CONSTANTS: Final = np.zeros(1, dtype=[("nothing", np.int8)])
CONSTANTS.flags.writeable = False
