"""Estimates for the scripted players: the worth of coins, slaves, cards, colours, buildings, fights and races.

Means are a tuple of bronze, silver, gold and slaves; floats, as some are only expected. Colours are a tuple of the
final points for one point of a villa's value, by colour.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.rules.cards import count_slaves
from porta_nigra_env.games.aquileia.rules.compiler import SOURCES
from porta_nigra_env.games.aquileia.rules.contest import takes_part
from porta_nigra_env.games.aquileia.rules.scoring import colour_counted, owner_of_drawn, owner_of_open, villas_value
from porta_nigra_env.games.aquileia.rules.stadium import is_gold, stadium_spaces
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, occupied, turn_of

assert names.MAX_COLOURS == 8

Weights: TypeAlias = npt.NDArray[np.float64]
#: Bronze, silver, gold, slaves.
Means: TypeAlias = tuple[float, float, float, float]
#: Points by colour.
Colours: TypeAlias = tuple[float, ...]

#: The sources of both modules of the valuation.
VALUATION_SOURCES: Final = (Path(__file__), Path(__file__).with_name("valuation.py"))
jit = compiler(*SOURCES, *VALUATION_SOURCES)

# The patrician's weights: set by hand, then tuned in 32 generations of
# `python -m training.tune --game aquileia --players 3 4 --deals 8 --sigma 0.25 --seed 3`: the mean of the last five.
#: Name, greedy weight, patrician's weight, and meaning. Weights are victory points per unit, factors of victory points,
#: or as documented.
WEIGHTS: Final = (
    ("coin", 0.5, 1.772, "the first coin of a kind"),
    ("slave", 0.5, 3.965, "the first slave"),
    ("sated", 0.0, 0.197, "share by which each coin or slave in hand makes the next one cheaper"),
    ("weapon", 0.5, 2.014, "a strength of a weapon"),
    ("horse", 0.5, 0.73, "a strength of a horse"),
    ("drawn", 0.5, 3.532, "an equi card drawn unseen"),
    ("plan", 0.0, 0.684, "factor of the best building if an own follower will build in this round"),
    ("aim", 0.0, 0.367, "factor of the best building if none will"),
    ("short", 0.0, 0.582, "share of a building's worth that remains for each missing coin or slave"),
    ("forum", 1.0, 1.029, "factor of the buildings of a Forum space"),
    ("villa", 1.0, 0.543, "factor of a villa's final score with own cards"),
    ("card_later", 0.0, 0.004, "cards of a villa's colour expected in each round to come"),
    ("villa_later", 0.0, 1.072, "values of villas of a card's colour expected in each round to come"),
    ("activation", 0.0, -0.066, "activations expected in each round to come"),
    ("fight", 1.0, 0.52, "factor of the fight's prizes"),
    ("race", 1.0, 0.705, "factor of the race's prizes"),
    ("spread", 1.5, 0.842, "strengths that make an even contest one of 73 %"),
    ("rivalry", 0.9, 1.436, "share of a contest's prizes that remains for each player who may still join"),
    ("armed", 0.3, 0.781, "share of own equi cards that counts before a contest"),
    ("manned", 0.0, 0.545, "share of own slaves that counts before a fight"),
    ("threat", 0.5, 0.758, "strength of each card that another contestant holds"),
    ("dice", 0.5, 0.007, "the blue dice, besides their gain in own contests"),
    ("exchange", 0.0, 0.117, "a space to exchange coins, besides its points"),
    ("auction", 0.0, 0.173, "factor of a theatre card for the auctioneer"),
    ("first", 0.5, 4.415, "being the next starting player"),
    ("track", 0.1, 0.165, "another rank on the advantage track"),
    ("rival", 0.0, 0.272, "factor of the gain of others by a choice of prizes"),
)
(
    COIN, SLAVE, SATED, WEAPON_STRENGTH, HORSE_STRENGTH, DRAWN, PLAN, AIM, SHORT, BUILDS, VILLAS, CARD_LATER,
    VILLA_LATER, ACTIVATION, FIGHT, RACE, SPREAD, RIVALRY, ARMED, MANNED, THREAT, DICE, EXCHANGE, AUCTIONEER, FIRST,
    TRACK, RIVAL,
) = range(len(WEIGHTS))  # fmt: skip


# ------------------------------------------------------------------------------------------------ means


@jit
def rounds_left(constants: Constants, state: State) -> int:
    """Return the number of rounds after this one."""
    return int(constants["rounds"]) - int(state["round"])


@jit
def season(constants: Constants, state: State) -> float:
    """Return the share of worth left in things for later use: 0 after the last placement."""
    left = rounds_left(constants, state)
    if state["phase"] == names.PLACE:
        left += 1
    return left / (left + 1.0)


@jit
def colour_points(constants: Constants, state: State, player: int, colour: int, w: Weights) -> float:
    """Return the final points for one point of a villa's value: own cards and expected ones."""
    if colour >= int(constants["num_colours"]):
        return 0.0
    cards = w[CARD_LATER] * rounds_left(constants, state)
    for past in range(state["past_open"].shape[0]):
        if owner_of_open(state, past) == player and state["past_open"][past] == colour:
            cards += 1.0
        if owner_of_drawn(state, past) == player and state["past_drawn"][past] == colour:
            cards += 1.0
    for card in range(int(constants["num_theatre_cards"])):
        if state["theatre_owner"][card] == player and colour_counted(constants, state, player, card) == colour:
            cards += 1.0
    return float(w[VILLAS] * cards)


@jit
def all_colours(constants: Constants, state: State, player: int, w: Weights) -> Colours:
    """Return `colour_points` of all colours as a tuple."""
    return (
        colour_points(constants, state, player, 0, w),
        colour_points(constants, state, player, 1, w),
        colour_points(constants, state, player, 2, w),
        colour_points(constants, state, player, 3, w),
        colour_points(constants, state, player, 4, w),
        colour_points(constants, state, player, 5, w),
        colour_points(constants, state, player, 6, w),
        colour_points(constants, state, player, 7, w),
    )


@jit
def villas_in(constants: Constants, state: State, player: int, colour: int, w: Weights) -> float:
    """Return the score of a card of a colour: the player's villas and expected ones."""
    return float(
        w[VILLAS] * (villas_value(constants, state, player, colour) + w[VILLA_LATER] * rounds_left(constants, state))
    )


@jit
def stadium_worth(constants: Constants, state: State, player: int, face: int, w: Weights) -> float:
    """Value a stadium card; an unknown unseen (-1) is worth the mean of all."""
    if face >= int(constants["num_colours"]):
        return float(constants["laurel_vp"][face])
    if face >= 0:
        return villas_in(constants, state, player, face, w)
    worth = 0.0
    cards = 0
    for unseen in range(int(constants["num_stadium_faces"])):
        copies = int(constants["stadium_copies"][unseen])
        worth += copies * (
            constants["laurel_vp"][unseen]
            if unseen >= int(constants["num_colours"])
            else villas_in(constants, state, player, unseen, w)
        )
        cards += copies
    return float(worth / cards)


@jit
def theatre_worth(constants: Constants, state: State, player: int, card: int, w: Weights) -> float:
    """Value a theatre card: the better of its colours."""
    first = villas_in(constants, state, player, int(constants["theatre_colours"][card, 0]), w)
    return float(max(first, villas_in(constants, state, player, int(constants["theatre_colours"][card, 1]), w)))


@jit
def equi_worth(constants: Constants, state: State, face: int, w: Weights) -> float:
    """Value an equi card in hand."""
    each = w[WEAPON_STRENGTH] if constants["equi_group"][face] == names.WEAPON else w[HORSE_STRENGTH]
    return float(each * constants["equi_strength"][face] * season(constants, state))


@jit
def building_worth(constants: Constants, state: State, building: int, colours: Colours, w: Weights) -> float:
    """Value a house for the rest of the game, without its price and immediate score."""
    if constants["building_kind"][building] == names.VILLA:
        return float(constants["building_value"][building] * colours[int(constants["building_colour"][building])])
    left = w[ACTIVATION] * rounds_left(constants, state)
    if int(state["standing"][int(state["current_player"])]) & int(constants["area_spaces"][names.PORTUS]) != 0:
        left += 1.0
    if constants["building_kind"][building] == names.WORKSHOP:
        return float(left * constants["building_vp"][building])
    coins = 0
    for kind in range(NUM_KINDS):
        coins += int(constants["building_pays"][building, kind])
    return float(left * coins * w[COIN] * season(constants, state))


@jit
def missing(constants: Constants, building: int, means: Means) -> float:
    """Return the coins and slaves that a building costs beyond the means."""
    lacking = max(0.0, constants["building_slaves"][building] - means[3])
    for kind in range(NUM_KINDS):
        lacking += max(0.0, constants["building_cost"][building, kind] - means[kind])
    return float(lacking)


@jit
def taken(state: State) -> int:
    """Return the buildings with a house as bits."""
    built = 0
    for seat in range(names.MAX_PLAYERS):
        built |= int(state["buildings"][seat])
    return built


@jit
def scores_at_once(constants: Constants, state: State, player: int) -> int:
    """Return the player's best remaining Forum space: 0 none, 1 any, 2 one that scores values."""
    best = 0
    # The follower that builds now is no plan any more.
    acting = acting_space(state) if state["builds_left"] > 0 else -1
    for space in range(int(constants["area_start"][names.FORUM]), int(constants["area_start"][names.FORUM + 1])):
        if (int(state["standing"][player]) >> space) & 1 and (space != acting or state["builds_left"] > 1):
            best = max(best, 2 if constants["space_value"][space] > 0 else 1)
    return best


@jit
def best_building(
    constants: Constants, state: State, means: Means, free: int, at_once: float, colours: Colours, w: Weights
) -> int:
    """Return the free building (bits) of highest worth, -1 if none is worth anything."""
    best = -1
    highest = 0.0
    left = np.uint64(free)
    while left != np.uint64(0):
        building = bits.lowest(left)
        left &= left - np.uint64(1)
        worth = reached(constants, state, building, means, at_once, colours, w)
        if worth > highest:
            best = building
            highest = worth
    return best


@jit
def reached(
    constants: Constants, state: State, building: int, means: Means, at_once: float, colours: Colours, w: Weights
) -> float:
    """Value a building, less for each missing coin or slave."""
    worth = building_worth(constants, state, building, colours, w) + at_once * constants["building_value"][building]
    return float(worth * max(w[SHORT], 0.0) ** missing(constants, building, means))


@jit
def stock_worth(constants: Constants, state: State, means: Means, w: Weights) -> float:
    """Value coins and slaves in themselves, with diminishing returns."""
    sated = max(w[SATED], 0.0)
    worth = w[SLAVE] * means[3] / (1.0 + sated * means[3])
    for kind in range(NUM_KINDS):
        worth += w[COIN] * means[kind] / (1.0 + sated * means[kind])
    return float(worth * season(constants, state))


@jit
def means_worth(
    constants: Constants, state: State, player: int, means: Means, built: int, colours: Colours, w: Weights
) -> float:
    """Value coins and slaves in themselves and for the best building, except `built` (bits)."""
    worth = stock_worth(constants, state, means, w)
    if w[PLAN] == 0.0 and w[AIM] == 0.0:
        return float(worth)
    where = scores_at_once(constants, state, player)
    factor = w[PLAN] if where > 0 else w[AIM] * season(constants, state)
    at_once = 1.0 if where == 2 else 0.0
    free = ((1 << int(constants["num_buildings"])) - 1) & ~(taken(state) | built)
    best = best_building(constants, state, means, free, at_once, colours, w)
    if best >= 0:
        worth += factor * reached(constants, state, best, means, at_once, colours, w)
    return float(worth)


@jit
def own_means(state: State, player: int) -> Means:
    """Return a player's means."""
    coins = state["coins"][player]
    return (
        float(coins[names.BRONZE]),
        float(coins[names.SILVER]),
        float(coins[names.GOLD]),
        float(count_slaves(state, player)),
    )


@jit
def with_more(means: Means, kind: int, number: float) -> Means:
    """Return the means with more (less) coins of a kind, or slaves (3)."""
    return (
        means[0] + (number if kind == 0 else 0.0),
        means[1] + (number if kind == 1 else 0.0),
        means[2] + (number if kind == 2 else 0.0),
        means[3] + (number if kind == 3 else 0.0),
    )


# ------------------------------------------------------------------------------------------------ fights and races

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
    strength += w[ARMED] * equi_strength(constants, state, player, group_of(area))
    if area == names.ARENA:
        strength += w[MANNED] * count_slaves(state, player)
    return float(strength)


@jit
def other_strength(constants: Constants, state: State, player: int, seat: int, area: int, w: Weights) -> float:
    """Return another contestant's expected strength, with cards that may still be played."""
    phase = int(state["phase"])
    cards = w[THREAT] * state["num_equi"][seat]
    if area == names.ARENA:
        cards += w[THREAT] * state["num_slaves"][seat]
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
            wins = 1.0 / (1.0 + math.exp(-min(max(ahead / max(w[SPREAD], _SHARPEST), -_CERTAIN), _CERTAIN)))
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
    coin = w[COIN] * season(constants, state)
    if area == names.ARENA:
        prizes = constants["arena_prizes"]
        best = mine * constants["vp_per_strength"]
        other = w[SLAVE] * season(constants, state)
        factor = w[FIGHT]
    else:
        prizes = constants["stadium_prizes"]
        shown = stadium_worth(constants, state, player, int(state["stadium_open"]), w)
        drawn = stadium_worth(constants, state, player, -1, w)
        best = max(shown, drawn)
        other = min(shown, drawn)
        factor = w[RACE]
    worth = first * (best + coin * prizes[0]) + second * (other + coin * prizes[1])
    worth += (1.0 - first - second) * coin * prizes[2]
    return float(factor * worth * w[RIVALRY] ** joining(constants, state, player, contest_spaces(constants, area)))


@jit
def prospect(constants: Constants, state: State, player: int, area: int, more: float, w: Weights) -> float:
    """Value a contest before it begins, with `more` extra strength; 0 for a player who is not in it."""
    if more == 0.0 and not takes_part(state, player, int(constants["area_spaces"][area])):
        return 0.0
    return contest_worth(constants, state, player, area, own_strength(constants, state, player, area, w) + more, w)
