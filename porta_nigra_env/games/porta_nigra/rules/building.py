"""Building elements, their rewards, the crowning brick, and Romans for influence (R18-R23, R26).

The constants hold, for each colour and number of bricks at hand, the bit set of spots those bricks suffice for.  The
spots a player can build on are the union over colours, without occupied spots and spots the player cannot pay the way
to.
"""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.piles import take_open
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.porta_nigra.actions import ID
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILD_ICON,
    BUILDINGS,
    COLOURS,
    FIXED_SPOTS,
    HIGHEST_HEIGHT,
    LOWEST_HEIGHT,
    NUM_HEIGHTS,
    PORTA_NIGRA,
    PORTA_NIGRA_SPOTS,
    WHITE,
)
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.market import gain

NUM_BUILDINGS, NUM_COLOURS = len(BUILDINGS), len(COLOURS)
PAIRS = NUM_HEIGHTS * PORTA_NIGRA_SPOTS
#: A product with this repeats the bits of the Porta Nigra's spots for every height.
EVERY_HEIGHT = sum(1 << (PORTA_NIGRA_SPOTS * height) for height in range(NUM_HEIGHTS))
ALL_PORTA_NIGRA_SPOTS = (1 << PORTA_NIGRA_SPOTS) - 1

# `build_on` needs the two build fields of each kind side by side.
assert ID.build_porta_nigra == ID.build + FIXED_SPOTS
assert ID.influence_build_porta_nigra == ID.influence_build + FIXED_SPOTS


@jit
def bricks_at_hand(state: State, player: int, colour: int) -> int:
    """Return the bricks that can serve as `colour`, white ones included, capped at the highest element (R18, R19)."""
    bricks = int(state["bricks"][player, colour])
    if colour != WHITE:
        bricks += int(state["bricks"][player, WHITE])
    return min(bricks, HIGHEST_HEIGHT)


@jit
def buildable_fixed(constants: Constants, state: State, player: int) -> int:
    """Return bits of the empty fixed spots the player has bricks and way for (R16, R18); Romans are not checked."""
    suited = 0
    for colour in range(NUM_COLOURS):
        suited |= int(constants["fixed_spots_within"][colour, bricks_at_hand(state, player, colour)])
    quarter = int(state["quarter"][player])
    reachable = 0
    for building in range(NUM_BUILDINGS):
        if constants["way_to_building"][quarter, building] <= state["sesterces"][player]:
            reachable |= int(constants["fixed_spots_of"][building])
    return suited & reachable & ~int(state["occupied"])


@jit
def buildable_porta_nigra(constants: Constants, state: State, player: int) -> int:
    """Return bits of (height, spot) pairs in the Porta Nigra, like `buildable_fixed` (R20)."""
    if constants["way_to_building"][int(state["quarter"][player]), PORTA_NIGRA] > state["sesterces"][player]:
        return 0
    suited = 0
    for colour in range(NUM_COLOURS):
        suited |= int(constants["porta_nigra_within"][colour, bricks_at_hand(state, player, colour)])
    taken = (int(state["occupied"]) >> FIXED_SPOTS) & ALL_PORTA_NIGRA_SPOTS
    return suited & ~(taken * EVERY_HEIGHT)


@jit
def legal_builds(constants: Constants, state: State, player: int, torch: bool, words: Words) -> None:
    """Add builds with the icon and by influence (R18, R23); torch: whether the player can pay for an icon."""
    by_icon = torch and state["icons_left"][BUILD_ICON] > 0
    by_influence = state["influence"][player] >= constants["influence_cost_build"]
    if state["romans"][player] > 0 and (by_icon or by_influence):
        fixed = buildable_fixed(constants, state, player)
        pairs = buildable_porta_nigra(constants, state, player)
        if by_icon:
            bits.put(words, ID.build, fixed, FIXED_SPOTS)
            bits.put(words, ID.build_porta_nigra, pairs, PAIRS)
        if by_influence:
            bits.put(words, ID.influence_build, fixed, FIXED_SPOTS)
            bits.put(words, ID.influence_build_porta_nigra, pairs, PAIRS)


@jit
def add_to_building(constants: Constants, state: State, player: int, building: int, bricks: int) -> None:
    """Count new bricks in a building and pay one reward for each new multiple reached (R21)."""
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
def build_on(constants: Constants, state: State, player: int, choice: int) -> None:
    """Build on a fixed spot (choice below FIXED_SPOTS) or in the Porta Nigra (pairs, height by height)."""
    if choice < FIXED_SPOTS:
        build(constants, state, player, choice, int(constants["spot_bricks"][choice]))
    else:
        pair = choice - FIXED_SPOTS
        spot = FIXED_SPOTS + pair % PORTA_NIGRA_SPOTS
        build(constants, state, player, spot, LOWEST_HEIGHT + pair // PORTA_NIGRA_SPOTS)


@jit
def crown_targets(constants: Constants, state: State, player: int) -> int:
    """Return the player's Porta Nigra elements that may grow, as bits of its spots; 0 with an empty reserve (R26)."""
    targets = 0
    if state["reserve"] > 0:
        for index in range(PORTA_NIGRA_SPOTS):
            spot = FIXED_SPOTS + index
            if state["spot_owner"][spot] == player and state["spot_height"][spot] < constants["porta_nigra_max_height"]:
                targets |= 1 << index
    return targets


@jit
def legal_crowns(constants: Constants, state: State, player: int, words: Words) -> None:
    """Add the elements that may be crowned."""
    bits.put(words, ID.crown, crown_targets(constants, state, player), PORTA_NIGRA_SPOTS)


@jit
def crown(constants: Constants, state: State, player: int, index: int) -> None:
    """Put a brick of the reserve onto one of the player's Porta Nigra elements: no VP, but rewards (R26)."""
    state["reserve"] = int(state["reserve"]) - 1
    state["spot_height"][FIXED_SPOTS + index] += 1
    add_to_building(constants, state, player, PORTA_NIGRA, 1)


@jit
def legal_roman(constants: Constants, state: State, player: int, words: Words) -> None:
    """Add a Roman for influence (R23)."""
    if state["influence"][player] >= constants["influence_cost_roman"] and state["romans_reserve"][player] > 0:
        bits.add(words, ID.roman)


@jit
def recruit_roman(constants: Constants, state: State, player: int) -> None:
    """Pay influence for a Roman of the reserve (R23)."""
    state["influence"][player] -= constants["influence_cost_roman"]
    state["romans"][player] += 1
    state["romans_reserve"][player] -= 1
