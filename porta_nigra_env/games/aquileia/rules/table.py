"""Followers on spaces, coins in stocks, dice."""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import random_at
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import BRONZE, GOLD, KINDS, MAX_DICE, MAX_PLAYERS, SILVER
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.state import DICE_STREAM

NUM_KINDS = len(KINDS)


@jit
def occupied(state: State) -> int:
    """Return the occupied spaces as bits."""
    spaces = 0
    for seat in range(MAX_PLAYERS):
        spaces |= int(state["standing"][seat])
    return spaces


@jit
def acting_space(state: State) -> int:
    """Return the first occupied space in acting order; there must be one."""
    return bits.lowest(np.uint64(occupied(state)))


@jit
def holder_of(state: State, space: int) -> int:
    """Return the seat whose follower stands on an occupied space."""
    seat = 0
    while (int(state["standing"][seat]) >> space) & 1 == 0:
        seat += 1
    return seat


@jit
def send_home(state: State, spaces: int) -> None:
    """Send the followers on these spaces (bits) home."""
    for seat in range(MAX_PLAYERS):
        leaving = np.uint64(int(state["standing"][seat]) & spaces)
        while leaving != np.uint64(0):
            leaving &= leaving - np.uint64(1)
            state["followers_left"][seat] += 1
        state["standing"][seat] = int(state["standing"][seat]) & ~spaces


@jit
def following(state: State, seat: int) -> int:
    """Return the next seat clockwise."""
    return seat + 1 if seat + 1 < int(state["num_players"]) else 0


@jit
def in_turn(state: State, turn: int) -> int:
    """Return the seat at a position in turn order, from 0 for the starting player."""
    seat = int(state["starting_player"]) + turn
    players = int(state["num_players"])
    return seat - players if seat >= players else seat


@jit
def turn_of(state: State, seat: int) -> int:
    """Return the position of a seat in turn order, from 0 for the starting player."""
    turn = seat - int(state["starting_player"])
    return turn + int(state["num_players"]) if turn < 0 else turn


@jit
def gain_coins(state: State, seat: int, kind: int, coins: int) -> None:
    """Pay coins of a kind from the bank, which never runs out (A52); negative amounts go to the bank."""
    state["coins"][seat, kind] = int(state["coins"][seat, kind]) + coins


@jit
def roll(constants: Constants, state: State, throw: int, dice: int) -> None:
    """Roll dice and count the results by kind in row `throw` of the field `dice`.

    Throw, round and die determine the index of a die's random number, so no roll depends on earlier rolls.
    """
    faces = state["dice"][throw]
    for kind in range(NUM_KINDS):
        faces[kind] = 0
    bronze = int(constants["die"][BRONZE])
    silver = bronze + int(constants["die"][SILVER])
    sides = silver + int(constants["die"][GOLD])
    first = int(state["round"]) * MAX_DICE
    for die in range(dice):
        side = random_at(state["key"], DICE_STREAM + throw, first + die, sides)
        if side < bronze:
            faces[BRONZE] += 1
        elif side < silver:
            faces[SILVER] += 1
        else:
            faces[GOLD] += 1
