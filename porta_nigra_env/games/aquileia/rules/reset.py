"""Setup (A3, A4)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import shuffle_draw
from porta_nigra_env.core.arrays.rng import random_below, seed_key
from porta_nigra_env.games.aquileia.components.names import (
    MAX_EQUI_FACES,
    MAX_EQUI_SPACES,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_SLAVES,
    MAX_THEATRE_CARDS,
)
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
def clear_players(s: Any) -> None:
    """Nobody has anything."""
    for seat in range(MAX_PLAYERS):
        s["standing"][seat] = 0
        s["buildings"][seat] = 0
        s["vp"][seat] = 0
        s["followers_left"][seat] = 0
        s["houses_left"][seat] = 0
        s["crest"][seat] = -1
        s["num_slaves"][seat] = 0
        s["num_equi"][seat] = 0
        for kind in range(NUM_KINDS):
            s["coins"][seat, kind] = 0
        for face in range(MAX_SLAVES):
            s["slaves"][seat, face] = 0
        for face in range(MAX_EQUI_FACES):
            s["equi"][seat, face] = 0
            s["equi_known"][seat, face] = 0


@jit
def clear_table(s: Any) -> None:
    """No dice, no coins, no cards laid out, nothing pending."""
    clear_contest(s)
    end_placement(s)
    return_blue_dice(s)
    for kind in range(NUM_KINDS):
        s["bid"][kind] = 0
        s["received"][kind] = 0
    s["portus_coins"] = 0
    for place in range(MAX_EQUI_SPACES):
        s["equi_row"][place] = -1
    for card in range(MAX_THEATRE_CARDS):
        s["theatre_owner"][card] = -1
    for past in range(MAX_ROUNDS):
        s["past_open"][past] = -1
        s["past_drawn"][past] = -1
        s["past_first"][past] = -1
        s["past_second"][past] = -1
        s["past_kept"][past] = -1
    s["auction_card"] = -1
    s["bidder"] = -1
    s["out"] = 0
    s["last"] = -1
    s["builds_left"] = 0


@jit
def set_up_pile(s: Any, stream: int, cards: Any, copies: Any) -> int:
    """A deck, shuffled, as draw pile; returns its size.  copies: by face."""
    for place in range(cards.shape[0]):
        cards[place] = -1
    size = 0
    for face in range(copies.shape[0]):
        size = stack_copies(cards, size, face, int(copies[face]))
    shuffle_draw(s["key"], s["counters"], stream, cards, size)
    return size


@jit
def set_up_piles(t: Any, s: Any) -> None:
    """Four decks (A2, A4)."""
    s["num_slave_draw"] = set_up_pile(s, SLAVES_STREAM, s["slave_cards"], t["slave_copies"])
    s["num_equi_draw"] = set_up_pile(s, EQUI_STREAM, s["equi_cards"], t["equi_copies"])
    s["num_stadium_draw"] = set_up_pile(s, STADIUM_STREAM, s["stadium_cards"], t["stadium_copies"])
    s["num_theatre_draw"] = set_up_pile(s, THEATRE_STREAM, s["theatre_cards"], t["theatre_copies"])
    for face in range(MAX_SLAVES):
        s["slave_discard"][face] = 0
    for face in range(MAX_EQUI_FACES):
        s["equi_discard"][face] = 0


@jit
def reset_record(t: Any, s: Any, seed: int, num_players: int) -> None:
    """A new game up to the first decision; every byte of the record is written."""
    clear_players(s)
    clear_table(s)
    seed_key(s["key"], s["counters"], seed, GAME_PURPOSE)
    s["num_players"] = num_players
    s["round"] = 1
    for seat in range(num_players):
        s["followers_left"][seat] = t["followers_per_player"]
        s["houses_left"][seat] = t["houses_per_player"]
        for kind in range(NUM_KINDS):
            s["coins"][seat, kind] = t["start"][kind]
    s["starting_player"] = random_below(s["key"], s["counters"], SETUP_STREAM, num_players)
    set_up_piles(t, s)
    lay_out_cards(t, s)
    begin_placement(s)
