"""Which actions are legal, as a bit set: what can be had is a set of spaces, exchanges or buildings."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import (
    ARENA_CARDS,
    ARENA_DICE,
    ARENA_PRIZE,
    AUCTION,
    EQUI_PHASE,
    FORUM_PHASE,
    MAX_BUILDINGS,
    MAX_EQUI_FACES,
    MAX_EXCHANGES,
    MAX_SLAVES,
    MAX_SPACES,
    OVER,
    PECUNIA_PHASE,
    PLACE,
    PORTUS,
    SERVI_PHASE,
    STADIUM_CARDS,
    STADIUM_GOLD,
    STADIUM_SILVER,
    WEAPON,
)
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.forum import sites
from porta_nigra_env.games.aquileia.rules.mercatus import exchanges, most_slaves
from porta_nigra_env.games.aquileia.rules.stadium import horses_of_racer
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, occupied
from porta_nigra_env.games.aquileia.rules.theatrum import bids


@jit
def spaces_open_to(constants: Constants, state: State, seat: int) -> int:
    """Bits of the spaces where a seat may put a follower (A13-A16)."""
    if state["followers_left"][seat] == 0:
        return 0
    own = int(state["standing"][seat])
    gold, silver = int(constants["area_spaces"][STADIUM_GOLD]), int(constants["area_spaces"][STADIUM_SILVER])
    portus = int(constants["area_spaces"][PORTUS])
    free = ((1 << int(constants["num_spaces"])) - 1) & ~occupied(state)
    if own & gold:
        free &= ~silver
    if own & silver:
        free &= ~gold
    if own & portus:
        free &= ~portus
    for kind in range(NUM_KINDS):
        if state["coins"][seat, kind] == 0:
            free &= ~int(constants["coin_space"][kind])
    for group in range(int(constants["num_alike"])):
        alike = free & int(constants["alike"][group])
        free ^= alike ^ (alike & -alike)
    return free


@jit
def legal_place(constants: Constants, state: State, seat: int, words: Any) -> None:
    """Spaces, the crest, and always the pass (A11-A17)."""
    bits.put(words, 0, spaces_open_to(constants, state, seat), MAX_SPACES)
    if state["crest"][seat] < 0:
        bits.add(words, int(constants["crest_id"]))
    bits.add(words, int(constants["pass_id"]))


@jit
def equi_faces(constants: Constants, state: State, seat: int, group: int) -> int:
    """Bits of the faces of a group that a seat holds, none before the card just played (A29, A33)."""
    found = 0
    for face in range(max(0, int(state["last"]) - MAX_SLAVES), int(constants["num_equi_faces"])):
        if state["equi"][seat, face] > 0 and constants["equi_group"][face] == group:
            found |= 1 << face
    return found


@jit
def legal_cards(constants: Constants, state: State, seat: int, phase: int, words: Any) -> None:
    """Slaves and weapons in a fight, horses of the own side in a race; and always no more (A20, A29, A33)."""
    bits.add(words, int(constants["done_id"]))
    group = WEAPON if phase == ARENA_CARDS else horses_of_racer(constants, state, seat)
    bits.put(words, int(constants["play_equi_start"]), equi_faces(constants, state, seat, group), MAX_EQUI_FACES)
    if phase == ARENA_CARDS:
        for face in range(max(0, int(state["last"])), MAX_SLAVES):
            if state["slaves"][seat, face] > 0:
                bits.add(words, int(constants["play_slave"][face]))


@jit
def legal_choice(constants: Constants, state: State, seat: int, phase: int, words: Any) -> None:
    """So many blue dice; one of two prizes (A30, A32, A35)."""
    if phase == ARENA_DICE:
        choices = int(state["blue_left"]) + 1
        bits.put(words, int(constants["dice_start"]), (1 << choices) - 1, choices)
    else:
        first = int(constants["take_start"]) if phase == ARENA_PRIZE else int(constants["keep_start"])
        bits.add(words, first)
        bits.add(words, first + 1)


@jit
def legal_follower(constants: Constants, state: State, seat: int, phase: int, words: Any) -> None:
    """What the follower on the acting space may do; everything may be declined (A19)."""
    if phase == PECUNIA_PHASE:
        bits.add(words, int(constants["done_id"]))
        bits.put(words, int(constants["exchange_start"]), exchanges(constants, state, seat), MAX_EXCHANGES)
        return
    bits.add(words, int(constants["pass_id"]))
    if phase == FORUM_PHASE:
        bits.put(words, int(constants["build_start"]), sites(constants, state, seat), MAX_BUILDINGS)
    elif phase == AUCTION:
        bits.put(words, int(constants["bid_start"]), bids(state, seat), NUM_KINDS)
    elif phase == EQUI_PHASE:
        bits.add(words, int(constants["buy_start"]))
    elif phase == SERVI_PHASE:
        choices = most_slaves(constants, state, seat, acting_space(state))
        bits.put(words, int(constants["buy_start"]), (1 << choices) - 1, choices)
    else:
        bits.add(words, int(constants["activate_id"]))


@jit
def legal_record(constants: Constants, state: State, words: Any) -> None:
    """The set of legal actions; empty when the game is over."""
    for i in range(words.shape[0]):
        words[i] = np.uint64(0)
    phase, seat = int(state["phase"]), int(state["current_player"])
    if phase == PLACE:
        legal_place(constants, state, seat, words)
    elif phase in (ARENA_CARDS, STADIUM_CARDS):
        legal_cards(constants, state, seat, phase, words)
    elif ARENA_CARDS < phase < AUCTION:
        legal_choice(constants, state, seat, phase, words)
    elif phase != OVER:
        legal_follower(constants, state, seat, phase, words)
