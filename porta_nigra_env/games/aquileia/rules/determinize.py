"""Redaction and determinization of hidden information (A5-A10).

Hidden from a player are the other hands (but for known equi cards), the order of piles, unseen stadium cards, the
choices of other races and the random key. Nothing is inferred from played or paid cards (A9).
"""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import draw_card, shuffle_draw, sort_draw, stack_card
from porta_nigra_env.core.arrays.rng import REDRAW_PURPOSE, random_below, seed_key
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import MAX_PLAYERS, MAX_STADIUM_CARDS, OVER, STADIUM_PRIZE
from porta_nigra_env.games.aquileia.rules.cards import stack_copies
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.state import (
    DETERMINIZE_PURPOSE,
    EQUI_STREAM,
    KEPT_DRAWN,
    KEPT_OPEN,
    NUM_STREAMS,
    SLAVES_STREAM,
    STADIUM_STREAM,
    THEATRE_STREAM,
)

#: A first has kept the open card or the drawn one.
CHOICES = KEPT_DRAWN + 1


@jit
def looks_at_drawn(state: State, player: int) -> bool:
    """Return True if the player is first in a race and sees the drawn card on its pile (A35)."""
    return bool(state["phase"] == STADIUM_PRIZE and state["current_player"] == player)


@jit
def knows_owners(state: State, past: int, player: int) -> bool:
    """Return True if the player knows the owners of a past round's stadium cards: first and second do (A8)."""
    return bool(state["phase"] == OVER or state["past_first"][past] == player or state["past_second"][past] == player)


@jit
def knows_drawn(state: State, past: int, player: int) -> bool:
    """Return True if the player knows a past round's drawn card (A8, A10)."""
    if state["phase"] == OVER or state["past_first"][past] == player:
        return True
    return bool(state["past_second"][past] == player and state["past_kept"][past] == KEPT_OPEN)


@jit
def redact_record(state: State, player: int) -> None:
    """Remove hidden information: unknown piles become -1, theatre cards sorted, unknown hands and key 0."""
    state["key"][0] = 0
    state["key"][1] = 0
    for stream in range(NUM_STREAMS):
        state["counters"][stream] = 0
    for seat in range(MAX_PLAYERS):
        if seat != player:
            for face in range(state["slaves"].shape[1]):
                state["slaves"][seat, face] = 0
            for face in range(state["equi"].shape[1]):
                state["equi"][seat, face] = state["equi_known"][seat, face]
    redact_piles(state, player)
    for past in range(state["past_open"].shape[0]):
        if not knows_drawn(state, past, player):
            state["past_drawn"][past] = -1
        if not knows_owners(state, past, player):
            state["past_kept"][past] = -1


@jit
def redact_piles(state: State, player: int) -> None:
    """Redact the piles; the drawn stadium card stays for the first racer."""
    for place in range(state["slave_cards"].shape[0]):
        state["slave_cards"][place] = -1
    for place in range(state["equi_cards"].shape[0]):
        state["equi_cards"][place] = -1
    top = MAX_STADIUM_CARDS - int(state["num_stadium_draw"]) if looks_at_drawn(state, player) else -1
    for place in range(MAX_STADIUM_CARDS):
        if place != top:
            state["stadium_cards"][place] = -1
    sort_draw(state["theatre_cards"], int(state["num_theatre_draw"]))


@jit
def deal_slaves(constants: Constants, state: State, player: int) -> None:
    """Deal the unseen slave cards at random to the other hands and the pile (A9)."""
    cards = state["slave_cards"]
    size = 0
    for face in range(state["slave_discard"].shape[0]):
        unseen = (
            int(constants["slave_copies"][face])
            - int(state["slave_discard"][face])
            - int(state["slaves"][player, face])
        )
        size = stack_copies(cards, size, face, unseen)
    shuffle_draw(state["key"], state["counters"], SLAVES_STREAM, cards, size)
    for seat in range(int(state["num_players"])):
        if seat != player:
            for _ in range(int(state["num_slaves"][seat])):
                state["slaves"][seat, draw_card(cards, size)] += 1
                size -= 1


@jit
def deal_equi(constants: Constants, state: State, player: int) -> None:
    """Deal the unseen equi cards at random to the unknown cards of the other hands and the pile (A9)."""
    cards = state["equi_cards"]
    size = 0
    for face in range(int(constants["num_equi_faces"])):
        unseen = int(constants["equi_copies"][face]) - int(state["equi_discard"][face])
        for seat in range(int(state["num_players"])):
            unseen -= int(state["equi"][seat, face])
        for place in range(state["equi_row"].shape[0]):
            if state["equi_row"][place] == face:
                unseen -= 1
        size = stack_copies(cards, size, face, unseen)
    shuffle_draw(state["key"], state["counters"], EQUI_STREAM, cards, size)
    for seat in range(int(state["num_players"])):
        unknown = int(state["num_equi"][seat])
        for face in range(int(constants["num_equi_faces"])):
            unknown -= int(state["equi"][seat, face])
        for _ in range(unknown):
            state["equi"][seat, draw_card(cards, size)] += 1
            size -= 1


@jit
def unseen_stadium_cards(constants: Constants, state: State, face: int, top: int) -> int:
    """Return the number of unseen stadium cards of a type; `top` is the visible drawn card, or -1."""
    unseen = int(constants["stadium_copies"][face])
    if state["stadium_open"] == face:
        unseen -= 1
    if top == face:
        unseen -= 1
    for past in range(state["past_open"].shape[0]):
        if state["past_open"][past] == face:
            unseen -= 1
        if state["past_drawn"][past] == face:
            unseen -= 1
    return unseen


@jit
def deal_stadium(constants: Constants, state: State) -> None:
    """Shuffle unknown drawn cards and the pile together; toss a coin for each unknown choice (A9)."""
    cards, left = state["stadium_cards"], int(state["num_stadium_draw"])
    top = draw_card(cards, left) if left > 0 else -1  # -1 also if the player does not see it
    size = 0
    for face in range(int(constants["num_stadium_faces"])):
        size = stack_copies(cards, size, face, unseen_stadium_cards(constants, state, face, top))
    shuffle_draw(state["key"], state["counters"], STADIUM_STREAM, cards, size)
    for past in range(state["past_open"].shape[0]):
        if state["past_open"][past] >= 0 and state["past_drawn"][past] < 0:
            state["past_drawn"][past] = draw_card(cards, size)
            size -= 1
        if state["past_first"][past] >= 0 and state["past_kept"][past] < 0:
            state["past_kept"][past] = random_below(state["key"], state["counters"], STADIUM_STREAM, CHOICES)
    if top >= 0:
        stack_card(cards, size, top)


@jit
def shuffle_theatre(state: State) -> None:
    """Shuffle the pile of theatre cards, whose contents are public."""
    cards, left = state["theatre_cards"], int(state["num_theatre_draw"])
    shuffle_draw(state["key"], state["counters"], THEATRE_STREAM, cards, left)


@jit
def determinize_record(constants: Constants, state: State, player: int, seed: int) -> None:
    """Sample uniformly from the states that `player` cannot distinguish, with fresh future randomness."""
    redact_record(state, player)
    seed_key(state["key"], state["counters"], seed, DETERMINIZE_PURPOSE)
    deal_slaves(constants, state, player)
    deal_equi(constants, state, player)
    deal_stadium(constants, state)
    shuffle_theatre(state)


@jit
def redraw_record(state: State, seed: int) -> None:
    """Reseed, and shuffle all draw piles but for a drawn stadium card that its first has seen (A35); hands stay."""
    key, counters = state["key"], state["counters"]
    seed_key(key, counters, seed, REDRAW_PURPOSE)
    shuffle_draw(key, counters, SLAVES_STREAM, state["slave_cards"], int(state["num_slave_draw"]))
    shuffle_draw(key, counters, EQUI_STREAM, state["equi_cards"], int(state["num_equi_draw"]))
    seen = 1 if state["phase"] == STADIUM_PRIZE else 0
    shuffle_draw(key, counters, STADIUM_STREAM, state["stadium_cards"], int(state["num_stadium_draw"]) - seen)
    shuffle_theatre(state)
