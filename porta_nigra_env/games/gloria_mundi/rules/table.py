"""What lies on the table: seats, stones, steps, displays; and how a game ends."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.gloria_mundi.components.names import AFRICA, BASES, NUM_BASIC, OVER, STONES
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.state import LARGEST_AMOUNT

NUM_BASES = len(BASES)
NUM_KINDS = len(STONES)


@jit
def following(s: Any, seat: int) -> int:
    """The left neighbour (G1)."""
    return seat + 1 if seat + 1 < int(s["num_players"]) else 0


@jit
def size_of(members: int) -> int:
    """How many members a set has."""
    size = 0
    while members != 0:
        members &= members - 1
        size += 1
    return size


@jit
def buildings_of(s: Any, seat: int) -> int:
    """All building cards in a display."""
    cards = 0
    for base in range(NUM_BASES):
        cards |= int(s["covered"][seat, base])
    return cards


@jit
def base_cards(s: Any, seat: int, base: int) -> int:
    """Base cards of a type in a display, bare and covered."""
    return int(s["bare"][seat, base]) + size_of(int(s["covered"][seat, base]))


@jit
def bare_bases(s: Any, seat: int) -> int:
    """The types of which she has a bare base card."""
    bases = 0
    for base in range(NUM_BASES):
        if s["bare"][seat, base] > 0:
            bases |= 1 << base
    return bases


@jit
def discard_building(s: Any, seat: int, card: int) -> int:
    """A building card of a display goes to the fire (G36); returns the type of the base card below, which is not
    touched."""
    base = 0
    while (int(s["covered"][seat, base]) >> card) & 1 == 0:
        base += 1
    s["covered"][seat, base] = int(s["covered"][seat, base]) & ~(1 << card)
    s["fire"] = int(s["fire"]) | 1 << card
    return base


@jit
def kinds_in_stock(s: Any, seat: int) -> int:
    """The kinds of stones she has."""
    kinds = 0
    for kind in range(NUM_KINDS):
        if s["stones"][seat, kind] > 0:
            kinds |= 1 << kind
    return kinds


@jit
def gain_stones(s: Any, seat: int, kind: int, stones: int) -> None:
    """Stones from the supply; what would be too many is lost (G4)."""
    s["stones"][seat, kind] = min(int(s["stones"][seat, kind]) + stones, LARGEST_AMOUNT)


@jit
def spend_stones(s: Any, seat: int, kind: int, stones: int) -> None:
    """Stones back to the supply, or onto a province."""
    s["stones"][seat, kind] = int(s["stones"][seat, kind]) - stones


@jit
def gain_steps(t: Any, s: Any, seat: int, steps: int) -> None:
    """The Roman goes on; in Africa the game ends at once (G21)."""
    reached = min(int(s["steps"][seat]) + steps, int(t["escape_steps"]))
    s["steps"][seat] = reached
    if reached == int(t["escape_steps"]):
        end_game(s, AFRICA)


@jit
def clear_decision(s: Any) -> None:
    """Nothing is pending."""
    s["left"] = 0
    s["options"] = 0
    s["card"] = -1
    s["give_left"] = 0
    s["take_left"] = 0
    s["place"] = -1
    s["base"] = -1
    for kind in range(NUM_BASIC):
        s["paid"][kind] = -1
    for base in range(NUM_BASES):
        s["demanded"][base] = 0
    for kind in range(NUM_KINDS):
        s["raid_stones"][kind] = 0


@jit
def end_game(s: Any, end: int) -> None:
    """Nothing further is carried out (G40)."""
    clear_decision(s)
    s["phase"] = OVER
    s["current_player"] = -1
    s["played"] = -1
    s["end"] = end
