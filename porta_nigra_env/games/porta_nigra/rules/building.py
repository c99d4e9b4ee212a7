"""Building elements, their rewards, and the crowning brick (R18-R23, R26)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import take_open
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
def add_to_building(t: Any, s: Any, player: int, building: int, bricks: int) -> None:
    """Count new bricks in a building and take one reward for each new multiple reached (R21)."""
    before = int(s["built"][player, building])
    s["built"][player, building] = before + bricks
    every = int(t["reward_every_bricks"])
    for _ in range((before + bricks) // every - before // every):
        gain(s, player, t["rewards"][building])


@jit
def build(t: Any, s: Any, player: int, spot: int, height: int) -> None:
    """Place an element of `height` bricks: way, bricks, VP, building card, placement, rewards, in that order (R21)."""
    building = int(t["spot_building"][spot])
    colour = int(t["spot_colour"][spot])
    s["sesterces"][player] -= t["way_to_building"][int(s["quarter"][player]), building]
    s["quarter"][player] = building

    coloured = min(height, int(s["bricks"][player, colour]))
    s["bricks"][player, colour] -= coloured
    s["bricks"][player, WHITE] -= height - coloured
    s["romans"][player] -= 1

    if building == PORTA_NIGRA:
        s["vp"][player] += height * int(t["brick_price"][colour])
    else:
        s["vp"][player] += t["spot_vp"][spot]

    displayed = int(s["num_building_display"])
    card = building * NUM_COLOURS + colour
    if t["row_gives_card"][int(t["spot_row"][spot])] != 0 and take_open(s["building_cards"], displayed, card):
        s["num_building_display"] = displayed - 1
        s["buildings_owned"][player, building] += 1

    s["spot_owner"][spot] = player
    s["spot_height"][spot] = height
    s["occupied"] = int(s["occupied"]) | (1 << spot)
    add_to_building(t, s, player, building, height)


@jit
def crown_targets(t: Any, s: Any, player: int) -> int:
    """The player's Porta Nigra elements that may grow, as bits of its spots; 0 with an empty reserve (R26)."""
    targets = 0
    if s["reserve"] > 0:
        for place in range(PORTA_NIGRA_SPOTS):
            spot = FIXED_SPOTS + place
            if s["spot_owner"][spot] == player and s["spot_height"][spot] < t["porta_nigra_max_height"]:
                targets |= 1 << place
    return targets


@jit
def crown(t: Any, s: Any, player: int, place: int) -> None:
    """A brick of the reserve onto an element of one's own in the Porta Nigra: no VP, but rewards (R26)."""
    s["reserve"] = int(s["reserve"]) - 1
    s["spot_height"][FIXED_SPOTS + place] += 1
    add_to_building(t, s, player, PORTA_NIGRA, 1)
