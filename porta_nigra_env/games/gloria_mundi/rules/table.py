"""Seats, stones, steps, displays, the pending decision, and the end of a game."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.components.names import AFRICA, BASES, NUM_BASIC, OVER, STONES
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.state import LARGEST_AMOUNT

NUM_BASES = len(BASES)
NUM_KINDS = len(STONES)


@jit
def following(state: State, seat: int) -> int:
    """Return the left neighbour of a seat (G1)."""
    return seat + 1 if seat + 1 < int(state["num_players"]) else 0


@jit
def size_of(members: int) -> int:
    """Return the number of members of a set."""
    size = 0
    while members != 0:
        members &= members - 1
        size += 1
    return size


@jit
def buildings_of(state: State, seat: int) -> int:
    """Return the set of building cards in a display."""
    cards = 0
    for base in range(NUM_BASES):
        cards |= int(state["covered"][seat, base])
    return cards


@jit
def base_cards(state: State, seat: int, base: int) -> int:
    """Return the number of base cards of a type in a display, bare and covered."""
    return int(state["bare"][seat, base]) + size_of(int(state["covered"][seat, base]))


@jit
def bare_bases(state: State, seat: int) -> int:
    """Return the types of the bare base cards in a display."""
    bases = 0
    for base in range(NUM_BASES):
        if state["bare"][seat, base] > 0:
            bases |= 1 << base
    return bases


@jit
def discard_building(state: State, seat: int, card: int) -> int:
    """Move a building card of a display to the fire (G36) and return the type of the base card below it."""
    base = 0
    while (int(state["covered"][seat, base]) >> card) & 1 == 0:
        base += 1
    state["covered"][seat, base] = int(state["covered"][seat, base]) & ~(1 << card)
    state["fire"] = int(state["fire"]) | 1 << card
    return base


@jit
def kinds_in_stock(state: State, seat: int) -> int:
    """Return the kinds of stones in a stock."""
    kinds = 0
    for kind in range(NUM_KINDS):
        if state["stones"][seat, kind] > 0:
            kinds |= 1 << kind
    return kinds


@jit
def gain_stones(state: State, seat: int, kind: int, stones: int) -> None:
    """Add stones from the supply to a stock; stones beyond the largest amount are lost (G4)."""
    state["stones"][seat, kind] = min(int(state["stones"][seat, kind]) + stones, LARGEST_AMOUNT)


@jit
def spend_stones(state: State, seat: int, kind: int, stones: int) -> None:
    """Remove stones from a stock."""
    state["stones"][seat, kind] = int(state["stones"][seat, kind]) - stones


@jit
def gain_steps(constants: Constants, state: State, seat: int, steps: int) -> None:
    """Move the Roman; in Africa the game ends at once (G21)."""
    reached = min(int(state["steps"][seat]) + steps, int(constants["escape_steps"]))
    state["steps"][seat] = reached
    if reached == int(constants["escape_steps"]):
        end_game(state, AFRICA)


@jit
def ask(state: State, phase: int, seat: int, options: int) -> None:
    """Ask a seat for a decision."""
    state["phase"] = phase
    state["current_player"] = seat
    state["options"] = options


@jit
def clear_decision(state: State) -> None:
    """Clear the pending decision."""
    state["left"] = 0
    state["options"] = 0
    state["card"] = -1
    state["give_left"] = 0
    state["take_left"] = 0
    state["place"] = -1
    state["base"] = -1
    for kind in range(NUM_BASIC):
        state["paid"][kind] = -1
    for base in range(NUM_BASES):
        state["demanded"][base] = 0
    for kind in range(NUM_KINDS):
        state["raid_stones"][kind] = 0


@jit
def end_game(state: State, end: int) -> None:
    """End the game; nothing else is carried out (G40)."""
    clear_decision(state)
    state["phase"] = OVER
    state["current_player"] = -1
    state["played"] = -1
    state["end"] = end
