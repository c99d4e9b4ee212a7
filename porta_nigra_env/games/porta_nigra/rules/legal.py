"""Which actions are legal, as a bit set: whole groups of actions are decided by a few bit operations.

The tables hold, for each colour and number of bricks at hand, the set of spots those bricks suffice for.  The buildable
spots of a player are then the union over colours, without the occupied ones and those too far for her purse.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.actions import (
    APPOINT,
    BUILD,
    BUILD_PORTA_NIGRA,
    BUY,
    CARD,
    COIN,
    CROWN,
    END,
    HONOUR,
    INFLUENCE_BUILD,
    INFLUENCE_BUILD_PORTA_NIGRA,
    PLACE,
    ROMAN,
    TAKE,
    UNITS,
)
from porta_nigra_env.games.porta_nigra.components.names import (
    APPOINT_PHASE,
    BUILD_ICON,
    BUILDINGS,
    BUY_ANY,
    CHOOSE_CARD,
    COLOURS,
    CROWN_PHASE,
    FIXED_SPOTS,
    HIGHEST_HEIGHT,
    ICONS,
    INFLUENCE_ICON,
    MAIN,
    NUM_ACTION_CARDS,
    NUM_HEIGHTS,
    PLACE_BUILDER,
    PORTA_NIGRA,
    PORTA_NIGRA_SPOTS,
    SPLIT_TENS,
    SPLIT_UNITS,
    TAKE_ICONS,
    WHITE,
)
from porta_nigra_env.games.porta_nigra.rules.building import crown_targets
from porta_nigra_env.games.porta_nigra.rules.cards import can_pay_torch
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.honours import can_buy_honour
from porta_nigra_env.games.porta_nigra.rules.turn import split_total

NUM_COLOURS, NUM_BUILDINGS, NUM_ICONS, NUM_TAKES = len(COLOURS), len(BUILDINGS), len(ICONS), len(TAKE_ICONS)
PAIRS = NUM_HEIGHTS * PORTA_NIGRA_SPOTS
#: Times this, the bits of the Porta Nigra's spots are repeated for every height.
EVERY_HEIGHT = sum(1 << (PORTA_NIGRA_SPOTS * height) for height in range(NUM_HEIGHTS))
ALL_PORTA_NIGRA_SPOTS = (1 << PORTA_NIGRA_SPOTS) - 1


@jit
def bricks_at_hand(state: State, player: int, colour: int) -> int:
    """Bricks that can serve as `colour`, white ones included, capped at the highest element (R18, R19)."""
    bricks = int(state["bricks"][player, colour])
    if colour != WHITE:
        bricks += int(state["bricks"][player, WHITE])
    return min(bricks, HIGHEST_HEIGHT)


@jit
def buildable_fixed(constants: Constants, state: State, player: int) -> int:
    """Bits of the empty fixed spots the player has bricks and way for (R16, R18); Romans are not looked at."""
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
    """Bits of (height, spot) pairs in the Porta Nigra, as `buildable_fixed` (R20)."""
    if constants["way_to_building"][int(state["quarter"][player]), PORTA_NIGRA] > state["sesterces"][player]:
        return 0
    suited = 0
    for colour in range(NUM_COLOURS):
        suited |= int(constants["porta_nigra_within"][colour, bricks_at_hand(state, player, colour)])
    taken = (int(state["occupied"]) >> FIXED_SPOTS) & ALL_PORTA_NIGRA_SPOTS
    return suited & ~(taken * EVERY_HEIGHT)


@jit
def legal_buys(constants: Constants, state: State, player: int, words: Any) -> None:
    """Purchases by icon (R16, R17): every icon buys its colour, and any colour when it is grey or its shop is empty."""
    quarter = int(state["quarter"][player])
    affordable = 0
    for colour in range(NUM_COLOURS):
        price = int(constants["brick_price"][colour]) + int(constants["way_to_shop"][quarter, colour])
        if state["market"][colour] > 0 and price <= state["sesterces"][player]:
            affordable |= 1 << colour
    for icon in range(BUY_ANY + 1):
        if state["icons_left"][icon] > 0:
            colours = affordable
            if icon != BUY_ANY and state["market"][icon] > 0:
                colours &= 1 << icon
            bits.put(words, BUY + NUM_COLOURS * icon, colours, NUM_COLOURS)


@jit
def legal_main(constants: Constants, state: State, player: int, words: Any) -> None:
    """The decisions within a turn after the card is played (R11-R24)."""
    bits.add(words, END)
    influence = int(state["influence"][player])
    torch = can_pay_torch(state, player)
    if torch:
        bits.add(words, COIN)
        legal_buys(constants, state, player, words)
        for icon in range(INFLUENCE_ICON, NUM_ICONS):
            if state["icons_left"][icon] > 0:
                bits.add(words, TAKE + icon - INFLUENCE_ICON)

    by_icon = torch and state["icons_left"][BUILD_ICON] > 0
    by_influence = influence >= int(constants["influence_cost_build"])
    if state["romans"][player] > 0 and (by_icon or by_influence):
        fixed = buildable_fixed(constants, state, player)
        pairs = buildable_porta_nigra(constants, state, player)
        if by_icon:
            bits.put(words, BUILD, fixed, FIXED_SPOTS)
            bits.put(words, BUILD_PORTA_NIGRA, pairs, PAIRS)
        if by_influence:
            bits.put(words, INFLUENCE_BUILD, fixed, FIXED_SPOTS)
            bits.put(words, INFLUENCE_BUILD_PORTA_NIGRA, pairs, PAIRS)

    if influence >= int(constants["influence_cost_roman"]) and state["romans_reserve"][player] > 0:
        bits.add(words, ROMAN)
    if influence > 0 and state["honour_bought"] == 0:
        for place in range(int(state["num_honour_display"])):
            kind = int(state["honour_cards"][place])
            if can_buy_honour(constants, state, player, kind):
                bits.add(words, HONOUR + kind)


@jit
def legal_record(constants: Constants, state: State, words: Any) -> None:
    """The set of legal actions; empty when the game is over."""
    for i in range(words.shape[0]):
        words[i] = np.uint64(0)
    phase = int(state["phase"])
    player = int(state["current_player"])
    if phase == MAIN:
        legal_main(constants, state, player, words)
    elif phase == CHOOSE_CARD:
        bits.put(words, CARD, int(state["hand"][player]), NUM_ACTION_CARDS)
    elif phase == PLACE_BUILDER:
        bits.put(words, PLACE, (1 << NUM_BUILDINGS) - 1, NUM_BUILDINGS)
    elif phase == CROWN_PHASE:
        bits.put(words, CROWN, crown_targets(constants, state, player), PORTA_NIGRA_SPOTS)
    elif phase == SPLIT_TENS:
        choices = split_total(constants, state, player) // 10 + 1
        bits.put(words, int(constants["tens_start"]), (1 << choices) - 1, choices)
    elif phase == SPLIT_UNITS:
        choices = min(10, split_total(constants, state, player) - 10 * int(state["split_tens"]) + 1)
        bits.put(words, UNITS, (1 << choices) - 1, choices)
    elif phase == APPOINT_PHASE:
        bits.put(words, APPOINT, (1 << int(state["num_players"])) - 1, int(state["num_players"]))
