"""The compiled value of an action for the heuristics: a weighted sum of its gains (`WEIGHTS`)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.actions import ID
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.rules.compiler import SOURCES

jit = compiler(*SOURCES, Path(__file__))

NUM_COLOURS, NUM_BUILDINGS, NUM_ICONS = len(names.COLOURS), len(names.BUILDINGS), len(names.ICONS)

Weights = npt.NDArray[np.float64]
Prepared = npt.NDArray[np.float64]

# The builder's weights are those of `python -m training.tune --generations 60 --deals 30 --seed 1` on weights by hand,
# and of `--generations 60 --deals 40 --sigma 0.2 --seed 2` on the result.
#: Name, greedy weight, builder's weight, meaning.  Weights are victory points for one of the thing, or factors of
#: victory points.
WEIGHTS: Final = (
    ("sesterce", 0.3, 1.115, "a sesterce"),
    ("influence", 1.0, 5.878, "an influence token"),
    ("torch", 1.0, 2.386, "a torch token"),
    ("roman", 1.0, 1.828, "a Roman in the play area"),
    ("brick", 1.0, 3.45, "a brick of the personal supply, for itself"),
    ("brick_price", 0.5, 0.864, "each sesterce of a brick's price in the shops"),
    ("card", 1.0, 1.286, "factor of the points a building card adds to the sets"),
    ("card_later", 0.0, 2.796, "a building card whose building is missing in the current set"),
    ("majority", 1.0, 0.573, "factor of the change of a majority by an element"),
    ("interim", 0.0, -1.294, "factor of the points of built bricks in the remaining interim scorings"),
    ("reward", 1.0, 1.187, "factor of rewards"),
    ("progress", 0.0, 0.354, "factor of the progress of a purchase towards the best spot of its colour"),
    ("marker", 0.0, 3.075, "an action marker of an action card"),
    ("icon", 0.0, 0.413, "an icon of an action card"),
    ("coins", 0.1, 0.169, "factor of the coins on an action card"),
    ("purse", 0.0, 18.871, "sesterces to have after an interim scoring"),
    ("final", 1.0, 2.595, "factor of final scoring cards"),
    ("set_broken", 1.0, 0.36, "factor of the points discarded building cards take from the sets"),
    ("start", 0.5, 0.077, "being the next starting player"),
    ("porta_nigra", 0.0, 0.097, "a brick in the Porta Nigra"),
    ("city_wall", 0.0, 0.608, "an element in the city wall"),
    ("honour", 0.0, 0.133, "any honour card"),
    ("haste", 0.0, 0.157, "any element"),
)
(
    SESTERCE, INFLUENCE, TORCH, ROMANS, BRICK, BRICK_PRICE, CARDS, CARD_LATER, MAJORITY, INTERIM, REWARD, PROGRESS,
    MARKER, ICON, COINS, PURSE, FINAL, SET_BROKEN, START, IN_PORTA_NIGRA, IN_CITY_WALL, FOR_HONOUR, HASTE,
) = range(len(WEIGHTS))  # fmt: skip

CITY_WALL: Final = names.BUILDINGS.index("city_wall")


@jit
def set_points(constants: Constants, state: State, player: int, building: int, change: int) -> int:
    """Return the points of sets with `change` more cards of a building, or of every building if `building` is -1."""
    points = 0
    level = 1
    while True:
        different = 0
        for other in range(NUM_BUILDINGS):
            owned = int(state["buildings_owned"][player, other])
            if other == building or building < 0:
                owned += change
            if owned >= level:
                different += 1
        if different == 0:
            return points
        points += int(constants["set_vp"][different])
        level += 1


@jit
def rank_points(own: int, other: int, points: npt.NDArray[np.int32]) -> float:
    """Return the points of an area with `own` bricks or elements against `other` of the best opponent."""
    if own == 0:
        return 0.0
    if own > other:
        return float(points[0])
    if own == other:
        return 0.5 * (float(points[0]) + float(points[1]))
    return float(points[1])


@jit
def majority_change(constants: Constants, state: State, player: int, spot: int, height: int) -> float:
    """Return the change of a majority by an element of `height` on `spot`; a tie counts half."""
    players = int(state["num_players"])
    own = 0
    other = 0
    if spot < names.FIXED_SPOTS:
        row = int(constants["spot_row"][spot])
        for seat in range(players):
            bricks = 0
            for other_spot in range(names.ROW_STARTS[row], names.ROW_STARTS[row + 1]):
                if state["spot_owner"][other_spot] == seat:
                    bricks += int(state["spot_height"][other_spot])
            if seat == player:
                own = bricks
            else:
                other = max(other, bricks)
        points = constants["row_majority"][row]
        return rank_points(own + height, other, points) - rank_points(own, other, points)
    for seat in range(players):
        elements = 0
        for tower in range(names.FIXED_SPOTS, names.NUM_SPOTS):
            if state["spot_owner"][tower] == seat and state["spot_height"][tower] == height:
                elements += 1
        if seat == player:
            own = elements
        else:
            other = max(other, elements)
    points = constants["height_majority"][height - names.LOWEST_HEIGHT]
    return rank_points(own + 1, other, points) - rank_points(own, other, points)


@jit
def gain_value(constants: Constants, gains: npt.NDArray[np.int32], w: Weights) -> float:
    """Value a reward or the gains of an honour card."""
    value = (
        float(gains[names.GAIN_VP]) + w[SESTERCE] * gains[names.GAIN_SESTERCES] + w[TORCH] * gains[names.GAIN_TORCHES]
    )
    value += w[INFLUENCE] * gains[names.GAIN_INFLUENCE] + w[ROMANS] * gains[names.GAIN_ROMANS]
    for colour in range(NUM_COLOURS):
        value += gains[names.GAIN_BRICKS + colour] * (w[BRICK] + w[BRICK_PRICE] * constants["brick_price"][colour])
    return float(value)


@jit
def rounds_left(constants: Constants, state: State) -> int:
    """Return the number of remaining interim scorings."""
    if state["early_player"] >= 0:
        return 0
    return int(constants["rounds"][int(state["num_players"])]) - int(state["round"])


@jit
def element_value(constants: Constants, state: State, player: int, spot: int, height: int, w: Weights) -> float:
    """Value an element without its price (R21)."""
    building = int(constants["spot_building"][spot])
    colour = int(constants["spot_colour"][spot])
    if building == names.PORTA_NIGRA:
        value = float(height * int(constants["brick_price"][colour])) + w[IN_PORTA_NIGRA] * height
    else:
        value = float(constants["spot_vp"][spot])
    if building == CITY_WALL:
        value += w[IN_CITY_WALL]
    value += w[HASTE] + w[MAJORITY] * majority_change(constants, state, player, spot, height)
    if constants["row_gives_card"][int(constants["spot_row"][spot])] != 0:
        card = building * NUM_COLOURS + colour
        for i in range(int(state["num_building_display"])):
            if state["building_cards"][i] == card:
                before = set_points(constants, state, player, building, 0)
                value += w[CARDS] * (set_points(constants, state, player, building, 1) - before)
                most = 0
                for other in range(NUM_BUILDINGS):
                    most = max(most, int(state["buildings_owned"][player, other]))
                if int(state["buildings_owned"][player, building]) < max(most, 1):
                    value += w[CARD_LATER]
                break
    built = int(state["built"][player, building])
    every = int(constants["reward_every_bricks"])
    reached = (built + height) // every - built // every
    value += w[REWARD] * reached * gain_value(constants, constants["rewards"][building], w)
    multiplier = int(constants["interim_multiplier"][int(state["num_players"])])
    return float(value + w[INTERIM] * height * multiplier * rounds_left(constants, state))


@jit
def build_value(constants: Constants, state: State, player: int, choice: int, w: Weights) -> float:
    """Value an element less its price: bricks, the way, a Roman."""
    spot = choice
    height = 0
    if choice < names.FIXED_SPOTS:
        height = int(constants["spot_bricks"][choice])
    else:
        pair = choice - names.FIXED_SPOTS
        spot = names.FIXED_SPOTS + pair % names.PORTA_NIGRA_SPOTS
        height = names.LOWEST_HEIGHT + pair // names.PORTA_NIGRA_SPOTS
    building = int(constants["spot_building"][spot])
    colour = int(constants["spot_colour"][spot])
    value = element_value(constants, state, player, spot, height, w)
    coloured = min(height, int(state["bricks"][player, colour]))
    paid = coloured * (w[BRICK] + w[BRICK_PRICE] * constants["brick_price"][colour])
    if height > coloured:
        paid += (height - coloured) * (w[BRICK] + w[BRICK_PRICE] * constants["brick_price"][names.WHITE])
    way = int(constants["way_to_building"][int(state["quarter"][player]), building])
    return float(value - paid - w[SESTERCE] * way - w[ROMANS])


@jit
def best_spot(constants: Constants, state: State, player: int, colour: int, more: int, w: Weights) -> float:
    """Value the best spot of a colour, discounted by the share of its bricks still missing after `more` bricks."""
    best = 0.0
    own = int(state["bricks"][player, colour]) + more
    if colour != names.WHITE:
        own += int(state["bricks"][player, names.WHITE])
    if own == 0:
        return 0.0
    for spot in range(names.NUM_SPOTS):
        if constants["spot_colour"][spot] == colour and state["spot_owner"][spot] < 0:
            need = int(constants["spot_bricks"][spot])
            value = float(constants["spot_vp"][spot])
            if spot >= names.FIXED_SPOTS:
                need = max(own, int(constants["porta_nigra_min_height"]))
                if need > int(constants["porta_nigra_max_height"]):
                    continue
                value = float(need * int(constants["brick_price"][colour]))
            paid = min(own, need) / need
            best = max(best, value * paid * paid)
    return best


@jit
def purchase_value(constants: Constants, state: State, player: int, colour: int, w: Weights) -> float:
    """Value a brick less its price and the way."""
    quarter = int(state["quarter"][player])
    price = int(constants["brick_price"][colour])
    cost = price + int(constants["way_to_shop"][quarter, colour])
    value = w[BRICK] + w[BRICK_PRICE] * price - w[SESTERCE] * cost
    if w[PROGRESS] != 0.0:
        after = best_spot(constants, state, player, colour, 1, w)
        value += w[PROGRESS] * (after - best_spot(constants, state, player, colour, 0, w))
    return float(value)


@jit
def card_value(constants: Constants, card: int, w: Weights) -> float:
    """Value an action card by its markers, icons and coins."""
    value = w[MARKER] * constants["card_torches"][card]
    for icon in range(NUM_ICONS):
        count = int(constants["card_icons"][card, icon])
        value += w[ICON] * count
        if icon >= names.COINS_3:
            value += w[COINS] * (3 + icon - names.COINS_3) * count
        elif icon in (names.BUILD_ICON, names.BUY_ANY):
            value += w[ICON] * count
    return float(value)


@jit
def honour_value(constants: Constants, state: State, player: int, kind: int, w: Weights) -> float:
    """Value an honour card less its cost and discards (R24, R25)."""
    value = (
        gain_value(constants, constants["honour_gains"][kind], w)
        - w[INFLUENCE] * constants["honour_cost"][kind]
        + w[FOR_HONOUR]
    )
    if constants["honour_discard_buildings"][kind] != 0:
        before = set_points(constants, state, player, -1, 0)
        value += w[SET_BROKEN] * (set_points(constants, state, player, -1, -1) - before)
    discarded = int(constants["honour_discard_final"][kind])
    if discarded >= 0:
        value -= w[FINAL] * constants["final_vp"][discarded]
    gained = int(constants["honour_final"][kind])
    if gained >= 0:
        value += w[FINAL] * constants["final_vp"][gained]
    building = int(constants["honour_substitute"][kind])
    if building >= 0:
        before = set_points(constants, state, player, building, 0)
        value += w[CARDS] * (set_points(constants, state, player, building, 1) - before)
        value += w[CARD_LATER]
    if constants["honour_crown"][kind] != 0:
        value += w[REWARD]
    return float(value)


@jit
def purse_value(state: State, player: int, sesterces: int, w: Weights) -> float:
    """Return the negative distance of the purse after a split of an interim scoring from the wanted purse."""
    wanted = w[PURSE] - state["sesterces"][player]
    return float(-abs(sesterces - max(wanted, 0.0)))


@jit
def action_value(constants: Constants, state: State, player: int, action: int, prepared: Prepared, w: Weights) -> float:
    """Return the value of an action to its player in victory points; ending the turn is worth nothing."""
    if action >= int(constants["tens_start"]):
        return float(purse_value(state, player, 10 * (action - int(constants["tens_start"])) + 5, w))
    if action >= ID.honour:
        return float(honour_value(constants, state, player, action - ID.honour, w))
    if action >= ID.appoint:
        return float(w[START]) if action - ID.appoint == player else 0.0
    if action >= ID.units:
        return float(purse_value(state, player, 10 * int(state["split_tens"]) + action - ID.units, w))
    if action >= ID.crown:
        return float(state["spot_height"][names.FIXED_SPOTS + action - ID.crown])
    if action >= ID.influence_build:
        value = build_value(constants, state, player, action - ID.influence_build, w)
        return float(value - w[INFLUENCE] * constants["influence_cost_build"])
    if action >= ID.build:
        return float(build_value(constants, state, player, action - ID.build, w))
    if action == ID.end:
        return 0.0
    if action == ID.coin:
        value = w[SESTERCE] * constants["torch_to_sesterces"]
        # A marker without another use is free.
        return float(value - w[TORCH] if state["markers_left"] == 0 else value - 0.5)
    if action == ID.roman:
        return float(w[ROMANS] - w[INFLUENCE] * constants["influence_cost_roman"])
    if action >= ID.take:
        icon = names.INFLUENCE_ICON + action - ID.take
        value = w[SESTERCE] * (3 + icon - names.COINS_3)
        if icon == names.INFLUENCE_ICON:
            value = w[INFLUENCE]
        elif icon == names.TORCH_ICON:
            value = w[TORCH]
        return float(value) if state["markers_left"] > 0 else float(value - w[TORCH])
    if action >= ID.buy:
        value = purchase_value(constants, state, player, (action - ID.buy) % NUM_COLOURS, w)
        return float(value) if state["markers_left"] > 0 else float(value - w[TORCH])
    if action >= ID.card:
        return float(card_value(constants, action - ID.card, w))
    # Place the builder next to the dearest shop with bricks.
    best = 0.0
    for colour in range(NUM_COLOURS):
        if state["market"][colour] > 0 and constants["quarter_of_shop"][colour] == action - ID.place:
            best = max(best, float(constants["brick_price"][colour]))
    return best
