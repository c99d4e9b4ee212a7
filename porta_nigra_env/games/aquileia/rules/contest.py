"""Common parts of fight and race: strengths, cards, ranking, coins (A28-A31, A33-A35)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.aquileia.components.names import MAX_EQUI_FACES, MAX_PLAYERS, MAX_SLAVES
from porta_nigra_env.games.aquileia.rules.cards import discard_equi, discard_slaves
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import gain_coins, in_turn, roll, turn_of

PRIZES = 3


@jit
def takes_part(state: State, seat: int, spaces: int) -> bool:
    """Return True if a seat has a follower on these spaces (bits)."""
    return bool(int(state["standing"][seat]) & spaces)


@jit
def roll_red(constants: Constants, state: State, seat: int, throw: int, kind: int, first: int, last: int) -> None:
    """Roll a contestant's red dice and set the strength: spaces ``first..last-1`` plus dice of the kind."""
    roll(constants, state, throw + seat, int(constants["contest_red_dice"]))
    strength = int(state["dice"][throw + seat, kind])
    for space in range(first, last):
        if (int(state["standing"][seat]) >> space) & 1:
            strength += int(constants["space_strength"][space])
    state["strength"][seat] = strength


@jit
def roll_blue(constants: Constants, state: State, seat: int, throw: int, kind: int, dice: int) -> None:
    """Roll blue dice and add those of the kind to the owner's strength."""
    roll(constants, state, throw, dice)
    state["strength"][seat] += int(state["dice"][throw, kind])
    state["blue_left"] -= dice


@jit
def ask_for_cards(state: State, spaces: int, turn: int, phase: int, with_slaves: int) -> bool:
    """Ask the next contestant with a relevant card, from this turn on."""
    for place in range(turn, int(state["num_players"])):
        seat = in_turn(state, place)
        if takes_part(state, seat, spaces) and holds_cards(state, seat, with_slaves):
            state["phase"] = phase
            state["current_player"] = seat
            return True
    return False


@jit
def holds_cards(state: State, seat: int, with_slaves: int) -> bool:
    """Return True if a seat holds an equi card or, where slaves count, any card (A29, A33)."""
    return bool(state["num_equi"][seat] > 0 or (with_slaves > 0 and state["num_slaves"][seat] > 0))


@jit
def playable_equi(constants: Constants, state: State, seat: int, group: int) -> int:
    """Return the equi cards of a group in a seat's hand as bits, without those before the last card (A29, A33)."""
    playable = 0
    for face in range(max(0, int(state["last"]) - MAX_SLAVES), int(constants["num_equi_faces"])):
        if state["equi"][seat, face] > 0 and constants["equi_group"][face] == group:
            playable |= 1 << face
    return playable


@jit
def legal_equi_cards(constants: Constants, state: State, seat: int, group: int, words: Words) -> None:
    """Allow the equi cards of a group, and to play no more (A20)."""
    bits.add(words, int(constants["done_id"]))
    bits.put(words, int(constants["play_equi_start"]), playable_equi(constants, state, seat, group), MAX_EQUI_FACES)


@jit
def play_card(constants: Constants, state: State, seat: int, action: int) -> None:
    """Discard a card and add its number to the strength."""
    face = action - int(constants["play_equi_start"])
    if face >= 0:
        discard_equi(state, seat, face)
        state["strength"][seat] += constants["equi_strength"][face]
        state["last"] = MAX_SLAVES + face
    else:
        slaves = 1 if action == int(constants["play_slave"][0]) else MAX_SLAVES
        discard_slaves(state, seat, slaves - 1, 1)
        state["strength"][seat] += slaves
        state["last"] = slaves - 1


@jit
def tie_break(state: State, seat: int) -> int:
    """Return the tie-break key, lower is better: placed crests by rank, then the others in turn order (A31)."""
    crest = int(state["crest"][seat])
    return crest if crest >= 0 else MAX_PLAYERS + turn_of(state, seat)


@jit
def place_of(state: State, seat: int, spaces: int) -> int:
    """Return a contestant's rank, from 0 (A31)."""
    place = 0
    for other in range(int(state["num_players"])):
        if other != seat and takes_part(state, other, spaces):
            ahead = int(state["strength"][other]) - int(state["strength"][seat])
            if ahead > 0 or (ahead == 0 and tie_break(state, other) < tie_break(state, seat)):
                place += 1
    return place


@jit
def ranked(state: State, place: int, spaces: int) -> int:
    """Return the contestant of a rank, from 0; -1 if there are fewer contestants."""
    for seat in range(int(state["num_players"])):
        if takes_part(state, seat, spaces) and place_of(state, seat, spaces) == place:
            return seat
    return -1


@jit
def pay_prize(state: State, seat: int, spaces: int, prizes: npt.NDArray[np.int32], kind: int) -> None:
    """Pay a contestant of one of the first three ranks."""
    place = place_of(state, seat, spaces)
    if place < PRIZES:
        gain_coins(state, seat, kind, int(prizes[place]))


@jit
def clear_contest(state: State) -> None:
    """Clear all strengths."""
    for seat in range(MAX_PLAYERS):
        state["strength"][seat] = 0
