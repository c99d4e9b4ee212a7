"""The compiled value of every action for the scripted players: a weighted sum of its gains, by phase."""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.actions import TAKE_POINTS
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.players import estimates
from porta_nigra_env.games.aquileia.players.estimates import (
    Colours,
    Means,
    Weights,
    best_building,
    blue_strength,
    building_worth,
    contest_worth,
    equi_worth,
    group_of,
    jit,
    means_worth,
    own_means,
    prospect,
    reached,
    season,
    side_of,
    stadium_worth,
    stock_worth,
    taken,
    theatre_worth,
    with_more,
)
from porta_nigra_env.games.aquileia.rules.contest import ranked, takes_part
from porta_nigra_env.games.aquileia.rules.mercatus import most_slaves
from porta_nigra_env.games.aquileia.rules.stadium import stadium_spaces
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, holder_of

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
        worth += w[estimates.DRAWN] * season(constants, state)
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
    return float(w[estimates.BUILDS] * worth)


@jit
def theatrum_worth(constants: Constants, state: State, player: int, w: Weights) -> float:
    """Value an auction: a share of the mean worth of the remaining theatre cards."""
    worth = 0.0
    cards = 0
    for card in range(int(constants["num_theatre_cards"])):
        if state["theatre_owner"][card] < 0:
            worth += theatre_worth(constants, state, player, card, w)
            cards += 1
    return float(w[estimates.AUCTIONEER] * worth / max(cards, 1))


@jit
def latro_worth(constants: Constants, state: State, w: Weights) -> float:
    """Value the coins in the Portus, weighted by the chance to steal them."""
    coins = 0
    for kind in range(NUM_KINDS):
        coins += (int(state["portus_coins"]) >> kind) & 1
    return float(_ONE_OF_TWO * coins * w[estimates.COIN] * season(constants, state))


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
    return float(worth + w[estimates.DICE])


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
        return float(constants["pecunia_vp"] + w[estimates.EXCHANGE]) if means[0] + means[1] + means[2] > 0.0 else 0.0
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
            return float(w[estimates.TRACK])
    return float(w[estimates.FIRST]) if state["round"] < constants["rounds"] else float(w[estimates.TRACK])


# ------------------------------------------------------------------------------------------------ actions


@jit
def placed(constants: Constants, state: State, player: int, action: int, colours: Colours, w: Weights) -> float:
    """Value a follower or the crest; a pass is worth 0."""
    if action < int(constants["num_spaces"]):
        return space_worth(constants, state, player, action, colours, w)
    return crest_worth(constants, state, player, w) if action == int(constants["crest_id"]) else 0.0


@jit
def exchanged(constants: Constants, state: State, player: int, number: int, colours: Colours, w: Weights) -> float:
    """Value an exchange; the first one scores points."""
    after = with_more(
        own_means(state, player),
        int(constants["exchange_give"][number]),
        -float(constants["exchange_give_coins"][number]),
    )
    after = with_more(after, int(constants["exchange_get"][number]), float(constants["exchange_get_coins"][number]))
    return float(
        change(constants, state, player, after, colours, w) + (constants["pecunia_vp"] if state["last"] < 0 else 0)
    )


@jit
def played(constants: Constants, state: State, player: int, action: int, colours: Colours, w: Weights) -> float:
    """Value a card in a contest: alone or with all later cards, the better of the two."""
    area = names.ARENA if state["phase"] == names.ARENA_CARDS else side_of(constants, state, player)
    now = state["strength"][player] + blue_strength(constants, state, player)
    without = contest_worth(constants, state, player, area, now, w)
    first = action - int(constants["play_equi_start"])
    strength = 0
    price = 0.0
    slaves = 0
    alone = 0.0
    if area == names.ARENA and first < 0:
        face = 0 if action == int(constants["play_slave"][0]) else names.MAX_SLAVES - 1
        slaves = face + 1
        alone = contest_worth(constants, state, player, area, now + slaves, w) - without
        alone += change(constants, state, player, with_more(own_means(state, player), 3, float(-slaves)), colours, w)
        slaves = 0
        for played_face in range(face, names.MAX_SLAVES):
            slaves += (played_face + 1) * int(state["slaves"][player, played_face])
    for face in range(max(first, 0), int(constants["num_equi_faces"])):
        if constants["equi_group"][face] == group_of(area):
            if face == first:
                alone = (
                    contest_worth(constants, state, player, area, now + constants["equi_strength"][face], w) - without
                )
                alone -= equi_worth(constants, state, face, w)
            strength += int(state["equi"][player, face]) * int(constants["equi_strength"][face])
            price += state["equi"][player, face] * equi_worth(constants, state, face, w)
    every = contest_worth(constants, state, player, area, now + strength + slaves, w) - without - price
    if slaves > 0:
        every += change(constants, state, player, with_more(own_means(state, player), 3, float(-slaves)), colours, w)
    return float(max(alone, every))


@jit
def rolled(constants: Constants, state: State, player: int, dice: int, w: Weights) -> float:
    """Value a number of blue dice in the fight and the remaining ones in the race."""
    worth = contest_worth(constants, state, player, names.ARENA, state["strength"][player] + dice / len(names.KINDS), w)
    if takes_part(state, player, stadium_spaces(constants)):
        worth += prospect(constants, state, player, side_of(constants, state, player), -dice / len(names.KINDS), w)
    return float(worth)


@jit
def won(constants: Constants, state: State, player: int, choice: int, colours: Colours, w: Weights) -> float:
    """Value the first player's prize, less a share of the second player's gain."""
    second = ranked(state, 1, int(constants["area_spaces"][names.ARENA]))
    slave = change(
        constants, state, player, with_more(own_means(state, player), 3, slaves_of_card(constants)), colours, w
    )
    if choice == TAKE_POINTS:
        worth = float(state["strength"][player] * constants["vp_per_strength"])
        return (
            worth if second < 0 else float(worth - w[estimates.RIVAL] * w[estimates.SLAVE] * season(constants, state))
        )
    if second < 0:
        return float(slave)
    return float(slave - w[estimates.RIVAL] * state["strength"][second] * constants["vp_per_strength"])


@jit
def kept(constants: Constants, state: State, player: int, choice: int, w: Weights) -> float:
    """Value the kept stadium card, less a share of the second player's gain."""
    shown = int(state["stadium_open"])
    drawn = int(state["stadium_cards"][names.MAX_STADIUM_CARDS - int(state["num_stadium_draw"])])
    own, given = (shown, drawn) if choice == 0 else (drawn, shown)
    worth = stadium_worth(constants, state, player, own, w)
    second = ranked(state, 1, stadium_spaces(constants))
    return (
        float(worth - w[estimates.RIVAL] * stadium_worth(constants, state, second, given, w))
        if second >= 0
        else float(worth)
    )


@jit
def bid(constants: Constants, state: State, player: int, action: int, colours: Colours, w: Weights) -> float:
    """Value one more coin for the theatre card, or a pass: an auctioneer may receive the standing bid."""
    price = own_means(state, player)
    if action == int(constants["pass_id"]):
        if state["bidder"] < 0 or holder_of(state, acting_space(state)) != player:
            return 0.0
        for kind in range(NUM_KINDS):
            price = with_more(price, kind, float(state["bid"][kind]))
        return change(constants, state, player, price, colours, w)
    for kind in range(NUM_KINDS):
        price = with_more(price, kind, -float(state["bid"][kind]))
    price = with_more(price, action - int(constants["bid_start"]), -1.0)
    worth = theatre_worth(constants, state, player, int(state["auction_card"]), w)
    return float(worth + change(constants, state, player, price, colours, w))


@jit
def built(constants: Constants, state: State, player: int, building: int, colours: Colours, w: Weights) -> float:
    """Value a building less its price and the plans it thwarts."""
    after = own_means(state, player)
    before = means_worth(constants, state, player, after, 0, colours, w)
    for kind in range(NUM_KINDS):
        after = with_more(after, kind, -float(constants["building_cost"][building, kind]))
    after = with_more(after, 3, -float(constants["building_slaves"][building]))
    worth = building_worth(constants, state, building, colours, w)
    if constants["space_value"][acting_space(state)] > 0:
        worth += constants["building_value"][building]
    return float(worth + means_worth(constants, state, player, after, 1 << building, colours, w) - before)


@jit
def action_worth(constants: Constants, state: State, player: int, action: int, colours: Colours, w: Weights) -> float:
    """Return the worth of an action to its player in victory points; to decline is worth 0."""
    phase = int(state["phase"])
    if phase == names.PLACE:
        return placed(constants, state, player, action, colours, w)
    if phase == names.AUCTION:
        return bid(constants, state, player, action, colours, w)
    if phase == names.ARENA_DICE:
        return rolled(constants, state, player, action - int(constants["dice_start"]), w)
    if action == int(constants["pass_id"]) or action == int(constants["done_id"]):
        return 0.0
    if phase == names.PECUNIA_PHASE:
        return exchanged(constants, state, player, action - int(constants["exchange_start"]), colours, w)
    if phase == names.EQUI_PHASE:
        return equi_bought(
            constants, state, player, acting_space(state) - int(constants["area_start"][names.EQUI]), colours, w
        )
    if phase == names.SERVI_PHASE:
        cards = action - int(constants["buy_start"]) + 1
        return slaves_bought(constants, state, player, acting_space(state), cards, colours, w)
    if phase in (names.ARENA_CARDS, names.STADIUM_CARDS):
        return played(constants, state, player, action, colours, w)
    if phase == names.ARENA_PRIZE:
        return won(constants, state, player, action - int(constants["take_start"]), colours, w)
    if phase == names.STADIUM_PRIZE:
        return kept(constants, state, player, action - int(constants["keep_start"]), w)
    if phase == names.FORUM_PHASE:
        return built(constants, state, player, action - int(constants["build_start"]), colours, w)
    return activated(constants, state, player, int(constants["space_coin"][acting_space(state)]), w)
