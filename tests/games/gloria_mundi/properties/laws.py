"""Invariants of a state, compiled to check every move of a hundred thousand games.

Games are played move by move, forced moves included (G5), with the functions that `step` consists of.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import policy_below
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID
from porta_nigra_env.games.gloria_mundi.components.names import (
    ACTIVATE,
    AFRICA,
    BUY,
    DECK,
    EXCLUSIVE,
    GIVE,
    GLORY,
    HAND,
    LOSE,
    MAX_PLAYERS,
    MAX_SPACES,
    NUM_BASIC,
    NUM_CARDS,
    NUM_PLACES,
    OVER,
    PAY,
    PAY_TRIBUTE,
    PLACE,
    PLAY,
    RECLAIM,
    ROME,
    TAKE,
)
from porta_nigra_env.games.gloria_mundi.rules.dispatch import carry_out, is_forced, only_action, pending_options
from porta_nigra_env.games.gloria_mundi.rules.goth import stones_on
from porta_nigra_env.games.gloria_mundi.rules.kernel import KERNEL
from porta_nigra_env.games.gloria_mundi.rules.payment import ALL_KINDS
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS, buildings_of, size_of
from porta_nigra_env.games.gloria_mundi.state import LARGEST_AMOUNT

_PACKAGE = Path(__file__).parents[4] / "porta_nigra_env"
jit = compiler(Path(__file__), _PACKAGE)

LAWS: Final = (
    "no law is broken",
    "a building card is in deck, forum, fire or one display",
    "a building card lies on a base type that it may lie on",
    "each turn takes one card from the deck",
    "no amount is negative, no stock too large",
    "base cards are dealt, played and lost, each turn plays one",
    "no more base cards are lost than the Goth has demanded",
    "tribute lies ahead of the Goth and matches the symbols",
    "a Roman is in Africa only at the end",
    "the Goth is in Rome only at the end of the last turn",
    "what belongs to another phase is cleared",
    "seats beyond the number of players own nothing",
    "what may be chosen follows from the rest",
    "there are two legal actions at least until the game is over, and none after",
    "steps never fall",
    "stones leave and enter the stocks as the phase says",
    "base cards and building cards go as the action says",
    "the game ends",
)


@jit
def broken_card_law(constants: Constants, state: State) -> int:
    """Building cards; as `broken_law`."""
    everywhere, cards = int(state["fire"]), size_of(int(state["fire"]))
    for seat in range(MAX_PLAYERS):
        for base in range(NUM_BASES):
            here = int(state["covered"][seat, base])
            everywhere |= here
            cards += size_of(here)
            for card in range(NUM_CARDS):
                if (here >> card) & 1 and (int(constants["lies_on"][card]) >> base) & 1 == 0:
                    return 2
    for place in range(NUM_PLACES):
        if state["forum"][place] >= 0:
            everywhere |= 1 << int(state["forum"][place])
            cards += 1
    for place in range(NUM_CARDS):
        if (state["deck"][place] >= 0) != (place >= NUM_CARDS - int(state["num_deck"])):
            return 1
        if state["deck"][place] >= 0:
            everywhere |= 1 << int(state["deck"][place])
            cards += 1
    if cards != NUM_CARDS or everywhere != (1 << NUM_CARDS) - 1:
        return 1
    drawn = int(constants["forum_start_cards"]) + int(state["turn"]) - (1 if state["end"] == DECK else 0)
    return 0 if int(state["num_deck"]) == NUM_CARDS - drawn else 3


@jit
def turns_had(state: State, seat: int) -> int:
    """Return the number of base cards a seat must have played."""
    players, turn = int(state["num_players"]), int(state["turn"])
    back = (int(state["active_player"]) - seat) % players
    had = (turn - back + players - 1) // players
    idle = state["phase"] == PLAY or state["end"] == HAND or state["end"] == DECK
    return had - 1 if idle and back == 0 else had


@jit
def broken_player_law(constants: Constants, state: State) -> int:
    """Check the possessions of the players; as `broken_law`."""
    players = int(state["num_players"])
    for seat in range(MAX_PLAYERS):
        owned = buildings_of(state, seat) | int(state["steps"][seat])
        left = dealt = 0
        for kind in range(NUM_KINDS):
            owned |= int(state["stones"][seat, kind])
            if not 0 <= int(state["stones"][seat, kind]) <= LARGEST_AMOUNT:
                return 4
        for base in range(NUM_BASES):
            hand, bare = int(state["hand"][seat, base]), int(state["bare"][seat, base])
            owned |= hand | bare
            if hand < 0 or bare < 0:
                return 4
            deal = int(constants["hands"][players, base])
            left += hand
            dealt += deal - int(constants["start_display"][base])
            if seat < players and hand + bare + size_of(int(state["covered"][seat, base])) > deal:
                return 5
        if seat >= players and owned != 0:
            return 11
        if seat < players and dealt - left != turns_had(state, seat):
            return 5
        if not 0 <= int(state["steps"][seat]) <= int(constants["escape_steps"]):
            return 8
    return 0


@jit
def missing_bases(constants: Constants, state: State, base: int) -> int:
    """Base cards of a type that all players together have lost."""
    players = int(state["num_players"])
    missing = players * int(constants["hands"][players, base])
    for seat in range(players):
        missing -= int(state["hand"][seat, base]) + int(state["bare"][seat, base])
        missing -= size_of(int(state["covered"][seat, base]))
    return missing


@jit
def broken_goth_law(constants: Constants, state: State) -> int:
    """The Goth and the tribute; as `broken_law`."""
    goth, last = int(state["goth"]), int(constants["provinces"])
    for base in range(NUM_BASES):
        if missing_bases(constants, state, base) + int(state["demanded"][base]) > int(
            constants["symbols_to"][goth, base]
        ):
            return 6
    for space in range(MAX_SPACES):
        if goth < space <= goth + int(state["num_tribute"]):
            stones = 0
            for kind in range(NUM_KINDS):
                stones += stones_on(constants, state, space, kind)
                if kind < NUM_BASIC and stones_on(constants, state, space, kind) > int(
                    constants["symbols"][space, kind]
                ):
                    return 7
            if space > last or stones == 0 or stones_on(constants, state, space, GLORY) < 0:
                return 7
        elif state["tribute"][space] != 0:
            return 7
    arrived = 0
    for seat in range(int(state["num_players"])):
        if int(state["steps"][seat]) == int(constants["escape_steps"]):
            arrived += 1
    if arrived != (1 if state["end"] == AFRICA else 0):
        return 8
    phase = int(state["phase"])
    if goth > last and not (phase in (LOSE, RECLAIM) or state["end"] == ROME):
        return 9
    return 9 if state["end"] == ROME and goth != last + 1 else 0


@jit
def broken_phase_law(constants: Constants, state: State) -> int:
    """Check the fields that only some phases use; as `broken_law`."""
    phase = int(state["phase"])
    activates = EXCLUSIVE <= phase <= TAKE
    if (phase == OVER) != (state["current_player"] < 0) or (phase == OVER) != (state["end"] >= 0):
        return 10
    if (state["played"] < 0) != (phase in (PLAY, OVER)) or (state["left"] != 0 and not activates):
        return 10
    if (state["card"] >= 0) != (activates and phase != EXCLUSIVE and phase != ACTIVATE):
        return 10
    if (state["give_left"] > 0) != (phase == GIVE) or (state["take_left"] > 0) != (phase == TAKE):
        return 10
    if (state["place"] >= 0) != (phase in (PLACE, PAY)) or (state["base"] >= 0) != (phase == PAY):
        return 10
    if state["paid"][NUM_BASIC - 1] >= 0 or (state["paid"][0] >= 0 and phase not in (PAY, PAY_TRIBUTE)):
        return 10
    demanded = shared = 0
    for base in range(NUM_BASES):
        demanded += int(state["demanded"][base])
    for kind in range(NUM_KINDS):
        shared += int(state["raid_stones"][kind])
    if (demanded > 0) != (phase == LOSE) or (shared > 0 and phase != LOSE) != (phase == RECLAIM):
        return 10
    return 0 if int(state["options"]) == pending_options(constants, state) else 12


@jit
def broken_law(constants: Constants, state: State) -> int:
    """Index into LAWS of the first law of a single position that does not hold; 0 when all do."""
    law = broken_card_law(constants, state)
    if law == 0:
        law = broken_player_law(constants, state)
    if law == 0:
        law = broken_goth_law(constants, state)
    return law if law != 0 else broken_phase_law(constants, state)


@jit
def all_stones(constants: Constants, state: State) -> int:
    """All stones in stocks, on the track and still to be shared."""
    stones = 0
    for kind in range(NUM_KINDS):
        stones += int(state["raid_stones"][kind])
        for seat in range(int(state["num_players"])):
            stones += int(state["stones"][seat, kind])
        for space in range(int(state["goth"]) + 1, int(state["goth"]) + int(state["num_tribute"]) + 1):
            stones += stones_on(constants, state, space, kind)
    return stones


@jit
def broken_course(constants: Constants, before: Any, state: State, action: int) -> int:
    """Check one move, forced or not; as `broken_law`."""
    for seat in range(int(state["num_players"])):
        if state["steps"][seat] < before["steps"][seat]:
            return 14
    phase = int(before["phase"])
    gained = all_stones(constants, state) - all_stones(constants, before)
    if phase == PAY and state["phase"] != PAY:
        card, place = int(before["forum"][before["place"]]), int(before["place"])
        gained += int(constants["printed"][card, ALL_KINDS]) + int(constants["extra"][place])
    if phase >= BUY and gained != 0:
        return 15
    lost = 0
    for base in range(NUM_BASES):
        lost += missing_bases(constants, state, base) - missing_bases(constants, before, base)
    # A card of the forum may be burnt as well, when the move begins the next turn.
    burnt = size_of(int(state["fire"])) - size_of(int(before["fire"])) - (1 if is_pushed(before, state) else 0)
    loses = ID.lose_bare <= action < ID.wall
    burns = action >= ID.lose or ID.discard <= action < ID.discard + NUM_CARDS
    return 0 if lost == (1 if loses else 0) and burnt == (1 if burns else 0) else 16


@jit
def is_pushed(before: Any, state: State) -> bool:
    """Return whether the move began a turn that pushed a card out of a full forum (G6)."""
    cards = 0
    for place in range(NUM_PLACES):
        if before["forum"][place] >= 0:
            cards += 1
    # A purchase leaves a gap.
    return bool(state["num_deck"] < before["num_deck"] and cards == NUM_PLACES and before["phase"] != PAY)


@jit
def lawful_moves(constants: Constants, states: Any, action: int) -> tuple[int, int]:
    """Carry out an action in row 0, and those that are forced by it; returns (broken law or 0, moves)."""
    s = states[0]
    moves = 0
    while True:
        copy_row(states, 1, states, 0)
        carry_out(constants, s, action)
        moves += 1
        law = broken_course(constants, states[1], s, action)
        if law == 0:
            law = broken_law(constants, s)
        if law != 0 or not is_forced(constants, s):
            return law, moves
        action = only_action(s)


reset, legal = KERNEL.reset, KERNEL.legal


@jit
def lawful_game(
    constants: Any, states: Any, words: Any, policy_rng: Any, seed: int, players: int, limit: int
) -> tuple[int, int, int]:
    """Play one random game in row 0, row 1 being scratch; returns (broken law or 0, decisions, moves)."""
    reset(constants, states, 0, seed, players)
    decisions = moves = 0
    law = broken_law(constants[0], states[0])
    while law == 0:
        legal(constants, states, 0, words)
        over = int(states[0]["current_player"]) < 0
        choices = bits.count(words)
        if choices < 2 if not over else choices != 0:
            return 13, decisions, moves
        if over:
            return 0, decisions, moves
        if decisions == limit:
            return 17, decisions, moves
        law, made = lawful_moves(constants[0], states, bits.select(words, policy_below(policy_rng, choices)))
        decisions += 1
        moves += made
    return law, decisions, moves


# Phases stand in the order in which the laws compare them.
assert EXCLUSIVE < TAKE < BUY < PLACE < PAY < PAY_TRIBUTE < LOSE < RECLAIM
