"""The beginning of a turn: a building card is revealed, then a base card must be played (G6-G8)."""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import draw_card
from porta_nigra_env.core.game.contract import State
from porta_nigra_env.games.gloria_mundi.components.names import DECK, HAND, NUM_PLACES, PLAY
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, ask, clear_decision, end_game


@jit
def reveal(state: State) -> None:
    """Move cards up to the first gap, or the last card to the fire; put the deck's next card on the first place."""
    forum = state["forum"]
    gap = 0
    while gap < NUM_PLACES - 1 and forum[gap] >= 0:
        gap += 1
    if forum[gap] >= 0:
        state["fire"] = int(state["fire"]) | 1 << int(forum[gap])
    for place in range(gap, 0, -1):
        forum[place] = forum[place - 1]
    forum[0] = draw_card(state["deck"], int(state["num_deck"]))
    state["num_deck"] -= 1


@jit
def play_options(state: State, seat: int) -> int:
    """Return the types of the base cards in a hand."""
    bases = 0
    for base in range(NUM_BASES):
        if state["hand"][seat, base] > 0:
            bases |= 1 << base
    return bases


@jit
def begin_turn(state: State, seat: int) -> None:
    """Reveal a card and ask for a base card; the game ends if either is missing (G7, G8)."""
    clear_decision(state)
    state["active_player"] = seat
    state["played"] = -1
    if state["num_deck"] == 0:
        end_game(state, DECK)
        return
    reveal(state)
    options = play_options(state, seat)
    if options == 0:
        end_game(state, HAND)
        return
    ask(state, PLAY, seat, options)
