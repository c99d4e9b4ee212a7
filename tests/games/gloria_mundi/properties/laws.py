"""Conservation laws of a state, compiled, so that every move of a hundred thousand games can be looked at.

A game is played here move by move, forced moves too (G5), with the functions that the verb `step` is made of.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import chance_below
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.records import copy_row
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
from porta_nigra_env.games.gloria_mundi.rules.goth import stones_on
from porta_nigra_env.games.gloria_mundi.rules.kernel import KERNEL
from porta_nigra_env.games.gloria_mundi.rules.options import found_options, is_forced, only_action
from porta_nigra_env.games.gloria_mundi.rules.payment import ALL_KINDS
from porta_nigra_env.games.gloria_mundi.rules.step import carry_out
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
def broken_card_law(t: Any, s: Any) -> int:
    """Building cards; as `broken_law`."""
    everywhere, cards = int(s["fire"]), size_of(int(s["fire"]))
    for seat in range(MAX_PLAYERS):
        for base in range(NUM_BASES):
            here = int(s["covered"][seat, base])
            everywhere |= here
            cards += size_of(here)
            for card in range(NUM_CARDS):
                if (here >> card) & 1 and (int(t["lies_on"][card]) >> base) & 1 == 0:
                    return 2
    for place in range(NUM_PLACES):
        if s["forum"][place] >= 0:
            everywhere |= 1 << int(s["forum"][place])
            cards += 1
    for place in range(NUM_CARDS):
        if (s["deck"][place] >= 0) != (place >= NUM_CARDS - int(s["num_deck"])):
            return 1
        if s["deck"][place] >= 0:
            everywhere |= 1 << int(s["deck"][place])
            cards += 1
    if cards != NUM_CARDS or everywhere != (1 << NUM_CARDS) - 1:
        return 1
    drawn = int(t["forum_start_cards"]) + int(s["turn"]) - (1 if s["end"] == DECK else 0)
    return 0 if int(s["num_deck"]) == NUM_CARDS - drawn else 3


@jit
def turns_had(s: Any, seat: int) -> int:
    """How many base cards a seat must have played."""
    players, turn = int(s["num_players"]), int(s["turn"])
    back = (int(s["active_player"]) - seat) % players
    had = (turn - back + players - 1) // players
    idle = s["phase"] == PLAY or s["end"] == HAND or s["end"] == DECK
    return had - 1 if idle and back == 0 else had


@jit
def broken_player_law(t: Any, s: Any) -> int:
    """What players have; as `broken_law`."""
    players = int(s["num_players"])
    for seat in range(MAX_PLAYERS):
        owned = buildings_of(s, seat) | int(s["steps"][seat])
        left = dealt = 0
        for kind in range(NUM_KINDS):
            owned |= int(s["stones"][seat, kind])
            if not 0 <= int(s["stones"][seat, kind]) <= LARGEST_AMOUNT:
                return 4
        for base in range(NUM_BASES):
            hand, bare = int(s["hand"][seat, base]), int(s["bare"][seat, base])
            owned |= hand | bare
            if hand < 0 or bare < 0:
                return 4
            deal = int(t["hands"][players, base])
            left += hand
            dealt += deal - int(t["start_display"][base])
            if seat < players and hand + bare + size_of(int(s["covered"][seat, base])) > deal:
                return 5
        if seat >= players and owned != 0:
            return 11
        if seat < players and dealt - left != turns_had(s, seat):
            return 5
        if not 0 <= int(s["steps"][seat]) <= int(t["escape_steps"]):
            return 8
    return 0


@jit
def missing_bases(t: Any, s: Any, base: int) -> int:
    """Base cards of a type that all players together have lost."""
    players = int(s["num_players"])
    missing = players * int(t["hands"][players, base])
    for seat in range(players):
        missing -= int(s["hand"][seat, base]) + int(s["bare"][seat, base])
        missing -= size_of(int(s["covered"][seat, base]))
    return missing


@jit
def broken_goth_law(t: Any, s: Any) -> int:
    """The Goth and the tribute; as `broken_law`."""
    goth, last = int(s["goth"]), int(t["provinces"])
    for base in range(NUM_BASES):
        if missing_bases(t, s, base) + int(s["demanded"][base]) > int(t["symbols_to"][goth, base]):
            return 6
    for space in range(MAX_SPACES):
        if goth < space <= goth + int(s["num_tribute"]):
            stones = 0
            for kind in range(NUM_KINDS):
                stones += stones_on(t, s, space, kind)
                if kind < NUM_BASIC and stones_on(t, s, space, kind) > int(t["symbols"][space, kind]):
                    return 7
            if space > last or stones == 0 or stones_on(t, s, space, GLORY) < 0:
                return 7
        elif s["tribute"][space] != 0:
            return 7
    arrived = 0
    for seat in range(int(s["num_players"])):
        if int(s["steps"][seat]) == int(t["escape_steps"]):
            arrived += 1
    if arrived != (1 if s["end"] == AFRICA else 0):
        return 8
    phase = int(s["phase"])
    if goth > last and not (phase in (LOSE, RECLAIM) or s["end"] == ROME):
        return 9
    return 9 if s["end"] == ROME and goth != last + 1 else 0


@jit
def broken_phase_law(t: Any, s: Any) -> int:
    """What only some phases have; as `broken_law`."""
    phase = int(s["phase"])
    activates = EXCLUSIVE <= phase <= TAKE
    if (phase == OVER) != (s["current_player"] < 0) or (phase == OVER) != (s["end"] >= 0):
        return 10
    if (s["played"] < 0) != (phase in (PLAY, OVER)) or (s["left"] != 0 and not activates):
        return 10
    if (s["card"] >= 0) != (activates and phase != EXCLUSIVE and phase != ACTIVATE):
        return 10
    if (s["give_left"] > 0) != (phase == GIVE) or (s["take_left"] > 0) != (phase == TAKE):
        return 10
    if (s["place"] >= 0) != (phase in (PLACE, PAY)) or (s["base"] >= 0) != (phase == PAY):
        return 10
    if s["paid"][NUM_BASIC - 1] >= 0 or (s["paid"][0] >= 0 and phase not in (PAY, PAY_TRIBUTE)):
        return 10
    demanded = shared = 0
    for base in range(NUM_BASES):
        demanded += int(s["demanded"][base])
    for kind in range(NUM_KINDS):
        shared += int(s["raid_stones"][kind])
    if (demanded > 0) != (phase == LOSE) or (shared > 0 and phase != LOSE) != (phase == RECLAIM):
        return 10
    return 0 if int(s["options"]) == found_options(t, s) else 12


@jit
def broken_law(t: Any, s: Any) -> int:
    """Index into LAWS of the first law of a single position that does not hold; 0 when all do."""
    law = broken_card_law(t, s)
    if law == 0:
        law = broken_player_law(t, s)
    if law == 0:
        law = broken_goth_law(t, s)
    return law if law != 0 else broken_phase_law(t, s)


@jit
def all_stones(t: Any, s: Any) -> int:
    """All stones in stocks, on the track and still to be shared."""
    stones = 0
    for kind in range(NUM_KINDS):
        stones += int(s["raid_stones"][kind])
        for seat in range(int(s["num_players"])):
            stones += int(s["stones"][seat, kind])
        for space in range(int(s["goth"]) + 1, int(s["goth"]) + int(s["num_tribute"]) + 1):
            stones += stones_on(t, s, space, kind)
    return stones


@jit
def broken_course(t: Any, before: Any, s: Any, action: int) -> int:
    """The same for one move, forced or not, and what it has led to."""
    for seat in range(int(s["num_players"])):
        if s["steps"][seat] < before["steps"][seat]:
            return 14
    phase = int(before["phase"])
    gained = all_stones(t, s) - all_stones(t, before)
    if phase == PAY and s["phase"] != PAY:
        card, place = int(before["forum"][before["place"]]), int(before["place"])
        gained += int(t["printed"][card, ALL_KINDS]) + int(t["extra"][place])
    if phase >= BUY and gained != 0:
        return 15
    lost = 0
    for base in range(NUM_BASES):
        lost += missing_bases(t, s, base) - missing_bases(t, before, base)
    # A card of the forum may be burnt as well, when the move begins the next turn.
    burnt = size_of(int(s["fire"])) - size_of(int(before["fire"])) - (1 if is_pushed(before, s) else 0)
    loses = ID.lose_bare <= action < ID.wall
    burns = action >= ID.lose or ID.discard <= action < ID.discard + NUM_CARDS
    return 0 if lost == (1 if loses else 0) and burnt == (1 if burns else 0) else 16


@jit
def is_pushed(before: Any, s: Any) -> bool:
    """Whether the next turn has begun since, and pushed a card out of a full forum (G6)."""
    cards = 0
    for place in range(NUM_PLACES):
        if before["forum"][place] >= 0:
            cards += 1
    # A purchase leaves a gap.
    return bool(s["num_deck"] < before["num_deck"] and cards == NUM_PLACES and before["phase"] != PAY)


@jit
def lawful_moves(t: Any, states: Any, action: int) -> tuple[int, int]:
    """Carry out an action in row 0, and those that are forced by it; returns (broken law or 0, moves)."""
    s = states[0]
    moves = 0
    while True:
        copy_row(states, 1, states, 0)
        carry_out(t, s, action)
        moves += 1
        law = broken_course(t, states[1], s, action)
        if law == 0:
            law = broken_law(t, s)
        if law != 0 or not is_forced(t, s):
            return law, moves
        action = only_action(s)


reset, legal = KERNEL.reset, KERNEL.legal


@jit
def lawful_game(
    tables: Any, states: Any, words: Any, chance: Any, seed: int, players: int, limit: int
) -> tuple[int, int, int]:
    """Play one random game in row 0, row 1 being scratch; returns (broken law or 0, decisions, moves)."""
    reset(tables, states, 0, seed, players)
    decisions = moves = 0
    law = broken_law(tables[0], states[0])
    while law == 0:
        legal(tables, states, 0, words)
        over = int(states[0]["current_player"]) < 0
        choices = bits.count(words)
        if choices < 2 if not over else choices != 0:
            return 13, decisions, moves
        if over:
            return 0, decisions, moves
        if decisions == limit:
            return 17, decisions, moves
        law, made = lawful_moves(tables[0], states, bits.select(words, chance_below(chance, choices)))
        decisions += 1
        moves += made
    return law, decisions, moves


# Phases stand in the order in which the laws compare them.
assert EXCLUSIVE < TAKE < BUY < PLACE < PAY < PAY_TRIBUTE < LOSE < RECLAIM
