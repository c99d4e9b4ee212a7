"""Building elements, their rewards, and the crowning brick (R18-R23, R26)."""

from __future__ import annotations

from porta_nigra_env.core.arrays.piles import take_open
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.names import (
    COLOURS,
    FIXED_SPOTS,
    PORTA_NIGRA,
    PORTA_NIGRA_SPOTS,
    WHITE,
)
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.market import gain

NUM_COLOURS = len(COLOURS)


@jit
def add_to_building(constants: Constants, state: State, player: int, building: int, bricks: int) -> None:
    """Count new bricks in a building and take one reward for each new multiple reached (R21)."""
    before = int(state["built"][player, building])
    state["built"][player, building] = before + bricks
    every = int(constants["reward_every_bricks"])
    for _ in range((before + bricks) // every - before // every):
        gain(state, player, constants["rewards"][building])


@jit
def build(constants: Constants, state: State, player: int, spot: int, height: int) -> None:
    """Place an element of `height` bricks: way, bricks, VP, building card, placement, rewards, in that order (R21)."""
    building = int(constants["spot_building"][spot])
    colour = int(constants["spot_colour"][spot])
    state["sesterces"][player] -= constants["way_to_building"][int(state["quarter"][player]), building]
    state["quarter"][player] = building

    coloured = min(height, int(state["bricks"][player, colour]))
    state["bricks"][player, colour] -= coloured
    state["bricks"][player, WHITE] -= height - coloured
    state["romans"][player] -= 1

    if building == PORTA_NIGRA:
        state["vp"][player] += height * int(constants["brick_price"][colour])
    else:
        state["vp"][player] += constants["spot_vp"][spot]

    displayed = int(state["num_building_display"])
    card = building * NUM_COLOURS + colour
    if constants["row_gives_card"][int(constants["spot_row"][spot])] != 0 and take_open(
        state["building_cards"], displayed, card
    ):
        state["num_building_display"] = displayed - 1
        state["buildings_owned"][player, building] += 1

    state["spot_owner"][spot] = player
    state["spot_height"][spot] = height
    state["occupied"] = int(state["occupied"]) | (1 << spot)
    add_to_building(constants, state, player, building, height)


@jit
def crown_targets(constants: Constants, state: State, player: int) -> int:
    """The player's Porta Nigra elements that may grow, as bits of its spots; 0 with an empty reserve (R26)."""
    targets = 0
    if state["reserve"] > 0:
        for place in range(PORTA_NIGRA_SPOTS):
            spot = FIXED_SPOTS + place
            if state["spot_owner"][spot] == player and state["spot_height"][spot] < constants["porta_nigra_max_height"]:
                targets |= 1 << place
    return targets


@jit
def crown(constants: Constants, state: State, player: int, place: int) -> None:
    """A brick of the reserve onto an element of one's own in the Porta Nigra: no VP, but rewards (R26)."""
    state["reserve"] = int(state["reserve"]) - 1
    state["spot_height"][FIXED_SPOTS + place] += 1
    add_to_building(constants, state, player, PORTA_NIGRA, 1)
