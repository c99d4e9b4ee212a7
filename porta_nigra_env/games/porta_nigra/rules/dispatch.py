"""Legal actions by phase and effects by action id; the chapters hold both."""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.porta_nigra.actions import ID
from porta_nigra_env.games.porta_nigra.components.names import (
    APPOINT_PHASE,
    BUILD_ICON,
    CHOOSE_CARD,
    CROWN_PHASE,
    INFLUENCE_ICON,
    MAIN,
    PLACE_BUILDER,
    SPLIT_TENS,
    SPLIT_UNITS,
)
from porta_nigra_env.games.porta_nigra.rules.building import (
    NUM_COLOURS,
    build_on,
    crown,
    legal_builds,
    legal_crowns,
    legal_roman,
    recruit_roman,
)
from porta_nigra_env.games.porta_nigra.rules.cards import (
    can_pay_torch,
    legal_cards,
    legal_takes,
    play_card,
    take,
    take_coin,
    use_icon,
)
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.honours import buy_honour, legal_honours
from porta_nigra_env.games.porta_nigra.rules.market import buy, legal_buys
from porta_nigra_env.games.porta_nigra.rules.turn import (
    appoint,
    check_early_end,
    end_turn,
    legal_appointees,
    legal_places,
    legal_tens,
    legal_units,
    place_builder,
    split,
)


@jit
def legal_main(constants: Constants, state: State, player: int, words: Words) -> None:
    """Add the actions of a turn after the card is played (R11-R24)."""
    bits.add(words, ID.end)
    torch = can_pay_torch(state, player)
    if torch:
        bits.add(words, ID.coin)
        legal_buys(constants, state, player, words)
        legal_takes(state, words)
    legal_builds(constants, state, player, torch, words)
    legal_roman(constants, state, player, words)
    legal_honours(constants, state, player, words)


@jit
def legal_record(constants: Constants, state: State, words: Words) -> None:
    """Write the set of legal actions; empty when the game is over."""
    for i in range(words.shape[0]):
        words[i] = np.uint64(0)
    phase = int(state["phase"])
    player = int(state["current_player"])
    if phase == MAIN:
        legal_main(constants, state, player, words)
    elif phase == CHOOSE_CARD:
        legal_cards(state, player, words)
    elif phase == PLACE_BUILDER:
        legal_places(words)
    elif phase == CROWN_PHASE:
        legal_crowns(constants, state, player, words)
    elif phase == SPLIT_TENS:
        legal_tens(constants, state, player, words)
    elif phase == SPLIT_UNITS:
        legal_units(constants, state, player, words)
    elif phase == APPOINT_PHASE:
        legal_appointees(state, words)


@jit
def step_turn(constants: Constants, state: State, player: int, action: int) -> None:
    """Carry out a complete action within a turn, then test for the early end (R29)."""
    if action < ID.take:
        buy(constants, state, player, (action - ID.buy) // NUM_COLOURS, (action - ID.buy) % NUM_COLOURS)
    elif action < ID.roman:
        take(state, player, INFLUENCE_ICON + action - ID.take)
    elif action == ID.roman:
        recruit_roman(constants, state, player)
    elif action == ID.coin:
        take_coin(constants, state, player)
    elif action < ID.influence_build:
        use_icon(state, player, BUILD_ICON)
        build_on(constants, state, player, action - ID.build)
    elif action < ID.crown:
        state["influence"][player] -= constants["influence_cost_build"]
        build_on(constants, state, player, action - ID.influence_build)
    elif action < ID.units:
        crown(constants, state, player, action - ID.crown)
        state["phase"] = MAIN
    elif buy_honour(constants, state, player, action - ID.honour):
        state["phase"] = CROWN_PHASE
    check_early_end(constants, state)


@jit
def step_record(constants: Constants, state: State, action: int) -> None:
    """Carry out a legal action, chance and refill included, up to the next decision."""
    player = int(state["current_player"])
    if action < ID.card:
        place_builder(state, player, action - ID.place)
    elif action < ID.buy:
        play_card(constants, state, player, action - ID.card)
        state["phase"] = MAIN
    elif action == ID.end:
        end_turn(constants, state)
    elif ID.units <= action < ID.appoint:
        split(constants, state, 10 * int(state["split_tens"]) + action - ID.units)
    elif ID.appoint <= action < ID.honour:
        appoint(constants, state, action - ID.appoint)
    elif action >= int(constants["tens_start"]):
        state["split_tens"] = action - int(constants["tens_start"])
        state["phase"] = SPLIT_UNITS
    else:
        step_turn(constants, state, player, action)
