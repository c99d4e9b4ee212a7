"""Slave and equi cards: piles, hands, discards (A2, A5, A6, A51)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.piles import draw_card, shuffle_draw, stack_card
from porta_nigra_env.core.game.contract import State
from porta_nigra_env.games.aquileia.components.names import MAX_SLAVES
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.state import EQUI_STREAM, SLAVES_STREAM


@jit
def stack_copies(cards: npt.NDArray[np.int8], size: int, face: int, copies: int) -> int:
    """Put equal cards on a draw pile of `size` cards, and return its new size."""
    for _ in range(copies):
        stack_card(cards, size, face)
        size += 1
    return size


@jit
def rebuild(state: State, stream: int, cards: npt.NDArray[np.int8], discard: npt.NDArray[np.int8]) -> int:
    """Shuffle the discard into the draw pile, which must be empty, and return its size (A51)."""
    size = 0
    for face in range(discard.shape[0]):
        size = stack_copies(cards, size, face, int(discard[face]))
        discard[face] = 0
    shuffle_draw(state["key"], state["counters"], stream, cards, size)
    return size


@jit
def gain_slave(state: State, seat: int) -> None:
    """Draw the next slave card into a hand, unseen by others; none if pile and discard are empty (A51)."""
    left = int(state["num_slave_draw"])
    if left == 0:
        left = rebuild(state, SLAVES_STREAM, state["slave_cards"], state["slave_discard"])
    if left > 0:
        state["slaves"][seat, draw_card(state["slave_cards"], left)] += 1
        state["num_slaves"][seat] += 1
        state["num_slave_draw"] = left - 1


@jit
def draw_equi(state: State) -> int:
    """Draw the next equi card; -1 if pile and discard are empty (A51)."""
    left = int(state["num_equi_draw"])
    if left == 0:
        left = rebuild(state, EQUI_STREAM, state["equi_cards"], state["equi_discard"])
    if left == 0:
        return -1
    state["num_equi_draw"] = left - 1
    return draw_card(state["equi_cards"], left)


@jit
def gain_equi(state: State, seat: int, face: int, known: int) -> None:
    """Add an equi card to a hand; `known` is 1 if all players have seen it (A6)."""
    state["equi"][seat, face] += 1
    state["equi_known"][seat, face] += known
    state["num_equi"][seat] += 1


@jit
def discard_slaves(state: State, seat: int, face: int, cards: int) -> None:
    """Discard slave cards of one type (slaves - 1) from a hand."""
    state["slaves"][seat, face] -= cards
    state["num_slaves"][seat] -= cards
    state["slave_discard"][face] += cards


@jit
def discard_equi(state: State, seat: int, face: int) -> None:
    """Discard an equi card from a hand; among equal cards a known one (A6)."""
    state["equi"][seat, face] -= 1
    state["num_equi"][seat] -= 1
    state["equi_discard"][face] += 1
    if state["equi_known"][seat, face] > 0:
        state["equi_known"][seat, face] -= 1


@jit
def count_slaves(state: State, seat: int) -> int:
    """Return the number of slaves on a player's cards."""
    slaves = 0
    for face in range(MAX_SLAVES):
        slaves += (face + 1) * int(state["slaves"][seat, face])
    return slaves


@jit
def pay_slaves(state: State, seat: int, slaves: int) -> None:
    """Pay with the least surplus, then with the most doubles (A44); the hand must suffice."""
    singles = int(state["slaves"][seat, 0])
    doubles = min(int(state["slaves"][seat, 1]), slaves >> 1)
    rest = slaves - 2 * doubles
    if rest > singles:
        doubles += 1
        rest = 0
    discard_slaves(state, seat, 0, rest)
    discard_slaves(state, seat, 1, doubles)
