"""Hidden information: taking it out of a state, and drawing it anew.

Hidden from a player are the other hands, the order of every draw pile (her own included) and the random key.  What a
draw pile of supply, building or honour cards *contains* is public, because everything that left it was laid open;
which of an opponent's unplayed cards are in her hand is not.
"""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import draw_card, shuffle_draw, sort_draw, stack_card
from porta_nigra_env.core.arrays.rng import seed_key
from porta_nigra_env.games.porta_nigra.components.names import (
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
)
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.state import (
    DECK_STREAM,
    DETERMINIZE_PURPOSE,
    NUM_STREAMS,
    SETUP_STREAM,
    SUPPLY_STREAM,
)


@jit
def redact_record(s: Any, player: int) -> None:
    """Remove what `player` cannot know: draw piles of public content sorted, unknown cards -1 or no hand, key zero."""
    s["key"][0] = 0
    s["key"][1] = 0
    for stream in range(NUM_STREAMS):
        s["counters"][stream] = 0
    sort_draw(s["supply_cards"], int(s["num_supply_draw"]))
    sort_draw(s["building_cards"], int(s["num_building_draw"]))
    sort_draw(s["honour_cards"], int(s["num_honour_draw"]))
    for seat in range(MAX_PLAYERS):
        if seat != player:
            s["hand"][seat] = 0
        for place in range(int(s["num_action_discard"][seat]), NUM_ACTION_CARDS):
            s["action_cards"][seat, place] = -1


@jit
def unseen_cards(t: Any, s: Any, seat: int) -> int:
    """Bits of the seat's action cards that are neither in the discard pile, nor in play, nor in a known hand."""
    unseen = 0
    for card in range(NUM_ACTION_CARDS):
        if int(t["card_players"][card]) >= int(s["num_players"]):
            unseen |= 1 << card
    for place in range(int(s["num_action_discard"][seat])):
        unseen &= ~(1 << int(s["action_cards"][seat, place]))
    if s["current_player"] == seat and s["card_in_play"] >= 0:
        unseen &= ~(1 << int(s["card_in_play"]))
    return unseen & ~int(s["hand"][seat])


@jit
def deal_unseen(t: Any, s: Any, seat: int) -> None:
    """Shuffle a seat's unseen cards: a hand of the right size where it is unknown, the rest as draw pile."""
    cards = s["action_cards"][seat]
    unseen = unseen_cards(t, s, seat)
    size = 0
    for card in range(NUM_ACTION_CARDS - 1, -1, -1):
        if (unseen >> card) & 1:
            stack_card(cards, size, card)
            size += 1
    shuffle_draw(s["key"], s["counters"], DECK_STREAM + seat, cards, size)
    for left in range(size, int(s["num_action_draw"][seat]), -1):
        s["hand"][seat] |= 1 << draw_card(cards, left)


@jit
def determinize_record(t: Any, s: Any, player: int, seed: int) -> None:
    """A uniformly random state among those `player` cannot tell from this one, with fresh randomness for the future."""
    redact_record(s, player)
    seed_key(s["key"], s["counters"], seed, DETERMINIZE_PURPOSE)
    key, counters = s["key"], s["counters"]
    shuffle_draw(key, counters, SUPPLY_STREAM, s["supply_cards"], int(s["num_supply_draw"]))
    shuffle_draw(key, counters, SETUP_STREAM, s["building_cards"], int(s["num_building_draw"]))
    shuffle_draw(key, counters, SETUP_STREAM, s["honour_cards"], int(s["num_honour_draw"]))
    for seat in range(int(s["num_players"])):
        deal_unseen(t, s, seat)
