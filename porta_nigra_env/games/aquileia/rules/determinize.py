"""Hidden information: taking it out of a state, and drawing it anew (A5-A10).

Hidden from a player are the others' slave cards, those of their equi cards that were drawn unseen, the order of piles,
drawn stadium cards that she has not looked at, which card a first has kept who is nothing to her, and the random key.
No conclusions are drawn from what is played or paid (A9).
"""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import draw_card, shuffle_draw, sort_draw, stack_card
from porta_nigra_env.core.arrays.rng import random_below, seed_key
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
def looks_at_drawn(s: Any, player: int) -> bool:
    """Whether she is the first of a race and sees the drawn stadium card, which still lies on its pile (A35)."""
    return bool(s["phase"] == STADIUM_PRIZE and s["current_player"] == player)


@jit
def knows_owners(s: Any, past: int, player: int) -> bool:
    """Whether she knows who has which stadium card of a round that is past: first and second do (A8)."""
    return bool(s["phase"] == OVER or s["past_first"][past] == player or s["past_second"][past] == player)


@jit
def knows_drawn(s: Any, past: int, player: int) -> bool:
    """Whether she knows its drawn card: the first does, the second who was given it, all at the end (A8, A10)."""
    if s["phase"] == OVER or s["past_first"][past] == player:
        return True
    return bool(s["past_second"][past] == player and s["past_kept"][past] == KEPT_OPEN)


@jit
def redact_record(s: Any, player: int) -> None:
    """Remove what `player` cannot know: piles of unknown content -1, the theatre's sorted, unknown hands 0, key 0."""
    s["key"][0] = 0
    s["key"][1] = 0
    for stream in range(NUM_STREAMS):
        s["counters"][stream] = 0
    for seat in range(MAX_PLAYERS):
        if seat != player:
            for face in range(s["slaves"].shape[1]):
                s["slaves"][seat, face] = 0
            for face in range(s["equi"].shape[1]):
                s["equi"][seat, face] = s["equi_known"][seat, face]
    redact_piles(s, player)
    for past in range(s["past_open"].shape[0]):
        if not knows_drawn(s, past, player):
            s["past_drawn"][past] = -1
        if not knows_owners(s, past, player):
            s["past_kept"][past] = -1


@jit
def redact_piles(s: Any, player: int) -> None:
    """The piles of a redacted state; the drawn stadium card stays for the first who looks at it."""
    for place in range(s["slave_cards"].shape[0]):
        s["slave_cards"][place] = -1
    for place in range(s["equi_cards"].shape[0]):
        s["equi_cards"][place] = -1
    top = MAX_STADIUM_CARDS - int(s["num_stadium_draw"]) if looks_at_drawn(s, player) else -1
    for place in range(MAX_STADIUM_CARDS):
        if place != top:
            s["stadium_cards"][place] = -1
    sort_draw(s["theatre_cards"], int(s["num_theatre_draw"]))


@jit
def deal_slaves(t: Any, s: Any, player: int) -> None:
    """The slave cards neither hers nor discarded: to the others, each her number, and the rest is the pile (A9)."""
    cards = s["slave_cards"]
    size = 0
    for face in range(s["slave_discard"].shape[0]):
        unseen = int(t["slave_copies"][face]) - int(s["slave_discard"][face]) - int(s["slaves"][player, face])
        size = stack_copies(cards, size, face, unseen)
    shuffle_draw(s["key"], s["counters"], SLAVES_STREAM, cards, size)
    for seat in range(int(s["num_players"])):
        if seat != player:
            for _ in range(int(s["num_slaves"][seat])):
                s["slaves"][seat, draw_card(cards, size)] += 1
                size -= 1


@jit
def deal_equi(t: Any, s: Any, player: int) -> None:
    """Likewise the equi cards: neither hers nor in the row, discarded or known; others hold what is known of them."""
    cards = s["equi_cards"]
    size = 0
    for face in range(int(t["num_equi_faces"])):
        unseen = int(t["equi_copies"][face]) - int(s["equi_discard"][face])
        for seat in range(int(s["num_players"])):
            unseen -= int(s["equi"][seat, face])
        for place in range(s["equi_row"].shape[0]):
            if s["equi_row"][place] == face:
                unseen -= 1
        size = stack_copies(cards, size, face, unseen)
    shuffle_draw(s["key"], s["counters"], EQUI_STREAM, cards, size)
    for seat in range(int(s["num_players"])):
        unknown = int(s["num_equi"][seat])
        for face in range(int(t["num_equi_faces"])):
            unknown -= int(s["equi"][seat, face])
        for _ in range(unknown):
            s["equi"][seat, draw_card(cards, size)] += 1
            size -= 1


@jit
def unseen_stadium_cards(t: Any, s: Any, face: int, top: int) -> int:
    """Stadium cards of a face that the observer of a redacted state has not seen; `top` is the one she looks at."""
    unseen = int(t["stadium_copies"][face])
    if s["stadium_open"] == face:
        unseen -= 1
    if top == face:
        unseen -= 1
    for past in range(s["past_open"].shape[0]):
        if s["past_open"][past] == face:
            unseen -= 1
        if s["past_drawn"][past] == face:
            unseen -= 1
    return unseen


@jit
def deal_stadium(t: Any, s: Any) -> None:
    """Unknown drawn cards and the pile are shuffled among themselves; an unknown first has kept either card (A9)."""
    cards, left = s["stadium_cards"], int(s["num_stadium_draw"])
    top = draw_card(cards, left) if left > 0 else -1  # -1, too, where she does not look at it
    size = 0
    for face in range(int(t["num_stadium_faces"])):
        size = stack_copies(cards, size, face, unseen_stadium_cards(t, s, face, top))
    shuffle_draw(s["key"], s["counters"], STADIUM_STREAM, cards, size)
    for past in range(s["past_open"].shape[0]):
        if s["past_open"][past] >= 0 and s["past_drawn"][past] < 0:
            s["past_drawn"][past] = draw_card(cards, size)
            size -= 1
        if s["past_first"][past] >= 0 and s["past_kept"][past] < 0:
            s["past_kept"][past] = random_below(s["key"], s["counters"], STADIUM_STREAM, CHOICES)
    if top >= 0:
        stack_card(cards, size, top)


@jit
def determinize_record(t: Any, s: Any, player: int, seed: int) -> None:
    """A uniformly random state among those `player` cannot tell from this one, with fresh randomness for the future."""
    redact_record(s, player)
    seed_key(s["key"], s["counters"], seed, DETERMINIZE_PURPOSE)
    deal_slaves(t, s, player)
    deal_equi(t, s, player)
    deal_stadium(t, s)
    shuffle_draw(s["key"], s["counters"], THEATRE_STREAM, s["theatre_cards"], int(s["num_theatre_draw"]))
