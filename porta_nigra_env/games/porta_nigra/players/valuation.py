"""What an action is worth to the heuristics: a sum of what it gains, each part weighed (`WEIGHTS`); compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.actions import (
    APPOINT,
    BUILD,
    BUY,
    CARD,
    COIN,
    CROWN,
    END,
    HONOUR,
    INFLUENCE_BUILD,
    PLACE,
    ROMAN,
    TAKE,
    UNITS,
)
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILD_ICON,
    BUILDINGS,
    BUY_ANY,
    COINS_3,
    COLOURS,
    FIXED_SPOTS,
    GAIN_BRICKS,
    GAIN_INFLUENCE,
    GAIN_ROMANS,
    GAIN_SESTERCES,
    GAIN_TORCHES,
    GAIN_VP,
    ICONS,
    INFLUENCE_ICON,
    LOWEST_HEIGHT,
    NUM_SPOTS,
    PORTA_NIGRA,
    PORTA_NIGRA_SPOTS,
    ROW_STARTS,
    TORCH_ICON,
    WHITE,
)
from porta_nigra_env.games.porta_nigra.rules.compiler import SOURCES

jit = compiler(*SOURCES, Path(__file__))

NUM_COLOURS, NUM_BUILDINGS, NUM_ICONS = len(COLOURS), len(BUILDINGS), len(ICONS)

# The builder's weights are those of `python -m training.tune --generations 60 --deals 30 --seed 1` on weights by hand,
# and of `--generations 60 --deals 40 --sigma 0.2 --seed 2` on the result.
#: What is weighed: name, the greedy weight, the builder's weight, and what it stands for.  Weights are victory points
#: for one of the thing, or factors of victory points.
WEIGHTS: Final = (
    ("sesterce", 0.3, 1.115, "a sesterce"),
    ("influence", 1.0, 5.878, "an influence token"),
    ("torch", 1.0, 2.386, "a torch token"),
    ("roman", 1.0, 1.828, "a Roman in the play area"),
    ("brick", 1.0, 3.45, "a brick of the personal supply, for itself"),
    ("brick_price", 0.5, 0.864, "each sesterce of a brick's price in the shops"),
    ("card", 1.0, 1.286, "factor of what a building card adds to the sets"),
    ("card_later", 0.0, 2.796, "a building card of a building of which there is none yet in the running set"),
    ("majority", 1.0, 0.573, "factor of what an element changes in a majority"),
    ("interim", 0.0, -1.294, "factor of what built bricks score in the interim scorings to come"),
    ("reward", 1.0, 1.187, "factor of rewards"),
    ("progress", 0.0, 0.354, "factor of how much nearer a purchase brings the best spot of its colour"),
    ("marker", 0.0, 3.075, "an action marker of an action card"),
    ("icon", 0.0, 0.413, "an icon of an action card"),
    ("coins", 0.1, 0.169, "factor of the coins on an action card"),
    ("purse", 0.0, 18.871, "sesterces to have after an interim scoring"),
    ("final", 1.0, 2.595, "factor of final scoring cards"),
    ("set_broken", 1.0, 0.36, "factor of what discarded building cards take from the sets"),
    ("start", 0.5, 0.077, "beginning the next round oneself"),
    ("porta_nigra", 0.0, 0.097, "a brick in the Porta Nigra"),
    ("city_wall", 0.0, 0.608, "an element in the city wall"),
    ("honour", 0.0, 0.133, "an honour card, whatever it is"),
    ("haste", 0.0, 0.157, "an element, whatever it is"),
)
(
    SESTERCE, INFLUENCE, TORCH, ROMANS, BRICK, BRICK_PRICE, CARDS, CARD_LATER, MAJORITY, INTERIM, REWARD, PROGRESS,
    MARKER, ICON, COINS, PURSE, FINAL, SET_BROKEN, START, IN_PORTA_NIGRA, IN_CITY_WALL, FOR_HONOUR, HASTE,
) = range(len(WEIGHTS))  # fmt: skip

CITY_WALL: Final = BUILDINGS.index("city_wall")


@jit
def set_points(constants: Constants, state: State, player: int, building: int, change: int) -> int:
    """Points of sets if the player had `change` more cards of a building; of every building with -1 for it."""
    points = 0
    level = 1
    while True:
        different = 0
        for one in range(NUM_BUILDINGS):
            owned = int(state["buildings_owned"][player, one])
            if one == building or building < 0:
                owned += change
            if owned >= level:
                different += 1
        if different == 0:
            return points
        points += int(constants["set_vp"][different])
        level += 1


@jit
def place_points(own: int, other: int, points: Any) -> float:
    """What an area gives with so many own bricks or elements and so many of the best other player."""
    if own == 0:
        return 0.0
    if own > other:
        return float(points[0])
    if own == other:
        return 0.5 * (float(points[0]) + float(points[1]))
    return float(points[1])


@jit
def majority_change(constants: Constants, state: State, player: int, spot: int, height: int) -> float:
    """What an element of `height` on `spot` changes in the majority of its row or height, ties taken as halves."""
    players = int(state["num_players"])
    own = 0
    other = 0
    if spot < FIXED_SPOTS:
        row = int(constants["spot_row"][spot])
        for seat in range(players):
            bricks = 0
            for one in range(ROW_STARTS[row], ROW_STARTS[row + 1]):
                if state["spot_owner"][one] == seat:
                    bricks += int(state["spot_height"][one])
            if seat == player:
                own = bricks
            else:
                other = max(other, bricks)
        points = constants["row_majority"][row]
        return place_points(own + height, other, points) - place_points(own, other, points)
    for seat in range(players):
        elements = 0
        for one in range(FIXED_SPOTS, NUM_SPOTS):
            if state["spot_owner"][one] == seat and state["spot_height"][one] == height:
                elements += 1
        if seat == player:
            own = elements
        else:
            other = max(other, elements)
    points = constants["height_majority"][height - LOWEST_HEIGHT]
    return place_points(own + 1, other, points) - place_points(own, other, points)


@jit
def gain_value(constants: Constants, gains: Any, w: Any) -> float:
    """What a reward or an honour card gives."""
    value = float(gains[GAIN_VP]) + w[SESTERCE] * gains[GAIN_SESTERCES] + w[TORCH] * gains[GAIN_TORCHES]
    value += w[INFLUENCE] * gains[GAIN_INFLUENCE] + w[ROMANS] * gains[GAIN_ROMANS]
    for colour in range(NUM_COLOURS):
        value += gains[GAIN_BRICKS + colour] * (w[BRICK] + w[BRICK_PRICE] * constants["brick_price"][colour])
    return float(value)


@jit
def rounds_left(constants: Constants, state: State) -> int:
    """Interim scorings to come."""
    if state["early_player"] >= 0:
        return 0
    return int(constants["rounds"][int(state["num_players"])]) - int(state["round"])


@jit
def element_value(constants: Constants, state: State, player: int, spot: int, height: int, w: Any) -> float:
    """What an element gives, apart from what is paid for it (R21)."""
    building = int(constants["spot_building"][spot])
    colour = int(constants["spot_colour"][spot])
    if building == PORTA_NIGRA:
        value = float(height * int(constants["brick_price"][colour])) + w[IN_PORTA_NIGRA] * height
    else:
        value = float(constants["spot_vp"][spot])
    if building == CITY_WALL:
        value += w[IN_CITY_WALL]
    value += w[HASTE] + w[MAJORITY] * majority_change(constants, state, player, spot, height)
    if constants["row_gives_card"][int(constants["spot_row"][spot])] != 0:
        card = building * NUM_COLOURS + colour
        for place in range(int(state["num_building_display"])):
            if state["building_cards"][place] == card:
                before = set_points(constants, state, player, building, 0)
                value += w[CARDS] * (set_points(constants, state, player, building, 1) - before)
                most = 0
                for one in range(NUM_BUILDINGS):
                    most = max(most, int(state["buildings_owned"][player, one]))
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
def build_value(constants: Constants, state: State, player: int, choice: int, w: Any) -> float:
    """An element less what it costs: bricks, the way, a Roman."""
    spot = choice
    height = 0
    if choice < FIXED_SPOTS:
        height = int(constants["spot_bricks"][choice])
    else:
        pair = choice - FIXED_SPOTS
        spot = FIXED_SPOTS + pair % PORTA_NIGRA_SPOTS
        height = LOWEST_HEIGHT + pair // PORTA_NIGRA_SPOTS
    building = int(constants["spot_building"][spot])
    colour = int(constants["spot_colour"][spot])
    value = element_value(constants, state, player, spot, height, w)
    coloured = min(height, int(state["bricks"][player, colour]))
    paid = coloured * (w[BRICK] + w[BRICK_PRICE] * constants["brick_price"][colour])
    if height > coloured:
        paid += (height - coloured) * (w[BRICK] + w[BRICK_PRICE] * constants["brick_price"][WHITE])
    way = int(constants["way_to_building"][int(state["quarter"][player]), building])
    return float(value - paid - w[SESTERCE] * way - w[ROMANS])


@jit
def best_spot(constants: Constants, state: State, player: int, colour: int, more: int, w: Any) -> float:
    """The best spot of a colour by what it gives and how much of it is paid with `more` bricks of the colour."""
    best = 0.0
    own = int(state["bricks"][player, colour]) + more
    if colour != WHITE:
        own += int(state["bricks"][player, WHITE])
    if own == 0:
        return 0.0
    for spot in range(NUM_SPOTS):
        if constants["spot_colour"][spot] == colour and state["spot_owner"][spot] < 0:
            need = int(constants["spot_bricks"][spot])
            value = float(constants["spot_vp"][spot])
            if spot >= FIXED_SPOTS:
                need = max(own, int(constants["porta_nigra_min_height"]))
                if need > int(constants["porta_nigra_max_height"]):
                    continue
                value = float(need * int(constants["brick_price"][colour]))
            paid = min(own, need) / need
            best = max(best, value * paid * paid)
    return best


@jit
def purchase_value(constants: Constants, state: State, player: int, colour: int, w: Any) -> float:
    """A brick, less its price and the way."""
    quarter = int(state["quarter"][player])
    price = int(constants["brick_price"][colour])
    cost = price + int(constants["way_to_shop"][quarter, colour])
    value = w[BRICK] + w[BRICK_PRICE] * price - w[SESTERCE] * cost
    if w[PROGRESS] != 0.0:
        after = best_spot(constants, state, player, colour, 1, w)
        value += w[PROGRESS] * (after - best_spot(constants, state, player, colour, 0, w))
    return float(value)


@jit
def card_value(constants: Constants, card: int, w: Any) -> float:
    """An action card by its markers, icons and coins."""
    value = w[MARKER] * constants["card_torches"][card]
    for icon in range(NUM_ICONS):
        count = int(constants["card_icons"][card, icon])
        value += w[ICON] * count
        if icon >= COINS_3:
            value += w[COINS] * (3 + icon - COINS_3) * count
        elif icon in (BUILD_ICON, BUY_ANY):
            value += w[ICON] * count
    return float(value)


@jit
def honour_value(constants: Constants, state: State, player: int, kind: int, w: Any) -> float:
    """An honour card, less what is paid and discarded for it (R24, R25)."""
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
def purse_value(state: State, player: int, sesterces: int, w: Any) -> float:
    """How near a split of an interim scoring comes to the purse one wants."""
    wanted = w[PURSE] - state["sesterces"][player]
    return float(-abs(sesterces - max(wanted, 0.0)))


@jit
def action_value(constants: Constants, state: State, player: int, action: int, prepared: Any, w: Any) -> float:
    """What an action is worth to its player in victory points; ending the turn is worth nothing."""
    if action >= int(constants["tens_start"]):
        return float(purse_value(state, player, 10 * (action - int(constants["tens_start"])) + 5, w))
    if action >= HONOUR:
        return float(honour_value(constants, state, player, action - HONOUR, w))
    if action >= APPOINT:
        return float(w[START]) if action - APPOINT == player else 0.0
    if action >= UNITS:
        return float(purse_value(state, player, 10 * int(state["split_tens"]) + action - UNITS, w))
    if action >= CROWN:
        return float(state["spot_height"][FIXED_SPOTS + action - CROWN])
    if action >= INFLUENCE_BUILD:
        value = build_value(constants, state, player, action - INFLUENCE_BUILD, w)
        return float(value - w[INFLUENCE] * constants["influence_cost_build"])
    if action >= BUILD:
        return float(build_value(constants, state, player, action - BUILD, w))
    if action == END:
        return 0.0
    if action == COIN:
        value = w[SESTERCE] * constants["torch_to_sesterces"]
        # A marker that nothing else is left for is free.
        return float(value - w[TORCH] if state["markers_left"] == 0 else value - 0.5)
    if action == ROMAN:
        return float(w[ROMANS] - w[INFLUENCE] * constants["influence_cost_roman"])
    if action >= TAKE:
        icon = INFLUENCE_ICON + action - TAKE
        value = w[SESTERCE] * (3 + icon - COINS_3)
        if icon == INFLUENCE_ICON:
            value = w[INFLUENCE]
        elif icon == TORCH_ICON:
            value = w[TORCH]
        return float(value) if state["markers_left"] > 0 else float(value - w[TORCH])
    if action >= BUY:
        value = purchase_value(constants, state, player, (action - BUY) % NUM_COLOURS, w)
        return float(value) if state["markers_left"] > 0 else float(value - w[TORCH])
    if action >= CARD:
        return float(card_value(constants, action - CARD, w))
    # Where to place the builder: beside the dearest shop with bricks.
    best = 0.0
    for colour in range(NUM_COLOURS):
        if state["market"][colour] > 0 and constants["quarter_of_shop"][colour] == action - PLACE:
            best = max(best, float(constants["brick_price"][colour]))
    return best
