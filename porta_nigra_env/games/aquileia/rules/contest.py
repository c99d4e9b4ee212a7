"""What fight and race have in common: strengths, whose cards are asked for, ranking, coins (A28-A31, A33-A35)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.aquileia.components.names import MAX_PLAYERS, MAX_SLAVES
from porta_nigra_env.games.aquileia.rules.cards import discard_equi, discard_slaves
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.table import gain_coins, in_turn, roll, turn_of

PRIZES = 3


@jit
def takes_part(s: Any, seat: int, spaces: int) -> bool:
    """Whether a seat has a follower on these spaces (bits)."""
    return bool(int(s["standing"][seat]) & spaces)


@jit
def roll_red(t: Any, s: Any, seat: int, throw: int, kind: int, first: int, last: int) -> None:
    """A contestant's red dice: her strength is that of her spaces ``first..last-1`` and 1 for each face of her kind."""
    roll(t, s, throw + seat, int(t["contest_red_dice"]))
    strength = int(s["dice"][throw + seat, kind])
    for space in range(first, last):
        if (int(s["standing"][seat]) >> space) & 1:
            strength += int(t["space_strength"][space])
    s["strength"][seat] = strength


@jit
def roll_blue(t: Any, s: Any, seat: int, throw: int, kind: int, dice: int) -> None:
    """The owner's blue dice add to her strength."""
    roll(t, s, throw, dice)
    s["strength"][seat] += int(s["dice"][throw, kind])
    s["blue_left"] -= dice


@jit
def ask_for_cards(s: Any, spaces: int, turn: int, phase: int, with_slaves: int) -> bool:
    """Ask the next contestant, from this place in turn order on, who holds a card that counts for the question."""
    for place in range(turn, int(s["num_players"])):
        seat = in_turn(s, place)
        if takes_part(s, seat, spaces) and holds_cards(s, seat, with_slaves):
            s["phase"] = phase
            s["current_player"] = seat
            return True
    return False


@jit
def holds_cards(s: Any, seat: int, with_slaves: int) -> bool:
    """Whether a seat holds any equi card, or, where slaves count too, any card at all (A29, A33): open facts."""
    return bool(s["num_equi"][seat] > 0 or (with_slaves > 0 and s["num_slaves"][seat] > 0))


@jit
def play_card(t: Any, s: Any, seat: int, action: int) -> None:
    """A card to its discard, its number to the strength."""
    face = action - int(t["play_equi_start"])
    if face >= 0:
        discard_equi(s, seat, face)
        s["strength"][seat] += t["equi_strength"][face]
        s["last"] = MAX_SLAVES + face
    else:
        slaves = 1 if action == int(t["play_slave"][0]) else MAX_SLAVES
        discard_slaves(s, seat, slaves - 1, 1)
        s["strength"][seat] += slaves
        s["last"] = slaves - 1


@jit
def tie_break(s: Any, seat: int) -> int:
    """Lower is better: placed crests by place, then the others in turn order (A31)."""
    crest = int(s["crest"][seat])
    return crest if crest >= 0 else MAX_PLAYERS + turn_of(s, seat)


@jit
def place_of(s: Any, seat: int, spaces: int) -> int:
    """A contestant's place in the ranking, from 0 (A31)."""
    place = 0
    for other in range(int(s["num_players"])):
        if other != seat and takes_part(s, other, spaces):
            ahead = int(s["strength"][other]) - int(s["strength"][seat])
            if ahead > 0 or (ahead == 0 and tie_break(s, other) < tie_break(s, seat)):
                place += 1
    return place


@jit
def ranked(s: Any, place: int, spaces: int) -> int:
    """The contestant on a place, from 0; -1 if there are not so many."""
    for seat in range(int(s["num_players"])):
        if takes_part(s, seat, spaces) and place_of(s, seat, spaces) == place:
            return seat
    return -1


@jit
def pay_prize(s: Any, seat: int, spaces: int, prizes: Any, kind: int) -> None:
    """The coins of a contestant's place, if it is one of the first three."""
    place = place_of(s, seat, spaces)
    if place < PRIZES:
        gain_coins(s, seat, kind, int(prizes[place]))


@jit
def clear_contest(s: Any) -> None:
    """Strengths are forgotten."""
    for seat in range(MAX_PLAYERS):
        s["strength"][seat] = 0
