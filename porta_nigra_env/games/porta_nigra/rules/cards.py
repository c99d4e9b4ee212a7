"""Action cards: decks, hands, and what it costs to use an icon (R12-R15)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import draw_card, open_card, shuffle_draw, stack_card
from porta_nigra_env.games.porta_nigra.components.names import ICONS, NUM_ACTION_CARDS
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.state import DECK_STREAM

NUM_ICONS = len(ICONS)


@jit
def draw_action_card(s: Any, player: int) -> None:
    """The next card of the player's draw pile into her hand, if there is one."""
    left = int(s["num_action_draw"][player])
    if left == 0:
        return
    s["hand"][player] |= 1 << draw_card(s["action_cards"][player], left)
    s["num_hand"][player] += 1
    s["num_action_draw"][player] = left - 1


@jit
def deal_deck(t: Any, s: Any, player: int) -> None:
    """Shuffle the player's whole deck and draw her hand; a card for fewer players stays in the box."""
    cards = s["action_cards"][player]
    size = 0
    for card in range(NUM_ACTION_CARDS - 1, -1, -1):
        cards[card] = -1
        if int(t["card_players"][card]) >= int(s["num_players"]):
            stack_card(cards, size, card)
            size += 1
    shuffle_draw(s["key"], s["counters"], DECK_STREAM + player, cards, size)
    s["num_action_discard"][player] = 0
    s["num_action_draw"][player] = size
    s["hand"][player] = 0
    s["num_hand"][player] = 0
    for _ in range(min(size, int(t["hand_size"]))):
        draw_action_card(s, player)


@jit
def play_card(t: Any, s: Any, player: int, card: int) -> None:
    """Lay a card of the hand out: its icons and markers are there to be used (R12, R13)."""
    s["hand"][player] &= ~(1 << card)
    s["num_hand"][player] -= 1
    s["card_in_play"] = card
    for icon in range(NUM_ICONS):
        s["icons_left"][icon] = t["card_icons"][card, icon]
    s["markers_left"] = t["card_torches"][card]


@jit
def put_away_card(s: Any, player: int) -> None:
    """The played card onto the discard pile, unused markers lost (R15), one new card into the hand."""
    discarded = int(s["num_action_discard"][player])
    open_card(s["action_cards"][player], discarded, int(s["card_in_play"]))
    s["num_action_discard"][player] = discarded + 1
    s["card_in_play"] = -1
    for icon in range(NUM_ICONS):
        s["icons_left"][icon] = 0
    s["markers_left"] = 0
    s["honour_bought"] = 0
    draw_action_card(s, player)


@jit
def can_pay_torch(s: Any, player: int) -> bool:
    """Whether a marker or a torch token is left."""
    return bool(s["markers_left"] > 0 or s["torches"][player] > 0)


@jit
def pay_torch(s: Any, player: int) -> None:
    """One marker, or without markers one torch token (R12)."""
    if s["markers_left"] > 0:
        s["markers_left"] -= 1
    else:
        s["torches"][player] -= 1


@jit
def use_icon(s: Any, player: int, icon: int) -> None:
    """Cover one icon of the card in play."""
    s["icons_left"][icon] -= 1
    pay_torch(s, player)
