"""Invariants of a state, compiled, to check every position of a hundred thousand games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import MASK32, philox
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.names import (
    COLOURS,
    FIXED_SPOTS,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_BUILDING_CARDS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
)
from porta_nigra_env.games.porta_nigra.rules.kernel import KERNEL

legal, reset, step = KERNEL.legal, KERNEL.reset, KERNEL.step
_PACKAGE = Path(__file__).parents[4] / "porta_nigra_env"
jit = compiler(Path(__file__), _PACKAGE)

NUM_COLOURS = len(COLOURS)

INVARIANTS = (
    "all invariants hold",
    "bricks add up to the component file's number",
    "each player's Romans add up",
    "each supply card is in exactly one pile",
    "no building card lies twice",
    "honour cards do not exceed their copies",
    "an action card is in at most one place, and none is missing",
    "no amount is negative",
    "occupied spots have an owner and a height, empty ones neither",
    "bricks built are the heights of a player's elements",
    "there is a legal action until the game is over, and none after",
    "victory points never fall",
    "a placed element stays",
    "the game ends",
    "seats beyond the number of players own nothing",
)


@jit
def violated_invariant(constants: Constants, state: State) -> int:
    """Return the index of the first invariant that a position violates; 0 if all hold."""
    players = int(state["num_players"])
    bricks = int(state["reserve"])
    for colour in range(NUM_COLOURS):
        bricks += int(state["market"][colour])
        if state["market"][colour] < 0:
            return 7
    for spot in range(NUM_SPOTS):
        bricks += int(state["spot_height"][spot])
        taken = (int(state["occupied"]) >> spot) & 1
        if (state["spot_owner"][spot] >= 0) != (taken == 1) or (state["spot_height"][spot] > 0) != (taken == 1):
            return 8
        if taken == 1 and spot < FIXED_SPOTS and state["spot_height"][spot] != constants["spot_bricks"][spot]:
            return 8
    for player in range(MAX_PLAYERS):
        elements = 0
        built = 0
        for spot in range(NUM_SPOTS):
            if state["spot_owner"][spot] == player:
                elements += 1
                built += int(state["spot_height"][spot])
        for building in range(4):
            built -= int(state["built"][player, building])
            if state["buildings_owned"][player, building] < 0:
                return 7
        if built != 0:
            return 9
        for colour in range(NUM_COLOURS):
            bricks += int(state["bricks"][player, colour])
            if state["bricks"][player, colour] < 0:
                return 7
        for final in range(state["finals_owned"].shape[1]):
            if state["finals_owned"][player, final] < 0:
                return 7
        romans = int(state["romans"][player]) + int(state["romans_reserve"][player]) + elements
        if player < players and romans != int(constants["romans_per_player"]):
            return 2
        if player >= players and (romans != 0 or state["num_hand"][player] != 0 or state["sesterces"][player] != 0):
            return 14
        if (
            state["sesterces"][player] < 0
            or state["torches"][player] < 0
            or state["influence"][player] < 0
            or state["vp"][player] < 0
            or state["romans"][player] < 0
            or state["romans_reserve"][player] < 0
        ):
            return 7
    if bricks != int(constants["bricks_total"]):
        return 1
    if state["reserve"] < 0 or state["markers_left"] < 0:
        return 7
    return violated_card_invariant(constants, state)


@jit
def violated_card_invariant(constants: Constants, state: State) -> int:
    """Return the violated invariant of the card piles, like `violated_invariant`."""
    players = int(state["num_players"])
    seen = 0
    for place in range(NUM_SUPPLY_CARDS):
        seen |= 1 << int(state["supply_cards"][place])
    if seen != (1 << NUM_SUPPLY_CARDS) - 1:
        return 3
    seen = 0
    displayed = int(state["num_building_display"])
    drawable = int(state["num_building_draw"])
    for place in range(NUM_BUILDING_CARDS):
        card = int(state["building_cards"][place])
        if (card >= 0) != (place < displayed or place >= NUM_BUILDING_CARDS - drawable):
            return 4
        if card >= 0:
            if (seen >> card) & 1:
                return 4
            seen |= 1 << card
    displayed = int(state["num_honour_display"])
    drawable = int(state["num_honour_draw"])
    for kind in range(int(constants["num_honours"])):
        copies = 0
        for place in range(NUM_HONOUR_CARDS):
            card = int(state["honour_cards"][place])
            if (card >= 0) != (place < displayed or place >= NUM_HONOUR_CARDS - drawable):
                return 5
            if card == kind:
                copies += 1
        if copies > int(constants["honour_copies"][kind]):
            return 5
    for player in range(players):
        seen = int(state["hand"][player])
        in_hand = 0
        for card in range(NUM_ACTION_CARDS):
            in_hand += (seen >> card) & 1
        if in_hand != state["num_hand"][player]:
            return 6
        if state["current_player"] == player and state["card_in_play"] >= 0:
            if (seen >> int(state["card_in_play"])) & 1:
                return 6
            seen |= 1 << int(state["card_in_play"])
        discarded = int(state["num_action_discard"][player])
        drawn_from = NUM_ACTION_CARDS - int(state["num_action_draw"][player])
        for place in range(NUM_ACTION_CARDS):
            card = int(state["action_cards"][player, place])
            if (card >= 0) != (place < discarded or place >= drawn_from):
                return 6
            if card >= 0:
                if (seen >> card) & 1:
                    return 6
                seen |= 1 << card
        deck = 0
        for card in range(NUM_ACTION_CARDS):
            if int(constants["card_players"][card]) >= players:
                deck |= 1 << card
        if seen != deck:
            return 6
    return 0


@jit
def play_checked_game(
    constants: Any, states: Any, words: Any, rng: Any, seed: int, players: int, limit: int
) -> tuple[int, int]:
    """Play one random game in row 0, row 1 being scratch; returns (violated invariant or 0, decisions)."""
    reset(constants, states, 0, seed, players)
    decisions = 0
    while True:
        invariant = violated_invariant(constants[0], states[0])
        if invariant != 0:
            return invariant, decisions
        legal(constants, states, 0, words)
        over = int(states[0]["current_player"]) < 0
        choices = bits.count(words)
        if (choices == 0) != over:
            return 10, decisions
        if over:
            return 0, decisions
        if decisions == limit:
            return 13, decisions
        states[1] = states[0]
        word = philox(int(rng[0]), int(rng[1]), int(rng[2]) & MASK32, int(rng[2]) >> 32, 0, 2)[0]
        rng[2] = int(rng[2]) + 1
        step(constants, states, 0, bits.select(words, (word * choices) >> 32))
        decisions += 1
        for player in range(players):
            if states[0]["vp"][player] < states[1]["vp"][player]:
                return 11, decisions
        for spot in range(NUM_SPOTS):
            owner = states[1]["spot_owner"][spot]
            if owner >= 0 and (
                states[0]["spot_owner"][spot] != owner
                or states[0]["spot_height"][spot] < states[1]["spot_height"][spot]
            ):
                return 12, decisions
