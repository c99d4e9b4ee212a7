"""Setup (A3, A4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.piles import shuffle_draw
from porta_nigra_env.core.arrays.rng import random_below, seed_key
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.rules.cards import stack_copies
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.contest import clear_contest
from porta_nigra_env.games.aquileia.rules.placement import begin_placement, end_placement
from porta_nigra_env.games.aquileia.rules.rounds import lay_out_cards
from porta_nigra_env.games.aquileia.rules.stadium import return_blue_dice
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS
from porta_nigra_env.games.aquileia.state import (
    EQUI_STREAM,
    GAME_PURPOSE,
    SETUP_STREAM,
    SLAVES_STREAM,
    STADIUM_STREAM,
    THEATRE_STREAM,
)


@jit
def clear_players(state: State) -> None:
    """Remove everything that players own."""
    for seat in range(names.MAX_PLAYERS):
        state["standing"][seat] = 0
        state["buildings"][seat] = 0
        state["vp"][seat] = 0
        state["followers_left"][seat] = 0
        state["houses_left"][seat] = 0
        state["crest"][seat] = -1
        state["num_slaves"][seat] = 0
        state["num_equi"][seat] = 0
        for kind in range(NUM_KINDS):
            state["coins"][seat, kind] = 0
        for face in range(names.MAX_SLAVES):
            state["slaves"][seat, face] = 0
        for face in range(names.MAX_EQUI_FACES):
            state["equi"][seat, face] = 0
            state["equi_known"][seat, face] = 0


@jit
def clear_table(state: State) -> None:
    """Remove dice, coins and laid-out cards, and clear everything pending."""
    clear_contest(state)
    end_placement(state)
    return_blue_dice(state)
    for kind in range(NUM_KINDS):
        state["bid"][kind] = 0
        state["received"][kind] = 0
    state["portus_coins"] = 0
    for place in range(names.MAX_EQUI_SPACES):
        state["equi_row"][place] = -1
    for card in range(names.MAX_THEATRE_CARDS):
        state["theatre_owner"][card] = -1
    for past in range(names.MAX_ROUNDS):
        state["past_open"][past] = -1
        state["past_drawn"][past] = -1
        state["past_first"][past] = -1
        state["past_second"][past] = -1
        state["past_kept"][past] = -1
    state["auction_card"] = -1
    state["bidder"] = -1
    state["out"] = 0
    state["last"] = -1
    state["builds_left"] = 0


@jit
def set_up_pile(state: State, stream: int, cards: npt.NDArray[np.int8], copies: npt.NDArray[np.int32]) -> int:
    """Shuffle a deck into a draw pile and return its size. copies: by card type."""
    for place in range(cards.shape[0]):
        cards[place] = -1
    size = 0
    for face in range(copies.shape[0]):
        size = stack_copies(cards, size, face, int(copies[face]))
    shuffle_draw(state["key"], state["counters"], stream, cards, size)
    return size


@jit
def set_up_piles(constants: Constants, state: State) -> None:
    """Set up the four decks (A2, A4)."""
    state["num_slave_draw"] = set_up_pile(state, SLAVES_STREAM, state["slave_cards"], constants["slave_copies"])
    state["num_equi_draw"] = set_up_pile(state, EQUI_STREAM, state["equi_cards"], constants["equi_copies"])
    state["num_stadium_draw"] = set_up_pile(state, STADIUM_STREAM, state["stadium_cards"], constants["stadium_copies"])
    state["num_theatre_draw"] = set_up_pile(state, THEATRE_STREAM, state["theatre_cards"], constants["theatre_copies"])
    for face in range(names.MAX_SLAVES):
        state["slave_discard"][face] = 0
    for face in range(names.MAX_EQUI_FACES):
        state["equi_discard"][face] = 0


@jit
def reset_record(constants: Constants, state: State, seed: int, num_players: int) -> None:
    """Set up a new game up to the first question; every byte of the record is written."""
    clear_players(state)
    clear_table(state)
    seed_key(state["key"], state["counters"], seed, GAME_PURPOSE)
    state["num_players"] = num_players
    state["round"] = 1
    for seat in range(num_players):
        state["followers_left"][seat] = constants["followers_per_player"]
        state["houses_left"][seat] = constants["houses_per_player"]
        for kind in range(NUM_KINDS):
            state["coins"][seat, kind] = constants["start"][kind]
    state["starting_player"] = random_below(state["key"], state["counters"], SETUP_STREAM, num_players)
    set_up_piles(constants, state)
    lay_out_cards(constants, state)
    begin_placement(state)
