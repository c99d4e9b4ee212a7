"""The worth of fight and race to a contestant by strength, before and during the contest."""

from __future__ import annotations

import math

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.players.valuation import weights
from porta_nigra_env.games.aquileia.players.valuation.means import season, stadium_worth
from porta_nigra_env.games.aquileia.players.valuation.weights import Weights, jit
from porta_nigra_env.games.aquileia.rules.cards import count_slaves
from porta_nigra_env.games.aquileia.rules.contest import takes_part
from porta_nigra_env.games.aquileia.rules.stadium import is_gold, stadium_spaces
from porta_nigra_env.games.aquileia.rules.table import occupied, turn_of

#: The expected number of results of a kind on a die, about.
_FACE = 1.0 / len(names.KINDS)
#: The smallest spread, and the logarithm of the longest odds.
_SHARPEST, _CERTAIN = 0.05, 30.0


@jit
def contest_spaces(constants: Constants, area: int) -> int:
    """Return the spaces of a contest as bits: the Arena, or both sides of the Stadium."""
    return int(constants["area_spaces"][names.ARENA]) if area == names.ARENA else stadium_spaces(constants)


@jit
def equi_strength(constants: Constants, state: State, player: int, group: int) -> float:
    """Return the strength of a player's equi cards of a group."""
    strength = 0
    for face in range(int(constants["num_equi_faces"])):
        if constants["equi_group"][face] == group:
            strength += int(state["equi"][player, face]) * int(constants["equi_strength"][face])
    return float(strength)


@jit
def group_of(area: int) -> int:
    """Return the group of equi cards that counts in a contest."""
    if area == names.ARENA:
        return names.WEAPON
    return names.GOLD_HORSE if area == names.STADIUM_GOLD else names.SILVER_HORSE


@jit
def side_of(constants: Constants, state: State, seat: int) -> int:
    """Return the area of a racer."""
    return names.STADIUM_GOLD if is_gold(constants, state, seat) else names.STADIUM_SILVER


@jit
def blue_strength(constants: Constants, state: State, seat: int) -> float:
    """Return a seat's expected strength from blue dice."""
    if state["blue_owner"] == seat:
        return float(_FACE * state["blue_left"])
    if state["phase"] == names.PLACE and takes_part(state, seat, int(constants["area_spaces"][names.POTENTIA])):
        return float(_FACE * constants["blue_dice"])
    return 0.0


@jit
def base_strength(constants: Constants, state: State, seat: int, spaces: int) -> float:
    """Return a seat's strength on these spaces (bits), with its expected dice."""
    strength = _FACE * constants["contest_red_dice"] + blue_strength(constants, state, seat)
    for space in range(int(constants["num_spaces"])):
        if (int(state["standing"][seat]) & spaces) >> space & 1:
            strength += constants["space_strength"][space]
    return float(strength)


@jit
def own_strength(constants: Constants, state: State, player: int, area: int, w: Weights) -> float:
    """Return a player's own expected strength before a contest."""
    strength = base_strength(constants, state, player, contest_spaces(constants, area))
    strength += w[weights.ARMED] * equi_strength(constants, state, player, group_of(area))
    if area == names.ARENA:
        strength += w[weights.MANNED] * count_slaves(state, player)
    return float(strength)


@jit
def other_strength(constants: Constants, state: State, player: int, seat: int, area: int, w: Weights) -> float:
    """Return another contestant's expected strength, with cards that may still be played."""
    phase = int(state["phase"])
    cards = w[weights.THREAT] * state["num_equi"][seat]
    if area == names.ARENA:
        cards += w[weights.THREAT] * state["num_slaves"][seat]
    if phase not in (names.ARENA_CARDS, names.ARENA_DICE, names.STADIUM_CARDS) or (
        phase != names.STADIUM_CARDS and area != names.ARENA
    ):
        return float(base_strength(constants, state, seat, contest_spaces(constants, area)) + cards)
    if phase == names.ARENA_DICE or turn_of(state, seat) < turn_of(state, player):
        cards = 0.0
    return float(state["strength"][seat] + blue_strength(constants, state, seat) + cards)


@jit
def chances(constants: Constants, state: State, player: int, area: int, mine: float, w: Weights) -> tuple[float, float]:
    """Return the chances of the first and the second rank with strength `mine`."""
    first = 1.0
    second = 0.0
    spaces = contest_spaces(constants, area)
    for seat in range(int(state["num_players"])):
        if seat != player and takes_part(state, seat, spaces):
            ahead = mine - other_strength(constants, state, player, seat, area, w)
            # Bounded against overflow.
            wins = 1.0 / (1.0 + math.exp(-min(max(ahead / max(w[weights.SPREAD], _SHARPEST), -_CERTAIN), _CERTAIN)))
            second = second * wins + first * (1.0 - wins)
            first *= wins
    return first, second


@jit
def joining(constants: Constants, state: State, player: int, spaces: int) -> int:
    """Return the number of players who may still join a contest on these spaces (bits)."""
    if state["phase"] != names.PLACE:
        return 0
    rivals = 0
    for seat in range(int(state["num_players"])):
        waits = (int(state["passed"]) >> seat) & 1 == 0 and state["followers_left"][seat] > 0
        if seat != player and waits and not takes_part(state, seat, spaces):
            rivals += 1
    left = spaces & ~occupied(state)
    free = 0
    while left != 0:
        left &= left - 1
        free += 1
    return min(rivals, free)


@jit
def contest_worth(constants: Constants, state: State, player: int, area: int, mine: float, w: Weights) -> float:
    """Value a contest for a contestant with strength `mine`."""
    first, second = chances(constants, state, player, area, mine, w)
    coin = w[weights.COIN] * season(constants, state)
    if area == names.ARENA:
        prizes = constants["arena_prizes"]
        best = mine * constants["vp_per_strength"]
        other = w[weights.SLAVE] * season(constants, state)
        factor = w[weights.FIGHT]
    else:
        prizes = constants["stadium_prizes"]
        shown = stadium_worth(constants, state, player, int(state["stadium_open"]), w)
        drawn = stadium_worth(constants, state, player, -1, w)
        best = max(shown, drawn)
        other = min(shown, drawn)
        factor = w[weights.RACE]
    worth = first * (best + coin * prizes[0]) + second * (other + coin * prizes[1])
    worth += (1.0 - first - second) * coin * prizes[2]
    return float(
        factor * worth * w[weights.RIVALRY] ** joining(constants, state, player, contest_spaces(constants, area))
    )


@jit
def prospect(constants: Constants, state: State, player: int, area: int, more: float, w: Weights) -> float:
    """Value a contest before it begins, with `more` extra strength; 0 for a player who is not in it."""
    if more == 0.0 and not takes_part(state, player, int(constants["area_spaces"][area])):
        return 0.0
    return contest_worth(constants, state, player, area, own_strength(constants, state, player, area, w) + more, w)
