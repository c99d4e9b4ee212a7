"""Action cards: decks, hands, and the price and use of icons (R12-R15)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.piles import draw_card, open_card, shuffle_draw, stack_card
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.porta_nigra.actions import ID
from porta_nigra_env.games.porta_nigra.components.names import (
    COINS_3,
    ICONS,
    INFLUENCE_ICON,
    NUM_ACTION_CARDS,
    TORCH_ICON,
)
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.state import DECK_STREAM

NUM_ICONS = len(ICONS)
#: Sesterces of the smallest coin icon; the amount is the icon's name.
SMALLEST_COINS = 3


@jit
def draw_action_card(state: State, player: int) -> None:
    """Move the next card of the player's draw pile to the player's hand, if there is one."""
    left = int(state["num_action_draw"][player])
    if left == 0:
        return
    state["hand"][player] |= 1 << draw_card(state["action_cards"][player], left)
    state["num_hand"][player] += 1
    state["num_action_draw"][player] = left - 1


@jit
def deal_deck(constants: Constants, state: State, player: int) -> None:
    """Shuffle the player's whole deck and draw a hand; a card for fewer players stays in the box."""
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
def legal_cards(state: State, player: int, words: Words) -> None:
    """Add the cards of the hand."""
    bits.put(words, ID.card, int(state["hand"][player]), NUM_ACTION_CARDS)


@jit
def play_card(constants: Constants, state: State, player: int, card: int) -> None:
    """Play a card of the hand: its icons and markers become available (R12, R13)."""
    state["hand"][player] &= ~(1 << card)
    state["num_hand"][player] -= 1
    state["card_in_play"] = card
    for icon in range(NUM_ICONS):
        state["icons_left"][icon] = constants["card_icons"][card, icon]
    state["markers_left"] = constants["card_torches"][card]


@jit
def put_away_card(state: State, player: int) -> None:
    """Discard the card in play, drop unused markers (R15) and draw one card."""
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
    """Return whether the player has a marker or a torch token."""
    return bool(state["markers_left"] > 0 or state["torches"][player] > 0)


@jit
def pay_torch(state: State, player: int) -> None:
    """Pay one marker, or one torch token if there is no marker (R12)."""
    if state["markers_left"] > 0:
        state["markers_left"] -= 1
    else:
        state["torches"][player] -= 1


@jit
def use_icon(state: State, player: int, icon: int) -> None:
    """Cover one icon of the card in play."""
    state["icons_left"][icon] -= 1
    pay_torch(state, player)


@jit
def legal_takes(state: State, words: Words) -> None:
    """Add the use of influence, torch and coin icons; the player can pay a torch (R14)."""
    for icon in range(INFLUENCE_ICON, NUM_ICONS):
        if state["icons_left"][icon] > 0:
            bits.add(words, ID.take + icon - INFLUENCE_ICON)


@jit
def take(state: State, player: int, icon: int) -> None:
    """Use an influence, torch or coin icon; the player pays before the icon gives (R14)."""
    use_icon(state, player, icon)
    if icon == INFLUENCE_ICON:
        state["influence"][player] += 1
    elif icon == TORCH_ICON:
        state["torches"][player] += 1
    else:
        state["sesterces"][player] += SMALLEST_COINS + icon - COINS_3


@jit
def take_coin(constants: Constants, state: State, player: int) -> None:
    """Exchange a marker or a torch token for sesterces (R14)."""
    pay_torch(state, player)
    state["sesterces"][player] += constants["torch_to_sesterces"]
