"""Piles of cards in one array: an open list at the front, a draw pile at the end.

The open list (a display, a discard pile) grows from the front.  The draw pile is at the end, its next card first.  The
cells between them are -1.  Every card is in the array once, so the two lists cannot overlap::

    cards   [opened ... | -1 -1 | ... drawable]

The caller stores and updates the numbers of cards in both lists, `opened` and `drawable`.
All functions take int8 or wider arrays (size,), and return no arrays.
"""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.rng import shuffle
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler

jit = compiler(*CORE_SOURCES)


@jit
def draw_card(cards: Any, drawable: int) -> int:
    """Take the next card of the draw pile, which must not be empty."""
    top = cards.shape[0] - drawable
    card = int(cards[top])
    cards[top] = -1
    return card


@jit
def stack_card(cards: Any, drawable: int, card: int) -> None:
    """Put a card on the draw pile, as its next one."""
    cards[cards.shape[0] - drawable - 1] = card


@jit
def open_card(cards: Any, opened: int, card: int) -> None:
    """Put a card at the end of the open list."""
    cards[opened] = card


@jit
def lay_out(cards: Any, opened: int, drawable: int, wanted: int) -> int:
    """Draw cards onto the open list until it has `wanted` or the draw pile is empty; return the number drawn."""
    drawn = max(0, min(wanted - opened, drawable))
    for i in range(drawn):
        open_card(cards, opened + i, draw_card(cards, drawable - i))
    return drawn


@jit
def take_open(cards: Any, opened: int, card: int) -> bool:
    """Remove the first `card` of the open list and close the gap; return False if it is not there."""
    for index in range(opened):
        if cards[index] == card:
            for later in range(index, opened - 1):
                cards[later] = cards[later + 1]
            cards[opened - 1] = -1
            return True
    return False


@jit
def shuffle_draw(key: Any, counters: Any, stream: int, cards: Any, drawable: int) -> None:
    """Shuffle the draw pile with numbers from `stream` (`core.arrays.rng`)."""
    shuffle(key, counters, stream, cards, cards.shape[0] - drawable, cards.shape[0])


@jit
def sort_draw(cards: Any, drawable: int) -> None:
    """Sort the draw pile ascending (insertion sort): its contents without its order."""
    start: int = cards.shape[0] - drawable
    for i in range(start + 1, cards.shape[0]):
        card = cards[i]
        target = i
        while target > start and cards[target - 1] > card:
            cards[target] = cards[target - 1]
            target -= 1
        cards[target] = card
