"""Setup (G1-G3) and hidden information, which is the order of the deck alone (G43, G44)."""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import shuffle_draw
from porta_nigra_env.core.arrays.rng import REDRAW_PURPOSE, random_below, seed_key
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import MAX_PLAYERS, MAX_SPACES, NUM_CARDS, NUM_PLACES
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.dispatch import settle
from porta_nigra_env.games.gloria_mundi.rules.forum import begin_turn, reveal
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS
from porta_nigra_env.games.gloria_mundi.state import (
    DECK_STREAM,
    DETERMINIZE_PURPOSE,
    GAME_PURPOSE,
    NUM_STREAMS,
    SETUP_STREAM,
)


@jit
def set_up_players(constants: Constants, state: State, players: int) -> None:
    """Deal stones, hands and displays; absent seats get nothing."""
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
def shuffle_deck(state: State) -> None:
    """Shuffle the deck."""
    shuffle_draw(state["key"], state["counters"], DECK_STREAM, state["deck"], int(state["num_deck"]))


@jit
def set_up_cards(constants: Constants, state: State) -> None:
    """Shuffle the deck and reveal the cards that lie in the forum from the start (G3)."""
    state["fire"] = 0
    for place in range(NUM_PLACES):
        state["forum"][place] = -1
    for card in range(NUM_CARDS):
        state["deck"][card] = card
    state["num_deck"] = NUM_CARDS
    shuffle_deck(state)
    for _ in range(int(constants["forum_start_cards"])):
        reveal(state)


@jit
def reset_record(constants: Constants, state: State, seed: int, num_players: int) -> None:
    """Start a game and stop at the first decision; every byte of the record is written."""
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


@jit
def cards_in_deck(state: State) -> int:
    """Return the set of the deck's cards; all players have seen the others (G44)."""
    cards = 0
    for index in range(NUM_CARDS - int(state["num_deck"]), NUM_CARDS):
        cards |= 1 << int(state["deck"][index])
    return cards


@jit
def redact_record(state: State, player: int) -> None:
    """Sort the deck and clear the random key; the result is the same for every player."""
    state["key"][0] = 0
    state["key"][1] = 0
    for stream in range(NUM_STREAMS):
        state["counters"][stream] = 0
    cards = cards_in_deck(state)
    index = NUM_CARDS - int(state["num_deck"])
    for card in range(NUM_CARDS):
        if (cards >> card) & 1:
            state["deck"][index] = card
            index += 1


@jit
def determinize_record(constants: Constants, state: State, player: int, seed: int) -> None:
    """Draw a uniformly random order of the deck and a new random key."""
    redact_record(state, player)
    seed_key(state["key"], state["counters"], seed, DETERMINIZE_PURPOSE)
    shuffle_deck(state)


@jit
def redraw_record(state: State, seed: int) -> None:
    """Reseed, and shuffle the deck."""
    seed_key(state["key"], state["counters"], seed, REDRAW_PURPOSE)
    shuffle_deck(state)
