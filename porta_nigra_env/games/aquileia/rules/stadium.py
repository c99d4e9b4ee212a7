"""III Stadium: the race, and the two stadium cards of the round (A27, A33-A36)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.piles import draw_card
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.rules import contest
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import in_turn, send_home, turn_of
from porta_nigra_env.games.aquileia.state import STADIUM_BLUE_ROLL, STADIUM_ROLL

WITHOUT_SLAVES = 0


@jit
def stadium_spaces(constants: Constants) -> int:
    """Return the spaces of both sides as bits."""
    return int(constants["area_spaces"][names.STADIUM_GOLD]) | int(constants["area_spaces"][names.STADIUM_SILVER])


@jit
def is_gold(constants: Constants, state: State, seat: int) -> bool:
    """Return True if a racer stands on the golden side."""
    return contest.takes_part(state, seat, int(constants["area_spaces"][names.STADIUM_GOLD]))


@jit
def kind_of_racer(constants: Constants, state: State, seat: int) -> int:
    """Return the coin kind of a racer's side; the same kind counts on the dice."""
    return names.GOLD if is_gold(constants, state, seat) else names.SILVER


@jit
def horses_of_racer(constants: Constants, state: State, seat: int) -> int:
    """Return the group of equi cards of a racer's side."""
    return names.GOLD_HORSE if is_gold(constants, state, seat) else names.SILVER_HORSE


@jit
def begin_race(constants: Constants, state: State) -> bool:
    """Roll for all racers in turn order, then ask the first one for horses (A33)."""
    first, last = (
        int(constants["area_start"][names.STADIUM_GOLD]),
        int(constants["area_start"][names.STADIUM_SILVER + 1]),
    )
    for turn in range(int(state["num_players"])):
        seat = in_turn(state, turn)
        if contest.takes_part(state, seat, stadium_spaces(constants)):
            contest.roll_red(constants, state, seat, STADIUM_ROLL, kind_of_racer(constants, state, seat), first, last)
    return race_on(constants, state, 0)


@jit
def race_on(constants: Constants, state: State, turn: int) -> bool:
    """Ask for horses from this turn on, then roll all remaining blue dice and rank the racers (A34, A35)."""
    spaces = stadium_spaces(constants)
    state["last"] = -1
    if contest.ask_for_cards(state, spaces, turn, names.STADIUM_CARDS, WITHOUT_SLAVES):
        return True
    owner = int(state["blue_owner"])
    if owner >= 0 and contest.takes_part(state, owner, spaces):
        contest.roll_blue(
            constants, state, owner, STADIUM_BLUE_ROLL, kind_of_racer(constants, state, owner), int(state["blue_left"])
        )
    return_blue_dice(state)
    for seat in range(int(state["num_players"])):
        if contest.takes_part(state, seat, spaces):
            contest.pay_prize(state, seat, spaces, constants["stadium_prizes"], kind_of_racer(constants, state, seat))
    state["phase"] = names.STADIUM_PRIZE
    state["current_player"] = contest.ranked(state, 0, spaces)
    return True


@jit
def return_blue_dice(state: State) -> None:
    """Return the blue dice to Potentia (A27)."""
    state["blue_owner"] = -1
    state["blue_left"] = 0


@jit
def legal_stadium_cards(constants: Constants, state: State, seat: int, words: Words) -> None:
    """Allow the horses of the racer's own side (A33)."""
    contest.legal_equi_cards(constants, state, seat, horses_of_racer(constants, state, seat), words)


@jit
def step_stadium_cards(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Play a horse or stop; a racer without equi cards stops too (A33)."""
    if action != int(constants["done_id"]):
        contest.play_card(constants, state, seat, action)
        if contest.holds_cards(state, seat, WITHOUT_SLAVES):
            return True
    return race_on(constants, state, turn_of(state, seat) + 1)


@jit
def put_away_stadium_cards(state: State, first: int, second: int, kept: int) -> None:
    """Record the owners of the open and the drawn card; -1 leaves the game (A35, A36)."""
    past = int(state["round"]) - 1
    left = int(state["num_stadium_draw"])
    state["past_open"][past] = state["stadium_open"]
    state["past_drawn"][past] = draw_card(state["stadium_cards"], left)
    state["past_first"][past] = first
    state["past_second"][past] = second
    state["past_kept"][past] = kept
    state["num_stadium_draw"] = left - 1
    state["stadium_open"] = -1


@jit
def legal_stadium_prize(constants: Constants, words: Words) -> None:
    """Allow both stadium cards (A35)."""
    bits.add(words, int(constants["keep_start"]))
    bits.add(words, int(constants["keep_start"]) + 1)


@jit
def step_stadium_prize(constants: Constants, state: State, seat: int, action: int) -> bool:
    """Give the first player the chosen stadium card and the second player the other one (A35)."""
    spaces = stadium_spaces(constants)
    put_away_stadium_cards(state, seat, contest.ranked(state, 1, spaces), action - int(constants["keep_start"]))
    contest.clear_contest(state)
    send_home(state, spaces)
    return False


@jit
def close_stadium(state: State) -> None:
    """End area III without a racer: both cards leave the game, the blue dice return (A36)."""
    put_away_stadium_cards(state, -1, -1, -1)
    return_blue_dice(state)
