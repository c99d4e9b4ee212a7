"""Hidden information: remove it from a state, or redraw it.

Hidden from a player are the other hands, the order of every draw pile (the player's own included) and the random key.
The contents of the supply, building and honour draw piles are public, because every card that left them was face up.
The hand of an opponent is hidden among the opponent's unplayed cards.
"""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import draw_card, shuffle_draw, sort_draw, stack_card
from porta_nigra_env.core.arrays.rng import REDRAW_PURPOSE, seed_key
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.names import MAX_PLAYERS, NUM_ACTION_CARDS
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.state import (
    DECK_STREAM,
    DETERMINIZE_PURPOSE,
    NUM_STREAMS,
    SETUP_STREAM,
    SUPPLY_STREAM,
)


@jit
def redact_record(state: State, player: int) -> None:
    """Remove information hidden from `player`: sort public draw piles, set unknown cards to -1, clear hands and key."""
    state["key"][0] = 0
    state["key"][1] = 0
    for stream in range(NUM_STREAMS):
        state["counters"][stream] = 0
    sort_draw(state["supply_cards"], int(state["num_supply_draw"]))
    sort_draw(state["building_cards"], int(state["num_building_draw"]))
    sort_draw(state["honour_cards"], int(state["num_honour_draw"]))
    for seat in range(MAX_PLAYERS):
        if seat != player:
            state["hand"][seat] = 0
        for i in range(int(state["num_action_discard"][seat]), NUM_ACTION_CARDS):
            state["action_cards"][seat, i] = -1


@jit
def unseen_cards(constants: Constants, state: State, seat: int) -> int:
    """Return bits of the seat's action cards that are neither discarded, nor in play, nor in a known hand."""
    unseen = 0
    for card in range(NUM_ACTION_CARDS):
        if int(constants["card_players"][card]) >= int(state["num_players"]):
            unseen |= 1 << card
    for i in range(int(state["num_action_discard"][seat])):
        unseen &= ~(1 << int(state["action_cards"][seat, i]))
    if state["current_player"] == seat and state["card_in_play"] >= 0:
        unseen &= ~(1 << int(state["card_in_play"]))
    return unseen & ~int(state["hand"][seat])


@jit
def deal_unseen(constants: Constants, state: State, seat: int) -> None:
    """Shuffle a seat's unseen cards: a hand of the right size where it is unknown, the rest as draw pile."""
    cards = state["action_cards"][seat]
    unseen = unseen_cards(constants, state, seat)
    size = 0
    for card in range(NUM_ACTION_CARDS - 1, -1, -1):
        if (unseen >> card) & 1:
            stack_card(cards, size, card)
            size += 1
    shuffle_draw(state["key"], state["counters"], DECK_STREAM + seat, cards, size)
    for left in range(size, int(state["num_action_draw"][seat]), -1):
        state["hand"][seat] |= 1 << draw_card(cards, left)


@jit
def shuffle_piles(state: State) -> None:
    """Shuffle the draw piles of supply, buildings and honours."""
    key, counters = state["key"], state["counters"]
    shuffle_draw(key, counters, SUPPLY_STREAM, state["supply_cards"], int(state["num_supply_draw"]))
    shuffle_draw(key, counters, SETUP_STREAM, state["building_cards"], int(state["num_building_draw"]))
    shuffle_draw(key, counters, SETUP_STREAM, state["honour_cards"], int(state["num_honour_draw"]))


@jit
def determinize_record(constants: Constants, state: State, player: int, seed: int) -> None:
    """Redraw uniformly among the states `player` cannot tell from this one, with fresh randomness for the future."""
    redact_record(state, player)
    seed_key(state["key"], state["counters"], seed, DETERMINIZE_PURPOSE)
    shuffle_piles(state)
    for seat in range(int(state["num_players"])):
        deal_unseen(constants, state, seat)


@jit
def redraw_record(state: State, seed: int) -> None:
    """Reseed, and shuffle all draw piles; hands stay."""
    key, counters = state["key"], state["counters"]
    seed_key(key, counters, seed, REDRAW_PURPOSE)
    shuffle_piles(state)
    for seat in range(int(state["num_players"])):
        left = int(state["num_action_draw"][seat])
        shuffle_draw(key, counters, DECK_STREAM + seat, state["action_cards"][seat], left)
