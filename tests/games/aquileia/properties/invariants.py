"""Conservation invariants of a state, compiled, so that every position of a hundred thousand games can be looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import policy_below
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import (
    ARENA_CARDS,
    ARENA_PRIZE,
    AUCTION,
    FORUM_PHASE,
    MAX_PLAYERS,
    OVER,
    PECUNIA_PHASE,
    PLACE,
    PORTUS,
    STADIUM_CARDS,
    STADIUM_GOLD,
    STADIUM_PRIZE,
    STADIUM_SILVER,
)
from porta_nigra_env.games.aquileia.rules.kernel import KERNEL
from tests.games.aquileia.properties.bank import bank_paid, stocks

legal, reset, step = KERNEL.legal, KERNEL.reset, KERNEL.step
_PACKAGE = Path(__file__).parents[4] / "porta_nigra_env"
jit = compiler(Path(__file__), Path(__file__).with_name("bank.py"), _PACKAGE)

INVARIANTS = (
    "no invariant is broken",
    "each player's followers add up, and a space has one",
    "each player's houses add up, and a building has one",
    "slave cards add up",
    "equi cards add up, and no more are known than held",
    "stadium cards add up",
    "a theatre card is in the pile, won or on sale",
    "no amount is negative",
    "crests stand on different places without a gap",
    "nobody stands on both sides of the Stadium or on two coin spaces",
    "coins lie only under followers",
    "what belongs to another phase is cleared",
    "seats beyond the number of players own nothing",
    "there is a legal action until the game is over, and none after",
    "victory points never fall",
    "a house stays",
    "the bank has paid what players have gained",
    "the game ends",
)


@jit
def size_of(members: int) -> int:
    """Number of bits."""
    count = 0
    while members:
        members &= members - 1
        count += 1
    return count


@jit
def broken_piece_invariant(constants: Constants, state: State) -> int:
    """Followers, houses, crests, coins under followers; as `broken_invariant`."""
    standing = built = crests = places = 0
    sides = int(constants["area_spaces"][STADIUM_GOLD]), int(constants["area_spaces"][STADIUM_SILVER])
    for seat in range(MAX_PLAYERS):
        own, houses = int(state["standing"][seat]), int(state["buildings"][seat])
        if seat >= int(state["num_players"]):
            if own or houses or state["followers_left"][seat] or state["vp"][seat] or state["crest"][seat] >= 0:
                return 12
            continue
        if own & standing or size_of(own) + int(state["followers_left"][seat]) != int(
            constants["followers_per_player"]
        ):
            return 1
        if houses & built or size_of(houses) + int(state["houses_left"][seat]) != int(constants["houses_per_player"]):
            return 2
        if (own & sides[0] and own & sides[1]) or size_of(own & int(constants["area_spaces"][PORTUS])) > 1:
            return 9
        standing |= own
        built |= houses
        if state["crest"][seat] >= 0:
            crests += 1
            places |= 1 << int(state["crest"][seat])
        for kind in range(3):
            if state["coins"][seat, kind] < 0:
                return 7
        if state["vp"][seat] < 0 or state["followers_left"][seat] < 0 or state["houses_left"][seat] < 0:
            return 7
    for kind in range(3):
        if (int(state["portus_coins"]) >> kind) & 1 and int(constants["coin_space"][kind]) & standing == 0:
            return 10
    return 0 if places == (1 << crests) - 1 else 8


@jit
def in_pile(cards: Any, drawable: int, face: int) -> int:
    """Return the number of cards of a type in a draw pile."""
    found = 0
    for place in range(cards.shape[0] - drawable, cards.shape[0]):
        if cards[place] == face:
            found += 1
    return found


@jit
def broken_hand_invariant(constants: Constants, state: State) -> int:
    """Slave and equi cards; as `broken_invariant`."""
    for face in range(state["slave_discard"].shape[0]):
        cards = int(state["slave_discard"][face]) + in_pile(state["slave_cards"], int(state["num_slave_draw"]), face)
        for seat in range(int(state["num_players"])):
            cards += int(state["slaves"][seat, face])
            if state["slaves"][seat, face] < 0:
                return 7
        if cards != int(constants["slave_copies"][face]) or state["slave_discard"][face] < 0:
            return 3
    for face in range(state["equi_discard"].shape[0]):
        cards = int(state["equi_discard"][face]) + in_pile(state["equi_cards"], int(state["num_equi_draw"]), face)
        for place in range(state["equi_row"].shape[0]):
            if state["equi_row"][place] == face:
                cards += 1
        for seat in range(int(state["num_players"])):
            cards += int(state["equi"][seat, face])
            if state["equi_known"][seat, face] < 0 or state["equi_known"][seat, face] > state["equi"][seat, face]:
                return 4
        if cards != int(constants["equi_copies"][face]) or state["equi_discard"][face] < 0:
            return 4
    for seat in range(MAX_PLAYERS):
        if int(state["slaves"][seat].sum()) != int(state["num_slaves"][seat]):
            return 3
        if int(state["equi"][seat].sum()) != int(state["num_equi"][seat]):
            return 4
    return 0


@jit
def broken_deck_invariant(constants: Constants, state: State) -> int:
    """Stadium and theatre cards; as `broken_invariant`."""
    for face in range(int(constants["num_stadium_faces"])):
        cards = in_pile(state["stadium_cards"], int(state["num_stadium_draw"]), face)
        if state["stadium_open"] == face:
            cards += 1
        for past in range(state["past_open"].shape[0]):
            if state["past_open"][past] == face:
                cards += 1
            if state["past_drawn"][past] == face:
                cards += 1
        if cards != int(constants["stadium_copies"][face]):
            return 5
    for card in range(int(constants["num_theatre_cards"])):
        places = in_pile(state["theatre_cards"], int(state["num_theatre_draw"]), card)
        if state["theatre_owner"][card] >= 0:
            places += 1
        if state["auction_card"] == card:
            places += 1
        if places != 1:
            return 6
    return 0


@jit
def broken_phase_invariant(constants: Constants, state: State) -> int:
    """Check the fields of single phases; as `broken_invariant`."""
    phase = int(state["phase"])
    contest = ARENA_CARDS <= phase <= STADIUM_PRIZE
    if (int(state["strength"].sum()) > 0) != contest or (state["builds_left"] > 0) != (phase == FORUM_PHASE):
        return 11
    if (state["auction_card"] >= 0) != (phase == AUCTION) or (
        phase != AUCTION and (state["bidder"] >= 0 or state["out"] != 0)
    ):
        return 11
    if int(state["bid"].sum()) > 0 and state["bidder"] < 0:
        return 11
    if int(state["received"].sum()) > 0 and phase != PECUNIA_PHASE:
        return 11
    if state["last"] >= 0 and phase not in (PECUNIA_PHASE, ARENA_CARDS, STADIUM_CARDS):
        return 11
    if (state["passed"] != 0 and phase != PLACE) or (state["stadium_open"] >= 0) != (phase < AUCTION):
        return 11
    if (state["blue_owner"] >= 0 or state["blue_left"] != 0) and not ARENA_CARDS <= phase <= STADIUM_CARDS:
        return 11
    return 11 if (phase == OVER) != (state["current_player"] < 0) else 0


@jit
def broken_invariant(constants: Constants, state: State) -> int:
    """Index into INVARIANTS of the first invariant of a single position that does not hold; 0 when all do."""
    invariant = broken_piece_invariant(constants, state)
    if invariant == 0:
        invariant = broken_hand_invariant(constants, state)
    if invariant == 0:
        invariant = broken_deck_invariant(constants, state)
    return invariant if invariant != 0 else broken_phase_invariant(constants, state)


@jit
def broken_step_invariant(constants: Constants, before: Any, state: State, action: int) -> int:
    """Check a step and its consequences; as `broken_invariant`."""
    for seat in range(int(state["num_players"])):
        if state["vp"][seat] < before["vp"][seat]:
            return 14
        if int(before["buildings"][seat]) & ~int(state["buildings"][seat]):
            return 15
    return 0 if stocks(state) - stocks(before) == bank_paid(constants, before, state, action) else 16


@jit
def play_checked_game(
    constants: Any, states: Any, words: Any, policy_rng: Any, seed: int, players: int, limit: int
) -> tuple[int, int]:
    """Play one random game in row 0, row 1 being scratch; returns (broken invariant or 0, steps)."""
    reset(constants, states, 0, seed, players)
    steps = 0
    while True:
        invariant = broken_invariant(constants[0], states[0])
        if invariant != 0:
            return invariant, steps
        legal(constants, states, 0, words)
        over = int(states[0]["current_player"]) < 0
        choices = bits.count(words)
        if (choices == 0) != over:
            return 13, steps
        if over:
            return 0, steps
        if steps == limit:
            return 17, steps
        copy_row(states, 1, states, 0)
        action = bits.select(words, policy_below(policy_rng, choices))
        step(constants, states, 0, action)
        steps += 1
        invariant = broken_step_invariant(constants[0], states[1], states[0], action)
        if invariant != 0:
            return invariant, steps


# Phases stand in the order in which the invariants compare them.
assert ARENA_CARDS < ARENA_PRIZE < STADIUM_CARDS < STADIUM_PRIZE < AUCTION
