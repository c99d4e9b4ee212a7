"""Setup (G1-G3)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import shuffle_draw
from porta_nigra_env.core.arrays.rng import random_below, seed_key
from porta_nigra_env.games.gloria_mundi.components.names import MAX_PLAYERS, MAX_SPACES, NUM_CARDS, NUM_PLACES
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.forum import begin_turn, reveal
from porta_nigra_env.games.gloria_mundi.rules.step import settle
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS
from porta_nigra_env.games.gloria_mundi.state import DECK_STREAM, GAME_PURPOSE, SETUP_STREAM


@jit
def set_up_players(t: Any, s: Any, players: int) -> None:
    """Stones, hands and displays; seats beyond the number of players have nothing."""
    for seat in range(MAX_PLAYERS):
        takes_part = 1 if seat < players else 0
        s["steps"][seat] = 0
        for kind in range(NUM_KINDS):
            s["stones"][seat, kind] = takes_part * int(t["start_stones"][kind])
        for base in range(NUM_BASES):
            shown = int(t["start_display"][base])
            s["covered"][seat, base] = 0
            s["hand"][seat, base] = takes_part * (int(t["hands"][players, base]) - shown)
            s["bare"][seat, base] = takes_part * shown


@jit
def set_up_cards(t: Any, s: Any) -> None:
    """The deck, shuffled, and what of it lies in the forum from the start (G3)."""
    s["fire"] = 0
    for place in range(NUM_PLACES):
        s["forum"][place] = -1
    for card in range(NUM_CARDS):
        s["deck"][card] = card
    s["num_deck"] = NUM_CARDS
    shuffle_draw(s["key"], s["counters"], DECK_STREAM, s["deck"], NUM_CARDS)
    for _ in range(int(t["forum_start_cards"])):
        reveal(s)


@jit
def reset_record(t: Any, s: Any, seed: int, num_players: int) -> None:
    """A new game up to the first decision; every byte of the record is written."""
    seed_key(s["key"], s["counters"], seed, GAME_PURPOSE)
    s["num_players"] = num_players
    s["end"] = -1
    s["goth"] = 0
    s["num_tribute"] = 0
    for space in range(MAX_SPACES):
        s["tribute"][space] = 0
    set_up_players(t, s, num_players)
    set_up_cards(t, s)
    s["turn"] = 1
    begin_turn(s, random_below(s["key"], s["counters"], SETUP_STREAM, num_players))
    settle(t, s)
