"""Action cards: decks, hands, and what it costs to use an icon (R12-R15)."""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import draw_card, open_card, shuffle_draw, stack_card
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.names import ICONS, NUM_ACTION_CARDS
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.state import DECK_STREAM

NUM_ICONS = len(ICONS)


@jit
def draw_action_card(state: State, player: int) -> None:
    """The next card of the player's draw pile into her hand, if there is one."""
    left = int(state["num_action_draw"][player])
    if left == 0:
        return
    state["hand"][player] |= 1 << draw_card(state["action_cards"][player], left)
    state["num_hand"][player] += 1
    state["num_action_draw"][player] = left - 1


@jit
def deal_deck(constants: Constants, state: State, player: int) -> None:
    """Shuffle the player's whole deck and draw her hand; a card for fewer players stays in the box."""
    cards = state["action_cards"][player]
    size = 0
    for card in range(NUM_ACTION_CARDS - 1, -1, -1):
        cards[card] = -1
        if int(constants["card_players"][card]) >= int(state["num_players"]):
            stack_card(cards, size, card)
            size += 1
    shuffle_draw(state["key"], state["counters"], DECK_STREAM + player, cards, size)
    state["num_action_discard"][player] = 0
    state["num_action_draw"][player] = size
    state["hand"][player] = 0
    state["num_hand"][player] = 0
    for _ in range(min(size, int(constants["hand_size"]))):
        draw_action_card(state, player)


@jit
def play_card(constants: Constants, state: State, player: int, card: int) -> None:
    """Lay a card of the hand out: its icons and markers are there to be used (R12, R13)."""
    state["hand"][player] &= ~(1 << card)
    state["num_hand"][player] -= 1
    state["card_in_play"] = card
    for icon in range(NUM_ICONS):
        state["icons_left"][icon] = constants["card_icons"][card, icon]
    state["markers_left"] = constants["card_torches"][card]


@jit
def put_away_card(state: State, player: int) -> None:
    """The played card onto the discard pile, unused markers lost (R15), one new card into the hand."""
    discarded = int(state["num_action_discard"][player])
    open_card(state["action_cards"][player], discarded, int(state["card_in_play"]))
    state["num_action_discard"][player] = discarded + 1
    state["card_in_play"] = -1
    for icon in range(NUM_ICONS):
        state["icons_left"][icon] = 0
    state["markers_left"] = 0
    state["honour_bought"] = 0
    draw_action_card(state, player)


@jit
def can_pay_torch(state: State, player: int) -> bool:
    """Whether a marker or a torch token is left."""
    return bool(state["markers_left"] > 0 or state["torches"][player] > 0)


@jit
def pay_torch(state: State, player: int) -> None:
    """One marker, or without markers one torch token (R12)."""
    if state["markers_left"] > 0:
        state["markers_left"] -= 1
    else:
        state["torches"][player] -= 1


@jit
def use_icon(state: State, player: int, icon: int) -> None:
    """Cover one icon of the card in play."""
    state["icons_left"][icon] -= 1
    pay_torch(state, player)
