"""The worth of coins, slaves, cards, colours and buildings to a player.

Means are a tuple of bronze, silver, gold and slaves; floats, as some are only expected. Colours are a tuple of the
final points for one point of a villa's value, by colour.
"""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.players.valuation import weights
from porta_nigra_env.games.aquileia.players.valuation.weights import Colours, Means, Weights, jit
from porta_nigra_env.games.aquileia.rules.cards import count_slaves
from porta_nigra_env.games.aquileia.rules.scoring import colour_counted, owner_of_drawn, owner_of_open, villas_value
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space

assert names.MAX_COLOURS == 8


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
    cards = w[weights.CARD_LATER] * rounds_left(constants, state)
    for past in range(state["past_open"].shape[0]):
        if owner_of_open(state, past) == player and state["past_open"][past] == colour:
            cards += 1.0
        if owner_of_drawn(state, past) == player and state["past_drawn"][past] == colour:
            cards += 1.0
    for card in range(int(constants["num_theatre_cards"])):
        if state["theatre_owner"][card] == player and colour_counted(constants, state, player, card) == colour:
            cards += 1.0
    return float(w[weights.VILLAS] * cards)


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
        w[weights.VILLAS]
        * (villas_value(constants, state, player, colour) + w[weights.VILLA_LATER] * rounds_left(constants, state))
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
    each = w[weights.WEAPON_STRENGTH] if constants["equi_group"][face] == names.WEAPON else w[weights.HORSE_STRENGTH]
    return float(each * constants["equi_strength"][face] * season(constants, state))


@jit
def building_worth(constants: Constants, state: State, building: int, colours: Colours, w: Weights) -> float:
    """Value a house for the rest of the game, without its price and immediate score."""
    if constants["building_kind"][building] == names.VILLA:
        return float(constants["building_value"][building] * colours[int(constants["building_colour"][building])])
    left = w[weights.ACTIVATION] * rounds_left(constants, state)
    if int(state["standing"][int(state["current_player"])]) & int(constants["area_spaces"][names.PORTUS]) != 0:
        left += 1.0
    if constants["building_kind"][building] == names.WORKSHOP:
        return float(left * constants["building_vp"][building])
    coins = 0
    for kind in range(NUM_KINDS):
        coins += int(constants["building_pays"][building, kind])
    return float(left * coins * w[weights.COIN] * season(constants, state))


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
    return float(worth * max(w[weights.SHORT], 0.0) ** missing(constants, building, means))


@jit
def stock_worth(constants: Constants, state: State, means: Means, w: Weights) -> float:
    """Value coins and slaves in themselves, with diminishing returns."""
    sated = max(w[weights.SATED], 0.0)
    worth = w[weights.SLAVE] * means[3] / (1.0 + sated * means[3])
    for kind in range(NUM_KINDS):
        worth += w[weights.COIN] * means[kind] / (1.0 + sated * means[kind])
    return float(worth * season(constants, state))


@jit
def means_worth(
    constants: Constants, state: State, player: int, means: Means, built: int, colours: Colours, w: Weights
) -> float:
    """Value coins and slaves in themselves and for the best building, except `built` (bits)."""
    worth = stock_worth(constants, state, means, w)
    if w[weights.PLAN] == 0.0 and w[weights.AIM] == 0.0:
        return float(worth)
    where = scores_at_once(constants, state, player)
    factor = w[weights.PLAN] if where > 0 else w[weights.AIM] * season(constants, state)
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
