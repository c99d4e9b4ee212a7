"""Observations in the layouts of `observation`: a player's view, and the privileged vector."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.seats import seen_at
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.observation import PART, UNIT
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.determinize import knows_drawn, knows_owners, looks_at_drawn
from porta_nigra_env.games.aquileia.rules.scoring import owner_of_drawn, owner_of_open
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS

#: An observation or a privileged vector.
Values: TypeAlias = npt.NDArray[np.float32]
FEWEST_PLAYERS = names.SEATS[0]


@jit
def amount(value: int) -> int:
    """Clip an amount to its documented bound."""
    return min(int(value), int(UNIT.largest))


@jit
def pair_of(seat: int, other: int) -> int:
    """Return the index of a pair of other players, seen at 1 and more; a single seat is passed twice."""
    low, high = min(seat, other) - 1, max(seat, other) - 1
    return ((high * (high + 1)) >> 1) + low


@jit
def observe_table(constants: Constants, state: State, player: int, out: Values) -> None:
    """Write the common table without Stadium and Theatrum."""
    at, players = constants["at"], int(state["num_players"])
    out[at[PART.num_players] + players - FEWEST_PLAYERS] = 1.0
    out[at[PART.phase] + int(state["phase"])] = 1.0
    if state["current_player"] >= 0:
        out[at[PART.current_player] + seen_at(state["current_player"], player, players)] = 1.0
    out[at[PART.starting_player] + seen_at(state["starting_player"], player, players)] = 1.0
    out[at[PART.round]] = int(state["round"]) * UNIT.round
    out[at[PART.rounds_left]] = (int(constants["rounds"]) - int(state["round"])) * UNIT.rounds_left
    faces = int(constants["num_equi_faces"])
    for face in range(names.MAX_SLAVES):
        out[at[PART.slaves] + face] = int(state["slaves"][player, face]) * UNIT.slaves
        out[at[PART.slave_discard] + face] = int(state["slave_discard"][face]) * UNIT.slave_discard
    for face in range(faces):
        out[at[PART.equi] + face] = int(state["equi"][player, face]) * UNIT.equi
        out[at[PART.equi_discard] + face] = int(state["equi_discard"][face]) * UNIT.equi_discard
    out[at[PART.slave_draw]] = int(state["num_slave_draw"]) * UNIT.slave_draw
    out[at[PART.equi_draw]] = int(state["num_equi_draw"]) * UNIT.equi_draw
    for place in range(int(constants["area_start"][names.EQUI + 1]) - int(constants["area_start"][names.EQUI])):
        if state["equi_row"][place] >= 0:
            out[at[PART.equi_row] + faces * place + int(state["equi_row"][place])] = 1.0
    for kind in range(NUM_KINDS):
        out[at[PART.portus_coins] + kind] = (int(state["portus_coins"]) >> kind) & 1


@jit
def observe_decision(constants: Constants, state: State, player: int, out: Values) -> None:
    """Write the pending question: blue dice, cards and exchanges made, auction, buildings."""
    at, players = constants["at"], int(state["num_players"])
    if state["blue_owner"] >= 0:
        out[at[PART.blue_owner] + seen_at(state["blue_owner"], player, players)] = 1.0
        out[at[PART.blue_left]] = int(state["blue_left"]) * UNIT.blue_left
    if state["last"] >= 0:
        part = int(at[PART.last_exchange]) if state["phase"] == names.PECUNIA_PHASE else int(at[PART.last_played])
        out[part + int(state["last"])] = 1.0
    if state["bidder"] >= 0:
        out[at[PART.bidder] + seen_at(state["bidder"], player, players)] = 1.0
    for kind in range(NUM_KINDS):
        out[at[PART.bid] + kind] = amount(state["bid"][kind]) * UNIT.bid
        out[at[PART.received] + kind] = amount(state["received"][kind]) * UNIT.received
    if state["auction_card"] >= 0:
        out[at[PART.on_sale] + int(state["auction_card"])] = 1.0
    for card in range(int(constants["num_theatre_cards"])):
        if state["theatre_owner"][card] >= 0:
            place = seen_at(state["theatre_owner"][card], player, players)
            out[at[PART.theatre_owner] + names.MAX_PLAYERS * card + place] = 1.0
    out[at[PART.builds_left]] = int(state["builds_left"]) * UNIT.builds_left


@jit
def observe_owned(constants: Constants, state: State, seat: int, place: int, out: Values) -> None:
    """Write followers and houses of `seat` at `place` (0 is the observer)."""
    at = constants["at"]
    left = np.uint64(int(state["standing"][seat]))
    while left != np.uint64(0):
        out[at[PART.space_holder] + names.MAX_PLAYERS * bits.lowest(left) + place] = 1.0
        left &= left - np.uint64(1)
    left = np.uint64(int(state["buildings"][seat]))
    while left != np.uint64(0):
        out[at[PART.building_owner] + names.MAX_PLAYERS * bits.lowest(left) + place] = 1.0
        left &= left - np.uint64(1)


@jit
def observe_player(constants: Constants, state: State, seat: int, place: int, out: Values) -> None:
    """Write the public data of `seat` at `place` (0 is the observer)."""
    at = constants["at"]
    observe_owned(constants, state, seat, place, out)
    for kind in range(NUM_KINDS):
        out[at[PART.coins] + NUM_KINDS * place + kind] = amount(state["coins"][seat, kind]) * UNIT.coins
    out[at[PART.vp] + place] = amount(state["vp"][seat]) * UNIT.vp
    out[at[PART.followers_left] + place] = int(state["followers_left"][seat]) * UNIT.followers_left
    out[at[PART.houses_left] + place] = int(state["houses_left"][seat]) * UNIT.houses_left
    if state["crest"][seat] >= 0:
        out[at[PART.crest] + names.MAX_PLAYERS * place + int(state["crest"][seat])] = 1.0
    out[at[PART.passed] + place] = (int(state["passed"]) >> seat) & 1
    out[at[PART.out] + place] = (int(state["out"]) >> seat) & 1
    out[at[PART.num_slaves] + place] = int(state["num_slaves"][seat]) * UNIT.num_slaves
    out[at[PART.num_equi] + place] = int(state["num_equi"][seat]) * UNIT.num_equi
    faces = int(constants["num_equi_faces"])
    for face in range(faces):
        out[at[PART.equi_known] + faces * place + face] = int(state["equi_known"][seat, face]) * UNIT.equi_known
    out[at[PART.strength] + place] = amount(state["strength"][seat]) * UNIT.strength


@jit
def observe_past(constants: Constants, state: State, player: int, past: int, out: Values) -> None:
    """Write the observer's knowledge of a past round's stadium cards (A8-A10)."""
    at, faces, players = constants["at"], int(constants["num_stadium_faces"]), int(state["num_players"])
    first, second = int(state["past_first"][past]), int(state["past_second"][past])
    face = int(state["past_open"][past])
    if first >= 0 and not knows_owners(state, past, player):
        seat = seen_at(first, player, players)
        other = seat if second < 0 else seen_at(second, player, players)
        out[at[PART.stadium_either] + faces * pair_of(seat, other) + face] += UNIT.stadium_either
        return
    observe_stadium_card(constants, state, player, owner_of_open(state, past), face, out)
    owner = owner_of_drawn(state, past)
    if knows_drawn(state, past, player):
        observe_stadium_card(constants, state, player, owner, int(state["past_drawn"][past]), out)
    elif owner >= 0:
        out[at[PART.stadium_unseen] + seen_at(owner, player, players)] += UNIT.stadium_unseen


@jit
def observe_stadium_card(constants: Constants, state: State, player: int, owner: int, face: int, out: Values) -> None:
    """Write a known stadium card: owned by a player, or gone."""
    at, faces = constants["at"], int(constants["num_stadium_faces"])
    if owner >= 0:
        place = seen_at(owner, player, int(state["num_players"]))
        out[at[PART.stadium_owned] + faces * place + face] += UNIT.stadium_owned
    else:
        out[at[PART.stadium_gone] + face] += UNIT.stadium_gone


@jit
def observe_stadium(constants: Constants, state: State, player: int, out: Values) -> None:
    """Write the open card, the visible drawn card, and the cards of past rounds."""
    at = constants["at"]
    if state["stadium_open"] >= 0:
        out[at[PART.stadium_open] + int(state["stadium_open"])] = 1.0
    if looks_at_drawn(state, player):
        top = int(state["stadium_cards"][names.MAX_STADIUM_CARDS - int(state["num_stadium_draw"])])
        out[at[PART.stadium_next] + top] = 1.0
    for past in range(int(constants["rounds"])):
        if state["past_open"][past] < 0:
            return
        observe_past(constants, state, player, past, out)


@jit
def observe_record(constants: Constants, state: State, player: int, out: Values) -> None:
    """Write the observation of `player`, players in turn order from itself. out: float32 (observation_size,)."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    observe_table(constants, state, player, out)
    observe_decision(constants, state, player, out)
    observe_stadium(constants, state, player, out)
    players = int(state["num_players"])
    for place in range(players):
        seat = player + place
        observe_player(constants, state, seat - players if seat >= players else seat, place, out)


@jit
def write_order(cards: npt.NDArray[np.int8], drawable: int, start: int, most: int, out: Values) -> None:
    """Write (card type + 1) / most for a draw pile, next card first."""
    for place in range(drawable):
        out[start + place] = (int(cards[cards.shape[0] - drawable + place]) + 1) / most


@jit
def write_owner(constants: Constants, owner: int, face: int, out: Values) -> None:
    """Write an owned stadium card."""
    if owner >= 0:
        out[constants["at"][PART.hand_stadium] + int(constants["num_stadium_faces"]) * owner + face] += (
            UNIT.hand_stadium
        )


@jit
def privileged_record(constants: Constants, state: State, out: Values) -> None:
    """Write the observation of seat 0, all hands and all pile orders. out: float32 (privileged_size,)."""
    observe_record(constants, state, 0, out)
    at, faces = constants["at"], int(constants["num_equi_faces"])
    for seat in range(int(state["num_players"])):
        for face in range(names.MAX_SLAVES):
            out[at[PART.hand_slaves] + names.MAX_SLAVES * seat + face] = (
                int(state["slaves"][seat, face]) * UNIT.hand_slaves
            )
        for face in range(faces):
            out[at[PART.hand_equi] + faces * seat + face] = int(state["equi"][seat, face]) * UNIT.hand_equi
    for past in range(int(constants["rounds"])):
        write_owner(constants, owner_of_open(state, past), int(state["past_open"][past]), out)
        write_owner(constants, owner_of_drawn(state, past), int(state["past_drawn"][past]), out)
    write_order(state["slave_cards"], int(state["num_slave_draw"]), int(at[PART.slave_order]), names.MAX_SLAVES, out)
    write_order(state["equi_cards"], int(state["num_equi_draw"]), int(at[PART.equi_order]), names.MAX_EQUI_FACES, out)
    write_order(
        state["stadium_cards"],
        int(state["num_stadium_draw"]),
        int(at[PART.stadium_order]),
        names.MAX_STADIUM_CARDS,
        out,
    )
    write_order(
        state["theatre_cards"],
        int(state["num_theatre_draw"]),
        int(at[PART.theatre_order]),
        names.MAX_THEATRE_CARDS,
        out,
    )
