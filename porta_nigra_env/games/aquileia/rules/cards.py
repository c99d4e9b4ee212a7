"""Slave and equi cards: piles, hands, discards (A2, A5, A6, A51)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import draw_card, shuffle_draw, stack_card
from porta_nigra_env.games.aquileia.components.names import MAX_SLAVES
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.state import EQUI_STREAM, SLAVES_STREAM


@jit
def stack_copies(cards: Any, size: int, face: int, copies: int) -> int:
    """Put equal cards on a draw pile of `size` cards; returns its new size."""
    for _ in range(copies):
        stack_card(cards, size, face)
        size += 1
    return size


@jit
def rebuild(s: Any, stream: int, cards: Any, discard: Any) -> int:
    """The shuffled discard as draw pile, which must be empty (A51); returns its size."""
    size = 0
    for face in range(discard.shape[0]):
        size = stack_copies(cards, size, face, int(discard[face]))
        discard[face] = 0
    shuffle_draw(s["key"], s["counters"], stream, cards, size)
    return size


@jit
def gain_slave(s: Any, seat: int) -> None:
    """The next slave card into a hand, unseen by others; none if pile and discard are empty (A51)."""
    left = int(s["num_slave_draw"])
    if left == 0:
        left = rebuild(s, SLAVES_STREAM, s["slave_cards"], s["slave_discard"])
    if left > 0:
        s["slaves"][seat, draw_card(s["slave_cards"], left)] += 1
        s["num_slaves"][seat] += 1
        s["num_slave_draw"] = left - 1


@jit
def draw_equi(s: Any) -> int:
    """The face of the next equi card; -1 if pile and discard are empty (A51)."""
    left = int(s["num_equi_draw"])
    if left == 0:
        left = rebuild(s, EQUI_STREAM, s["equi_cards"], s["equi_discard"])
    if left == 0:
        return -1
    s["num_equi_draw"] = left - 1
    return draw_card(s["equi_cards"], left)


@jit
def gain_equi(s: Any, seat: int, face: int, known: int) -> None:
    """An equi card into a hand; `known` is 1 where everybody has seen its face (A6)."""
    s["equi"][seat, face] += 1
    s["equi_known"][seat, face] += known
    s["num_equi"][seat] += 1


@jit
def discard_slaves(s: Any, seat: int, face: int, cards: int) -> None:
    """Slave cards of a face (slaves - 1) from a hand to the discard."""
    s["slaves"][seat, face] -= cards
    s["num_slaves"][seat] -= cards
    s["slave_discard"][face] += cards


@jit
def discard_equi(s: Any, seat: int, face: int) -> None:
    """An equi card from a hand to the discard; of equal cards one whose face is known (A6)."""
    s["equi"][seat, face] -= 1
    s["num_equi"][seat] -= 1
    s["equi_discard"][face] += 1
    if s["equi_known"][seat, face] > 0:
        s["equi_known"][seat, face] -= 1


@jit
def count_slaves(s: Any, seat: int) -> int:
    """Slaves on a player's cards."""
    slaves = 0
    for face in range(MAX_SLAVES):
        slaves += (face + 1) * int(s["slaves"][seat, face])
    return slaves


@jit
def pay_slaves(s: Any, seat: int, slaves: int) -> None:
    """As few surplus slaves as possible, then as many doubles as possible (A44); her cards must show enough."""
    singles = int(s["slaves"][seat, 0])
    doubles = min(int(s["slaves"][seat, 1]), slaves >> 1)
    rest = slaves - 2 * doubles
    if rest > singles:
        doubles += 1
        rest = 0
    discard_slaves(s, seat, 0, rest)
    discard_slaves(s, seat, 1, doubles)
