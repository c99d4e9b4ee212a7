"""What a player may know, in the layout of `observation.OBSERVATION`; and the privileged vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.seats import seen_at
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


@jit
def observe_turn(t: Any, s: Any, player: int, out: Any) -> None:
    """Whose decision it is, and where the game stands."""
    players = int(s["num_players"])
    out[AT.num_players + players - FEWEST_PLAYERS] = 1.0
    out[AT.phase + int(s["phase"])] = 1.0
    if s["current_player"] >= 0:
        out[AT.current_player + seen_at(int(s["current_player"]), player, players)] = 1.0
    else:
        out[AT.end + int(s["end"])] = 1.0
    out[AT.active_player + seen_at(int(s["active_player"]), player, players)] = 1.0
    out[AT.turn] = int(s["turn"]) * UNIT.turn
    out[AT.deck_size] = int(s["num_deck"]) * UNIT.deck_size
    if s["played"] >= 0:
        out[AT.played + int(s["played"])] = 1.0


@jit
def observe_cards(s: Any, out: Any) -> None:
    """Building cards that belong to nobody."""
    for place in range(NUM_PLACES):
        if s["forum"][place] >= 0:
            out[AT.forum + NUM_CARDS * place + int(s["forum"][place])] = 1.0
    for place in range(NUM_CARDS - int(s["num_deck"]), NUM_CARDS):
        out[AT.deck + int(s["deck"][place])] = 1.0


@jit
def observe_decision(t: Any, s: Any, out: Any) -> None:
    """What is pending: cards left, a purchase, a payment, losses."""
    left = np.uint64(int(s["left"]))
    while left != np.uint64(0):
        out[AT.left + bits.lowest(left)] = 1.0
        left &= left - np.uint64(1)
    if s["card"] >= 0:
        out[AT.card + int(s["card"])] = 1.0
    out[AT.give_left] = int(s["give_left"]) * UNIT.give_left
    out[AT.take_left] = int(s["take_left"]) * UNIT.take_left
    if s["place"] >= 0:
        out[AT.place + int(s["place"])] = 1.0
    if s["base"] >= 0:
        out[AT.base + int(s["base"])] = 1.0
    if s["phase"] == PAY or s["phase"] == PAY_TRIBUTE:
        out[AT.due] = due_stones(t, s) * UNIT.due
    for kind in range(NUM_BASIC):
        if s["paid"][kind] >= 0:
            out[AT.paid + kind] = int(s["paid"][kind]) * UNIT.paid
            out[AT.fixed + kind] = 1.0
    for base in range(NUM_BASES):
        out[AT.demanded + base] = int(s["demanded"][base]) * UNIT.demanded
    for kind in range(NUM_KINDS):
        out[AT.raid_stones + kind] = int(s["raid_stones"][kind]) * UNIT.raid_stones


@jit
def observe_goth(t: Any, s: Any, out: Any) -> None:
    """The Goth's track: where he stands, what lies ahead of him, what his next move would cost."""
    goth, following_space, rome = int(s["goth"]), next_empty(s), int(t["provinces"]) + 1
    out[AT.goth] = goth * UNIT.goth
    out[AT.to_rome] = max(0, rome - following_space) * UNIT.to_rome
    reached = reached_space(t, s)
    for base in range(NUM_BASES):
        out[AT.goth_symbols + base] = int(t["symbols"][goth, base]) * UNIT.goth_symbols
        demand = int(t["symbols_to"][reached, base]) - int(t["symbols_to"][goth, base])
        out[AT.at_stake + base] = demand * UNIT.at_stake
    for ahead in range(min(AHEAD, rome - following_space)):
        for base in range(NUM_BASES):
            symbols = int(t["symbols"][following_space + ahead, base])
            out[AT.ahead + NUM_BASES * ahead + base] = symbols * UNIT.ahead
    for space in range(goth + 1, following_space):
        for kind in range(NUM_KINDS):
            out[AT.tribute + kind] += stones_on(t, s, space, kind) * UNIT.tribute


@jit
def observe_player(t: Any, s: Any, seat: int, place: int, out: Any) -> None:
    """What belongs to the player on `seat`, entered at `place` (0 is the observer)."""
    steps = int(s["steps"][seat])
    out[AT.steps + place] = steps * UNIT.steps
    out[AT.steps_left + place] = (int(t["escape_steps"]) - steps) * UNIT.steps_left
    for kind in range(NUM_KINDS):
        out[AT.stones + NUM_KINDS * place + kind] = int(s["stones"][seat, kind]) * UNIT.stones
    for base in range(NUM_BASES):
        cards, bare = int(s["covered"][seat, base]), int(s["bare"][seat, base])
        at = NUM_BASES * place + base
        out[AT.hand + at] = int(s["hand"][seat, base]) * UNIT.hand
        out[AT.bare + at] = bare * UNIT.bare
        covered = 0
        left = np.uint64(cards)
        while left != np.uint64(0):
            card = bits.lowest(left)
            out[AT.owner + MAX_PLAYERS * card + place] = 1.0
            out[AT.lies_on + card] = (base + 1) * UNIT.lies_on
            left &= left - np.uint64(1)
            covered += 1
        out[AT.display + at] = (bare + covered) * UNIT.display


@jit
def observe_record(t: Any, s: Any, player: int, out: Any) -> None:
    """All that `player` may know; players stand self first, then by turn order.  out: float32 (observation_size,)."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    observe_turn(t, s, player, out)
    observe_cards(s, out)
    observe_decision(t, s, out)
    observe_goth(t, s, out)
    players = int(s["num_players"])
    for place in range(players):
        seat = player + place
        observe_player(t, s, seat - players if seat >= players else seat, place, out)


@jit
def privileged_record(t: Any, s: Any, out: Any) -> None:
    """The observation of seat 0, then the order of the deck.  out: float32 (privileged_size,)."""
    observe_record(t, s, 0, out)
    cards = int(s["num_deck"])
    for place in range(cards):
        out[AT.deck_order + place] = (int(s["deck"][NUM_CARDS - cards + place]) + 1) * UNIT.deck_order
