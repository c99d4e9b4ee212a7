"""II Arena: the fight (A28-A32)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.aquileia.actions import TAKE_POINTS
from porta_nigra_env.games.aquileia.components.names import ARENA, ARENA_CARDS, ARENA_DICE, ARENA_PRIZE
from porta_nigra_env.games.aquileia.rules.cards import gain_slave
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.contest import (
    ask_for_cards,
    clear_contest,
    holds_cards,
    pay_prize,
    play_card,
    ranked,
    roll_blue,
    roll_red,
    takes_part,
)
from porta_nigra_env.games.aquileia.rules.table import in_turn, send_home, turn_of
from porta_nigra_env.games.aquileia.state import ARENA_BLUE_ROLL, ARENA_ROLL

WITH_SLAVES = 1


@jit
def begin_fight(t: Any, s: Any) -> bool:
    """All fighters roll, in turn order; then the first is asked for cards (A28)."""
    spaces, first, last = int(t["area_spaces"][ARENA]), int(t["area_start"][ARENA]), int(t["area_start"][ARENA + 1])
    for turn in range(int(s["num_players"])):
        seat = in_turn(s, turn)
        if takes_part(s, seat, spaces):
            roll_red(t, s, seat, ARENA_ROLL, int(t["arena_coin"]), first, last)
    return fight_on(t, s, 0)


@jit
def fight_on(t: Any, s: Any, turn: int) -> bool:
    """Cards from this place in turn order on; then the blue dice; then the ranking (A29, A30)."""
    spaces = int(t["area_spaces"][ARENA])
    s["last"] = -1
    if ask_for_cards(s, spaces, turn, ARENA_CARDS, WITH_SLAVES):
        return True
    owner = int(s["blue_owner"])
    if owner >= 0 and takes_part(s, owner, spaces):
        s["phase"] = ARENA_DICE
        s["current_player"] = owner
        return True
    return rank_fighters(t, s)


@jit
def rank_fighters(t: Any, s: Any) -> bool:
    """Coins for the first three; then the first chooses (A32)."""
    spaces = int(t["area_spaces"][ARENA])
    for seat in range(int(s["num_players"])):
        if takes_part(s, seat, spaces):
            pay_prize(s, seat, spaces, t["arena_prizes"], int(t["arena_coin"]))
    s["phase"] = ARENA_PRIZE
    s["current_player"] = ranked(s, 0, spaces)
    return True


@jit
def step_arena_cards(t: Any, s: Any, seat: int, action: int) -> bool:
    """A card, or no more; with the last one she is done (A29)."""
    if action != int(t["done_id"]):
        play_card(t, s, seat, action)
        if holds_cards(s, seat, WITH_SLAVES):
            return True
    return fight_on(t, s, turn_of(s, seat) + 1)


@jit
def step_arena_dice(t: Any, s: Any, seat: int, action: int) -> bool:
    """So many blue dice, all at once; the rest stays for the race (A30)."""
    roll_blue(t, s, seat, ARENA_BLUE_ROLL, int(t["arena_coin"]), action - int(t["dice_start"]))
    return rank_fighters(t, s)


@jit
def step_arena_prize(t: Any, s: Any, seat: int, action: int) -> bool:
    """The first takes points or a slave card, the second gets the other; a single one's other half is lost (A32)."""
    spaces = int(t["area_spaces"][ARENA])
    second = ranked(s, 1, spaces)
    points = action == int(t["take_start"]) + TAKE_POINTS
    scores, draws = (seat, second) if points else (second, seat)
    if scores >= 0:
        s["vp"][scores] += int(s["strength"][scores]) * int(t["vp_per_strength"])
    if draws >= 0:
        gain_slave(s, draws)
    clear_contest(s)
    send_home(s, spaces)
    return False
