"""Setup (G1-G3)."""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import shuffle_draw
from porta_nigra_env.core.arrays.rng import random_below, seed_key
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import MAX_PLAYERS, MAX_SPACES, NUM_CARDS, NUM_PLACES
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.forum import begin_turn, reveal
from porta_nigra_env.games.gloria_mundi.rules.step import settle
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS
from porta_nigra_env.games.gloria_mundi.state import DECK_STREAM, GAME_PURPOSE, SETUP_STREAM


@jit
def set_up_players(constants: Constants, state: State, players: int) -> None:
    """Stones, hands and displays; seats beyond the number of players have nothing."""
    for seat in range(MAX_PLAYERS):
        takes_part = 1 if seat < players else 0
        state["steps"][seat] = 0
        for kind in range(NUM_KINDS):
            state["stones"][seat, kind] = takes_part * int(constants["start_stones"][kind])
        for base in range(NUM_BASES):
            shown = int(constants["start_display"][base])
            state["covered"][seat, base] = 0
            state["hand"][seat, base] = takes_part * (int(constants["hands"][players, base]) - shown)
            state["bare"][seat, base] = takes_part * shown


@jit
def set_up_cards(constants: Constants, state: State) -> None:
    """The deck, shuffled, and what of it lies in the forum from the start (G3)."""
    state["fire"] = 0
    for place in range(NUM_PLACES):
        state["forum"][place] = -1
    for card in range(NUM_CARDS):
        state["deck"][card] = card
    state["num_deck"] = NUM_CARDS
    shuffle_draw(state["key"], state["counters"], DECK_STREAM, state["deck"], NUM_CARDS)
    for _ in range(int(constants["forum_start_cards"])):
        reveal(state)


@jit
def reset_record(constants: Constants, state: State, seed: int, num_players: int) -> None:
    """A new game up to the first decision; every byte of the record is written."""
    seed_key(state["key"], state["counters"], seed, GAME_PURPOSE)
    state["num_players"] = num_players
    state["end"] = -1
    state["goth"] = 0
    state["num_tribute"] = 0
    for space in range(MAX_SPACES):
        state["tribute"][space] = 0
    set_up_players(constants, state, num_players)
    set_up_cards(constants, state)
    state["turn"] = 1
    begin_turn(state, random_below(state["key"], state["counters"], SETUP_STREAM, num_players))
    settle(constants, state)
