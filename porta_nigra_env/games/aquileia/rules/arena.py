"""II Arena: the fight (A28-A32)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.aquileia.actions import TAKE_POINTS
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.rules import contest
from porta_nigra_env.games.aquileia.rules.cards import gain_slave
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import in_turn, send_home, turn_of
from porta_nigra_env.games.aquileia.state import ARENA_BLUE_ROLL, ARENA_ROLL

WITH_SLAVES = 1


@jit
def begin_fight(constants: Constants, state: State) -> bool:
    """Roll for all fighters in turn order, then ask the first one for cards (A28)."""
    spaces, first, last = (
        int(constants["area_spaces"][names.ARENA]),
        int(constants["area_start"][names.ARENA]),
        int(constants["area_start"][names.ARENA + 1]),
    )
    for turn in range(int(state["num_players"])):
        seat = in_turn(state, turn)
        if contest.takes_part(state, seat, spaces):
            contest.roll_red(constants, state, seat, ARENA_ROLL, int(constants["arena_coin"]), first, last)
    return fight_on(constants, state, 0)


@jit
def fight_on(constants: Constants, state: State, turn: int) -> bool:
    """Ask for cards from this turn on, then for the blue dice, then rank the fighters (A29, A30)."""
    spaces = int(constants["area_spaces"][names.ARENA])
    state["last"] = -1
    if contest.ask_for_cards(state, spaces, turn, names.ARENA_CARDS, WITH_SLAVES):
        return True
    owner = int(state["blue_owner"])
    if owner >= 0 and contest.takes_part(state, owner, spaces):
        state["phase"] = names.ARENA_DICE
        state["current_player"] = owner
        return True
    return rank_fighters(constants, state)


@jit
def rank_fighters(constants: Constants, state: State) -> bool:
    """Pay the first three, then ask the first one to choose a prize (A32)."""
    spaces = int(constants["area_spaces"][names.ARENA])
    for seat in range(int(state["num_players"])):
        if contest.takes_part(state, seat, spaces):
            contest.pay_prize(state, seat, spaces, constants["arena_prizes"], int(constants["arena_coin"]))
    state["phase"] = names.ARENA_PRIZE
    state["current_player"] = contest.ranked(state, 0, spaces)
    return True


@jit
def legal_arena_cards(constants: Constants, state: State, seat: int, words: Words) -> None:
    """Allow weapons and slave cards, none before the last card (A29)."""
    contest.legal_equi_cards(constants, state, seat, names.WEAPON, words)
    for face in range(max(0, int(state["last"])), names.MAX_SLAVES):
        if state["slaves"][seat, face] > 0:
            bits.add(words, int(constants["play_slave"][face]))


@jit
def step_arena_cards(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Play a card or stop; a fighter without cards stops too (A29)."""
    if action != int(constants["done_id"]):
        contest.play_card(constants, state, seat, action)
        if contest.holds_cards(state, seat, WITH_SLAVES):
            return True
    return fight_on(constants, state, turn_of(state, seat) + 1)


@jit
def legal_arena_dice(constants: Constants, state: State, words: Words) -> None:
    """Allow to roll any number of the remaining blue dice (A30)."""
    choices = int(state["blue_left"]) + 1
    bits.put(words, int(constants["dice_start"]), (1 << choices) - 1, choices)


@jit
def step_arena_dice(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Roll this number of blue dice at once; the remaining dice stay for the race (A30)."""
    contest.roll_blue(
        constants, state, seat, ARENA_BLUE_ROLL, int(constants["arena_coin"]), action - int(constants["dice_start"])
    )
    return rank_fighters(constants, state)


@jit
def legal_arena_prize(constants: Constants, words: Words) -> None:
    """Allow both prizes (A32)."""
    bits.add(words, int(constants["take_start"]))
    bits.add(words, int(constants["take_start"]) + 1)


@jit
def step_arena_prize(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Give the first player the chosen prize and the second player the other one (A32)."""
    spaces = int(constants["area_spaces"][names.ARENA])
    second = contest.ranked(state, 1, spaces)
    points = action == int(constants["take_start"]) + TAKE_POINTS
    scores, draws = (seat, second) if points else (second, seat)
    if scores >= 0:
        state["vp"][scores] += int(state["strength"][scores]) * int(constants["vp_per_strength"])
    if draws >= 0:
        gain_slave(state, draws)
    contest.clear_contest(state)
    send_home(state, spaces)
    return False
