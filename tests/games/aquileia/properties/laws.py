"""Conservation laws of a state, compiled, so that every position of a hundred thousand games can be looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import chance_below
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.records import copy_row
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

LAWS = (
    "no law is broken",
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
def broken_piece_law(t: Any, s: Any) -> int:
    """Followers, houses, crests, coins under followers; as `broken_law`."""
    standing = built = crests = places = 0
    sides = int(t["area_spaces"][STADIUM_GOLD]), int(t["area_spaces"][STADIUM_SILVER])
    for seat in range(MAX_PLAYERS):
        own, houses = int(s["standing"][seat]), int(s["buildings"][seat])
        if seat >= int(s["num_players"]):
            if own or houses or s["followers_left"][seat] or s["vp"][seat] or s["crest"][seat] >= 0:
                return 12
            continue
        if own & standing or size_of(own) + int(s["followers_left"][seat]) != int(t["followers_per_player"]):
            return 1
        if houses & built or size_of(houses) + int(s["houses_left"][seat]) != int(t["houses_per_player"]):
            return 2
        if (own & sides[0] and own & sides[1]) or size_of(own & int(t["area_spaces"][PORTUS])) > 1:
            return 9
        standing |= own
        built |= houses
        if s["crest"][seat] >= 0:
            crests += 1
            places |= 1 << int(s["crest"][seat])
        for kind in range(3):
            if s["coins"][seat, kind] < 0:
                return 7
        if s["vp"][seat] < 0 or s["followers_left"][seat] < 0 or s["houses_left"][seat] < 0:
            return 7
    for kind in range(3):
        if (int(s["portus_coins"]) >> kind) & 1 and int(t["coin_space"][kind]) & standing == 0:
            return 10
    return 0 if places == (1 << crests) - 1 else 8


@jit
def in_pile(cards: Any, drawable: int, face: int) -> int:
    """Cards of a face in a draw pile."""
    found = 0
    for place in range(cards.shape[0] - drawable, cards.shape[0]):
        if cards[place] == face:
            found += 1
    return found


@jit
def broken_hand_law(t: Any, s: Any) -> int:
    """Slave and equi cards; as `broken_law`."""
    for face in range(s["slave_discard"].shape[0]):
        cards = int(s["slave_discard"][face]) + in_pile(s["slave_cards"], int(s["num_slave_draw"]), face)
        for seat in range(int(s["num_players"])):
            cards += int(s["slaves"][seat, face])
            if s["slaves"][seat, face] < 0:
                return 7
        if cards != int(t["slave_copies"][face]) or s["slave_discard"][face] < 0:
            return 3
    for face in range(s["equi_discard"].shape[0]):
        cards = int(s["equi_discard"][face]) + in_pile(s["equi_cards"], int(s["num_equi_draw"]), face)
        for place in range(s["equi_row"].shape[0]):
            if s["equi_row"][place] == face:
                cards += 1
        for seat in range(int(s["num_players"])):
            cards += int(s["equi"][seat, face])
            if s["equi_known"][seat, face] < 0 or s["equi_known"][seat, face] > s["equi"][seat, face]:
                return 4
        if cards != int(t["equi_copies"][face]) or s["equi_discard"][face] < 0:
            return 4
    for seat in range(MAX_PLAYERS):
        if int(s["slaves"][seat].sum()) != int(s["num_slaves"][seat]):
            return 3
        if int(s["equi"][seat].sum()) != int(s["num_equi"][seat]):
            return 4
    return 0


@jit
def broken_deck_law(t: Any, s: Any) -> int:
    """Stadium and theatre cards; as `broken_law`."""
    for face in range(int(t["num_stadium_faces"])):
        cards = in_pile(s["stadium_cards"], int(s["num_stadium_draw"]), face)
        if s["stadium_open"] == face:
            cards += 1
        for past in range(s["past_open"].shape[0]):
            if s["past_open"][past] == face:
                cards += 1
            if s["past_drawn"][past] == face:
                cards += 1
        if cards != int(t["stadium_copies"][face]):
            return 5
    for card in range(int(t["num_theatre_cards"])):
        places = in_pile(s["theatre_cards"], int(s["num_theatre_draw"]), card)
        if s["theatre_owner"][card] >= 0:
            places += 1
        if s["auction_card"] == card:
            places += 1
        if places != 1:
            return 6
    return 0


@jit
def broken_phase_law(t: Any, s: Any) -> int:
    """What only some phases have; as `broken_law`."""
    phase = int(s["phase"])
    contest = ARENA_CARDS <= phase <= STADIUM_PRIZE
    if (int(s["strength"].sum()) > 0) != contest or (s["builds_left"] > 0) != (phase == FORUM_PHASE):
        return 11
    if (s["auction_card"] >= 0) != (phase == AUCTION) or (phase != AUCTION and (s["bidder"] >= 0 or s["out"] != 0)):
        return 11
    if int(s["bid"].sum()) > 0 and s["bidder"] < 0:
        return 11
    if int(s["received"].sum()) > 0 and phase != PECUNIA_PHASE:
        return 11
    if s["last"] >= 0 and phase not in (PECUNIA_PHASE, ARENA_CARDS, STADIUM_CARDS):
        return 11
    if (s["passed"] != 0 and phase != PLACE) or (s["stadium_open"] >= 0) != (phase < AUCTION):
        return 11
    if (s["blue_owner"] >= 0 or s["blue_left"] != 0) and not ARENA_CARDS <= phase <= STADIUM_CARDS:
        return 11
    return 11 if (phase == OVER) != (s["current_player"] < 0) else 0


@jit
def broken_law(t: Any, s: Any) -> int:
    """Index into LAWS of the first law of a single position that does not hold; 0 when all do."""
    law = broken_piece_law(t, s)
    if law == 0:
        law = broken_hand_law(t, s)
    if law == 0:
        law = broken_deck_law(t, s)
    return law if law != 0 else broken_phase_law(t, s)


@jit
def broken_course(t: Any, before: Any, s: Any, action: int) -> int:
    """The same for a decision and what it has led to."""
    for seat in range(int(s["num_players"])):
        if s["vp"][seat] < before["vp"][seat]:
            return 14
        if int(before["buildings"][seat]) & ~int(s["buildings"][seat]):
            return 15
    return 0 if stocks(s) - stocks(before) == bank_paid(t, before, s, action) else 16


@jit
def lawful_game(
    tables: Any, states: Any, words: Any, chance: Any, seed: int, players: int, limit: int
) -> tuple[int, int]:
    """Play one random game in row 0, row 1 being scratch; returns (broken law or 0, decisions)."""
    reset(tables, states, 0, seed, players)
    decisions = 0
    while True:
        law = broken_law(tables[0], states[0])
        if law != 0:
            return law, decisions
        legal(tables, states, 0, words)
        over = int(states[0]["current_player"]) < 0
        choices = bits.count(words)
        if (choices == 0) != over:
            return 13, decisions
        if over:
            return 0, decisions
        if decisions == limit:
            return 17, decisions
        copy_row(states, 1, states, 0)
        action = bits.select(words, chance_below(chance, choices))
        step(tables, states, 0, action)
        decisions += 1
        law = broken_course(tables[0], states[1], states[0], action)
        if law != 0:
            return law, decisions


# Phases stand in the order in which the laws compare them.
assert ARENA_CARDS < ARENA_PRIZE < STADIUM_CARDS < STADIUM_PRIZE < AUCTION
