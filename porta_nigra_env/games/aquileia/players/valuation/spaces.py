"""The worth of a space, or of the crest, to a player."""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.players.valuation import weights
from porta_nigra_env.games.aquileia.players.valuation.contests import prospect, side_of
from porta_nigra_env.games.aquileia.players.valuation.means import (
    best_building,
    equi_worth,
    means_worth,
    own_means,
    reached,
    season,
    stock_worth,
    taken,
    theatre_worth,
    with_more,
)
from porta_nigra_env.games.aquileia.players.valuation.weights import Colours, Means, Weights, jit
from porta_nigra_env.games.aquileia.rules.contest import takes_part
from porta_nigra_env.games.aquileia.rules.mercatus import most_slaves
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS

#: Chance that one of two dice shows a kind.
_ONE_OF_TWO = 1.0 - (1.0 - 1.0 / len(names.KINDS)) ** 2


@jit
def change(constants: Constants, state: State, player: int, after: Means, colours: Colours, w: Weights) -> float:
    """Return the worth of other means, less that of the present ones."""
    now = means_worth(constants, state, player, own_means(state, player), 0, colours, w)
    return float(means_worth(constants, state, player, after, 0, colours, w) - now)


@jit
def slaves_of_card(constants: Constants) -> float:
    """Return the mean number of slaves on a card."""
    slaves = 0
    for face in range(constants["slave_copies"].shape[0]):
        slaves += (face + 1) * int(constants["slave_copies"][face])
    return float(slaves / constants["num_slave_cards"])


@jit
def slaves_bought(
    constants: Constants, state: State, player: int, space: int, cards: int, colours: Colours, w: Weights
) -> float:
    """Value a number of slave cards for as many coins."""
    after = with_more(own_means(state, player), int(constants["space_coin"][space]), float(-cards))
    return change(constants, state, player, with_more(after, 3, cards * slaves_of_card(constants)), colours, w)


@jit
def best_purchase(constants: Constants, state: State, player: int, space: int, colours: Colours, w: Weights) -> float:
    """Value the best number of slave cards on a space of Servi."""
    best = 0.0
    for cards in range(1, most_slaves(constants, state, player, space) + 1):
        best = max(best, slaves_bought(constants, state, player, space, cards, colours, w))
    return best


@jit
def equi_bought(constants: Constants, state: State, player: int, place: int, colours: Colours, w: Weights) -> float:
    """Value an open card of the row, with a drawn one on the first space, for its price."""
    after = own_means(state, player)
    for kind in range(NUM_KINDS):
        price = float(constants["equi_price"][kind])
        if price > after[kind]:
            return 0.0
        after = with_more(after, kind, -price)
    if state["equi_row"][place] < 0:
        return 0.0
    worth = equi_worth(constants, state, int(state["equi_row"][place]), w)
    if place == 0:
        worth += w[weights.DRAWN] * season(constants, state)
    return float(worth + change(constants, state, player, after, colours, w))


@jit
def activated(constants: Constants, state: State, player: int, kind: int, w: Weights) -> float:
    """Value an activation for a coin of a kind."""
    before = own_means(state, player)
    after = with_more(before, kind, -1.0)
    points = 0
    left = np.uint64(int(state["buildings"][player]) & int(constants["active"]))
    while left != np.uint64(0):
        building = bits.lowest(left)
        left &= left - np.uint64(1)
        points += int(constants["building_vp"][building])
        for paid in range(NUM_KINDS):
            after = with_more(after, paid, float(constants["building_pays"][building, paid]))
    return float(points + stock_worth(constants, state, after, w) - stock_worth(constants, state, before, w))


@jit
def forum_worth(constants: Constants, state: State, player: int, space: int, colours: Colours, w: Weights) -> float:
    """Value the buildings of a Forum space, built after those of the player's other spaces there."""
    before = 0
    for own_space in range(int(constants["area_start"][names.FORUM]), int(constants["area_start"][names.FORUM + 1])):
        if (int(state["standing"][player]) >> own_space) & 1:
            before += int(constants["space_most"][own_space])
    at_once = 1.0 if constants["space_value"][space] > 0 else 0.0
    means = own_means(state, player)
    free = ((1 << int(constants["num_buildings"])) - 1) & ~taken(state)
    worth = 0.0
    for place in range(before + int(constants["space_most"][space])):
        best = best_building(constants, state, means, free, at_once, colours, w)
        if best < 0 or place >= int(state["houses_left"][player]):
            break
        gained = reached(constants, state, best, means, at_once, colours, w)
        price = stock_worth(constants, state, means, w)
        for kind in range(NUM_KINDS):
            means = with_more(means, kind, -min(means[kind], float(constants["building_cost"][best, kind])))
        means = with_more(means, 3, -min(means[3], float(constants["building_slaves"][best])))
        free &= ~(1 << best)
        if place >= before:
            worth += max(0.0, gained - price + stock_worth(constants, state, means, w))
    return float(w[weights.BUILDS] * worth)


@jit
def theatrum_worth(constants: Constants, state: State, player: int, w: Weights) -> float:
    """Value an auction: a share of the mean worth of the remaining theatre cards."""
    worth = 0.0
    cards = 0
    for card in range(int(constants["num_theatre_cards"])):
        if state["theatre_owner"][card] < 0:
            worth += theatre_worth(constants, state, player, card, w)
            cards += 1
    return float(w[weights.AUCTIONEER] * worth / max(cards, 1))


@jit
def latro_worth(constants: Constants, state: State, w: Weights) -> float:
    """Value the coins in the Portus, weighted by the chance to steal them."""
    coins = 0
    for kind in range(NUM_KINDS):
        coins += (int(state["portus_coins"]) >> kind) & 1
    return float(_ONE_OF_TWO * coins * w[weights.COIN] * season(constants, state))


@jit
def potentia_worth(constants: Constants, state: State, player: int, w: Weights) -> float:
    """Value the blue dice: their gain in the player's contests, and a constant."""
    faces = constants["blue_dice"] / len(names.KINDS)
    worth = 0.0
    if takes_part(state, player, int(constants["area_spaces"][names.ARENA])):
        worth = prospect(constants, state, player, names.ARENA, faces, w) - prospect(
            constants, state, player, names.ARENA, 0.0, w
        )
    if takes_part(
        state,
        player,
        int(constants["area_spaces"][names.STADIUM_GOLD]) | int(constants["area_spaces"][names.STADIUM_SILVER]),
    ):
        side = side_of(constants, state, player)
        worth = max(
            worth, prospect(constants, state, player, side, faces, w) - prospect(constants, state, player, side, 0.0, w)
        )
    return float(worth + w[weights.DICE])


@jit
def space_worth(constants: Constants, state: State, player: int, space: int, colours: Colours, w: Weights) -> float:
    """Value a follower on a space."""
    area = int(constants["space_area"][space])
    if area in (names.ARENA, names.STADIUM_GOLD, names.STADIUM_SILVER):
        more = float(constants["space_strength"][space])
        return float(
            prospect(constants, state, player, area, more, w) - prospect(constants, state, player, area, 0.0, w)
        )
    if area == names.FORUM:
        return forum_worth(constants, state, player, space, colours, w)
    if area == names.SERVI:
        return best_purchase(constants, state, player, space, colours, w)
    if area == names.EQUI:
        return equi_bought(constants, state, player, space - int(constants["area_start"][names.EQUI]), colours, w)
    if area == names.PORTUS:
        return activated(constants, state, player, int(constants["space_coin"][space]), w)
    if area == names.THEATRUM:
        return theatrum_worth(constants, state, player, w)
    if area == names.POTENTIA:
        return potentia_worth(constants, state, player, w)
    means = own_means(state, player)
    if area == names.PECUNIA:
        return float(constants["pecunia_vp"] + w[weights.EXCHANGE]) if means[0] + means[1] + means[2] > 0.0 else 0.0
    if area == names.DOLUS:
        each = constants["dolus_red_dice"] / len(names.KINDS)
        after = with_more(with_more(with_more(means, 0, each), 1, each), 2, each)
        return change(constants, state, player, after, colours, w)
    return latro_worth(constants, state, w)


@jit
def crest_worth(constants: Constants, state: State, player: int, w: Weights) -> float:
    """Value the next rank of the advantage track; the first one begins the next round."""
    for seat in range(names.MAX_PLAYERS):
        if state["crest"][seat] >= 0:
            return float(w[weights.TRACK])
    return float(w[weights.FIRST]) if state["round"] < constants["rounds"] else float(w[weights.TRACK])
