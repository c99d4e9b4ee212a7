"""What a player may know, in the layout of `observation.observation_spans`."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.seats import seen_at
from porta_nigra_env.games.aquileia.components.names import (
    EQUI,
    MAX_PLAYERS,
    MAX_SLAVES,
    MAX_STADIUM_CARDS,
    PECUNIA_PHASE,
    SEATS,
)
from porta_nigra_env.games.aquileia.observation import PART, UNIT
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.determinize import knows_drawn, knows_owners, looks_at_drawn
from porta_nigra_env.games.aquileia.rules.scoring import owner_of_drawn, owner_of_open
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS
from porta_nigra_env.games.aquileia.state import LARGEST_AMOUNT

FEWEST_PLAYERS = SEATS[0]


@jit
def amount(value: int) -> int:
    """An amount within the documented bound."""
    return min(int(value), LARGEST_AMOUNT)


@jit
def pair_of(one: int, other: int) -> int:
    """The place of two of the others, seen at `one` and `other` (1 and more), or of a single one given twice."""
    low, high = min(one, other) - 1, max(one, other) - 1
    return ((high * (high + 1)) >> 1) + low


@jit
def observe_table(t: Any, s: Any, player: int, out: Any) -> None:
    """Everything that belongs to no single player, but for the Stadium and the Theatrum."""
    at, players = t["at"], int(s["num_players"])
    out[at[PART.num_players] + players - FEWEST_PLAYERS] = 1.0
    out[at[PART.phase] + int(s["phase"])] = 1.0
    if s["current_player"] >= 0:
        out[at[PART.current_player] + seen_at(s["current_player"], player, players)] = 1.0
    out[at[PART.starting_player] + seen_at(s["starting_player"], player, players)] = 1.0
    out[at[PART.round]] = int(s["round"]) * UNIT.round
    out[at[PART.rounds_left]] = (int(t["rounds"]) - int(s["round"])) * UNIT.rounds_left
    faces = int(t["num_equi_faces"])
    for face in range(MAX_SLAVES):
        out[at[PART.slaves] + face] = int(s["slaves"][player, face]) * UNIT.slaves
        out[at[PART.slave_discard] + face] = int(s["slave_discard"][face]) * UNIT.slave_discard
    for face in range(faces):
        out[at[PART.equi] + face] = int(s["equi"][player, face]) * UNIT.equi
        out[at[PART.equi_discard] + face] = int(s["equi_discard"][face]) * UNIT.equi_discard
    out[at[PART.slave_draw]] = int(s["num_slave_draw"]) * UNIT.slave_draw
    out[at[PART.equi_draw]] = int(s["num_equi_draw"]) * UNIT.equi_draw
    for place in range(int(t["area_start"][EQUI + 1]) - int(t["area_start"][EQUI])):
        if s["equi_row"][place] >= 0:
            out[at[PART.equi_row] + faces * place + int(s["equi_row"][place])] = 1.0
    for kind in range(NUM_KINDS):
        out[at[PART.portus_coins] + kind] = (int(s["portus_coins"]) >> kind) & 1


@jit
def observe_decision(t: Any, s: Any, player: int, out: Any) -> None:
    """What is pending: blue dice, cards and exchanges made, the auction, buildings."""
    at, players = t["at"], int(s["num_players"])
    if s["blue_owner"] >= 0:
        out[at[PART.blue_owner] + seen_at(s["blue_owner"], player, players)] = 1.0
        out[at[PART.blue_left]] = int(s["blue_left"]) * UNIT.blue_left
    if s["last"] >= 0:
        part = int(at[PART.last_exchange]) if s["phase"] == PECUNIA_PHASE else int(at[PART.last_played])
        out[part + int(s["last"])] = 1.0
    if s["bidder"] >= 0:
        out[at[PART.bidder] + seen_at(s["bidder"], player, players)] = 1.0
    for kind in range(NUM_KINDS):
        out[at[PART.bid] + kind] = amount(s["bid"][kind]) * UNIT.bid
        out[at[PART.received] + kind] = amount(s["received"][kind]) * UNIT.received
    if s["auction_card"] >= 0:
        out[at[PART.on_sale] + int(s["auction_card"])] = 1.0
    for card in range(int(t["num_theatre_cards"])):
        if s["theatre_owner"][card] >= 0:
            place = seen_at(s["theatre_owner"][card], player, players)
            out[at[PART.theatre_owner] + MAX_PLAYERS * card + place] = 1.0
    out[at[PART.builds_left]] = int(s["builds_left"]) * UNIT.builds_left


@jit
def observe_owned(t: Any, s: Any, seat: int, place: int, out: Any) -> None:
    """Followers and houses of the player on `seat`, entered at `place` (0 is the observer)."""
    at = t["at"]
    left = np.uint64(int(s["standing"][seat]))
    while left != np.uint64(0):
        out[at[PART.space_holder] + MAX_PLAYERS * bits.lowest(left) + place] = 1.0
        left &= left - np.uint64(1)
    left = np.uint64(int(s["buildings"][seat]))
    while left != np.uint64(0):
        out[at[PART.building_owner] + MAX_PLAYERS * bits.lowest(left) + place] = 1.0
        left &= left - np.uint64(1)


@jit
def observe_player(t: Any, s: Any, seat: int, place: int, out: Any) -> None:
    """What everybody knows of the player on `seat`, entered at `place` (0 is the observer)."""
    at = t["at"]
    observe_owned(t, s, seat, place, out)
    for kind in range(NUM_KINDS):
        out[at[PART.coins] + NUM_KINDS * place + kind] = amount(s["coins"][seat, kind]) * UNIT.coins
    out[at[PART.vp] + place] = amount(s["vp"][seat]) * UNIT.vp
    out[at[PART.followers_left] + place] = int(s["followers_left"][seat]) * UNIT.followers_left
    out[at[PART.houses_left] + place] = int(s["houses_left"][seat]) * UNIT.houses_left
    if s["crest"][seat] >= 0:
        out[at[PART.crest] + MAX_PLAYERS * place + int(s["crest"][seat])] = 1.0
    out[at[PART.passed] + place] = (int(s["passed"]) >> seat) & 1
    out[at[PART.out] + place] = (int(s["out"]) >> seat) & 1
    out[at[PART.num_slaves] + place] = int(s["num_slaves"][seat]) * UNIT.num_slaves
    out[at[PART.num_equi] + place] = int(s["num_equi"][seat]) * UNIT.num_equi
    faces = int(t["num_equi_faces"])
    for face in range(faces):
        out[at[PART.equi_known] + faces * place + face] = int(s["equi_known"][seat, face]) * UNIT.equi_known
    out[at[PART.strength] + place] = amount(s["strength"][seat]) * UNIT.strength


@jit
def observe_past(t: Any, s: Any, player: int, past: int, out: Any) -> None:
    """What the observer knows of the stadium cards of a round that is past (A8-A10)."""
    at, faces, players = t["at"], int(t["num_stadium_faces"]), int(s["num_players"])
    first, second = int(s["past_first"][past]), int(s["past_second"][past])
    face = int(s["past_open"][past])
    if first >= 0 and not knows_owners(s, past, player):
        one = seen_at(first, player, players)
        other = one if second < 0 else seen_at(second, player, players)
        out[at[PART.stadium_either] + faces * pair_of(one, other) + face] += UNIT.stadium_either
        return
    observe_stadium_card(t, s, player, owner_of_open(s, past), face, out)
    owner = owner_of_drawn(s, past)
    if knows_drawn(s, past, player):
        observe_stadium_card(t, s, player, owner, int(s["past_drawn"][past]), out)
    elif owner >= 0:
        out[at[PART.stadium_unseen] + seen_at(owner, player, players)] += UNIT.stadium_unseen


@jit
def observe_stadium_card(t: Any, s: Any, player: int, owner: int, face: int, out: Any) -> None:
    """A stadium card that the observer knows: a player's, or gone."""
    at, faces = t["at"], int(t["num_stadium_faces"])
    if owner >= 0:
        place = seen_at(owner, player, int(s["num_players"]))
        out[at[PART.stadium_owned] + faces * place + face] += UNIT.stadium_owned
    else:
        out[at[PART.stadium_gone] + face] += UNIT.stadium_gone


@jit
def observe_stadium(t: Any, s: Any, player: int, out: Any) -> None:
    """The open card, the drawn one for who may look at it, and those of the rounds before."""
    at = t["at"]
    if s["stadium_open"] >= 0:
        out[at[PART.stadium_open] + int(s["stadium_open"])] = 1.0
    if looks_at_drawn(s, player):
        top = int(s["stadium_cards"][MAX_STADIUM_CARDS - int(s["num_stadium_draw"])])
        out[at[PART.stadium_next] + top] = 1.0
    for past in range(int(t["rounds"])):
        if s["past_open"][past] < 0:
            return
        observe_past(t, s, player, past, out)


@jit
def observe_record(t: Any, s: Any, player: int, out: Any) -> None:
    """All that `player` may know; players stand self first, then by turn order.  out: float32 (observation_size,)."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    observe_table(t, s, player, out)
    observe_decision(t, s, player, out)
    observe_stadium(t, s, player, out)
    players = int(s["num_players"])
    for place in range(players):
        seat = player + place
        observe_player(t, s, seat - players if seat >= players else seat, place, out)
