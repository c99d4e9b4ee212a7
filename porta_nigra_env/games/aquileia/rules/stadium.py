"""III Stadium: the race, and what becomes of the round's two stadium cards (A27, A33-A36)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import draw_card
from porta_nigra_env.games.aquileia.components.names import (
    GOLD,
    GOLD_HORSE,
    SILVER,
    SILVER_HORSE,
    STADIUM_CARDS,
    STADIUM_GOLD,
    STADIUM_PRIZE,
    STADIUM_SILVER,
)
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.contest import (
    ask_for_cards,
    clear_contest,
    holds_cards,
    pay_prize,
    play_card,
    ranked,
    roll_blue,
    roll_red,
    takes_part,
)
from porta_nigra_env.games.aquileia.rules.table import in_turn, send_home, turn_of
from porta_nigra_env.games.aquileia.state import STADIUM_BLUE_ROLL, STADIUM_ROLL

WITHOUT_SLAVES = 0


@jit
def stadium_spaces(t: Any) -> int:
    """Bits of both sides."""
    return int(t["area_spaces"][STADIUM_GOLD]) | int(t["area_spaces"][STADIUM_SILVER])


@jit
def is_gold(t: Any, s: Any, seat: int) -> bool:
    """Whether a racer stands on the golden side."""
    return takes_part(s, seat, int(t["area_spaces"][STADIUM_GOLD]))


@jit
def kind_of_racer(t: Any, s: Any, seat: int) -> int:
    """The kind of coin, and the face, of a racer's side."""
    return GOLD if is_gold(t, s, seat) else SILVER


@jit
def horses_of_racer(t: Any, s: Any, seat: int) -> int:
    """The group of equi cards of a racer's side."""
    return GOLD_HORSE if is_gold(t, s, seat) else SILVER_HORSE


@jit
def begin_race(t: Any, s: Any) -> bool:
    """All racers roll, in turn order; then the first is asked for horses (A33)."""
    first, last = int(t["area_start"][STADIUM_GOLD]), int(t["area_start"][STADIUM_SILVER + 1])
    for turn in range(int(s["num_players"])):
        seat = in_turn(s, turn)
        if takes_part(s, seat, stadium_spaces(t)):
            roll_red(t, s, seat, STADIUM_ROLL, kind_of_racer(t, s, seat), first, last)
    return race_on(t, s, 0)


@jit
def race_on(t: Any, s: Any, turn: int) -> bool:
    """Horses from this place in turn order on; then all remaining blue dice, unasked; then the ranking (A34, A35)."""
    spaces = stadium_spaces(t)
    s["last"] = -1
    if ask_for_cards(s, spaces, turn, STADIUM_CARDS, WITHOUT_SLAVES):
        return True
    owner = int(s["blue_owner"])
    if owner >= 0 and takes_part(s, owner, spaces):
        roll_blue(t, s, owner, STADIUM_BLUE_ROLL, kind_of_racer(t, s, owner), int(s["blue_left"]))
    return_blue_dice(s)
    for seat in range(int(s["num_players"])):
        if takes_part(s, seat, spaces):
            pay_prize(s, seat, spaces, t["stadium_prizes"], kind_of_racer(t, s, seat))
    s["phase"] = STADIUM_PRIZE
    s["current_player"] = ranked(s, 0, spaces)
    return True


@jit
def return_blue_dice(s: Any) -> None:
    """The blue dice go back to Potentia (A27)."""
    s["blue_owner"] = -1
    s["blue_left"] = 0


@jit
def step_stadium_cards(t: Any, s: Any, seat: int, action: int) -> bool:
    """A horse, or no more; with the last equi card she is done (A33)."""
    if action != int(t["done_id"]):
        play_card(t, s, seat, action)
        if holds_cards(s, seat, WITHOUT_SLAVES):
            return True
    return race_on(t, s, turn_of(s, seat) + 1)


@jit
def put_away_stadium_cards(s: Any, first: int, second: int, kept: int) -> None:
    """The open and the drawn card find their owners or leave the game (A35, A36)."""
    past = int(s["round"]) - 1
    left = int(s["num_stadium_draw"])
    s["past_open"][past] = s["stadium_open"]
    s["past_drawn"][past] = draw_card(s["stadium_cards"], left)
    s["past_first"][past] = first
    s["past_second"][past] = second
    s["past_kept"][past] = kept
    s["num_stadium_draw"] = left - 1
    s["stadium_open"] = -1


@jit
def step_stadium_prize(t: Any, s: Any, seat: int, action: int) -> bool:
    """The first keeps a card, the second gets the other (A35)."""
    spaces = stadium_spaces(t)
    put_away_stadium_cards(s, seat, ranked(s, 1, spaces), action - int(t["keep_start"]))
    clear_contest(s)
    send_home(s, spaces)
    return False


@jit
def close_stadium(s: Any) -> None:
    """Area III is over without a racer: both cards leave, the blue dice go back (A36)."""
    put_away_stadium_cards(s, -1, -1, -1)
    return_blue_dice(s)
