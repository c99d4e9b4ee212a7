"""What coins, slaves, cards, colours and buildings are worth to a player.

Means are what she builds with: a tuple of bronze, silver, gold and slaves, floats, since some are only expected.
Colours are a tuple of the points that one of a villa's value brings at the end, by colour.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.games.aquileia.components.names import (
    BRONZE,
    FORUM,
    GOLD,
    MAX_COLOURS,
    MAX_PLAYERS,
    PLACE,
    PORTUS,
    SILVER,
    VILLA,
    WEAPON,
    WORKSHOP,
)
from porta_nigra_env.games.aquileia.players.valuation.weights import (
    ACTIVATION,
    AIM,
    CARD_LATER,
    COIN,
    HORSE_STRENGTH,
    PLAN,
    SATED,
    SHORT,
    SLAVE,
    VILLA_LATER,
    VILLAS,
    WEAPON_STRENGTH,
    jit,
)
from porta_nigra_env.games.aquileia.rules.cards import count_slaves
from porta_nigra_env.games.aquileia.rules.scoring import colour_counted, owner_of_drawn, owner_of_open, villas_value
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space

assert MAX_COLOURS == 8


@jit
def rounds_left(t: Any, s: Any) -> int:
    """Rounds after this one."""
    return int(t["rounds"]) - int(s["round"])


@jit
def season(t: Any, s: Any) -> float:
    """What is left of the worth of things that have to be used later: 0 after the last placement."""
    left = rounds_left(t, s)
    if s["phase"] == PLACE:
        left += 1
    return left / (left + 1.0)


@jit
def colour_points(t: Any, s: Any, player: int, colour: int, w: Any) -> float:
    """What one of a villa's value in a colour brings at the end: own cards, and those to come."""
    if colour >= int(t["num_colours"]):
        return 0.0
    cards = w[CARD_LATER] * rounds_left(t, s)
    for past in range(s["past_open"].shape[0]):
        if owner_of_open(s, past) == player and s["past_open"][past] == colour:
            cards += 1.0
        if owner_of_drawn(s, past) == player and s["past_drawn"][past] == colour:
            cards += 1.0
    for card in range(int(t["num_theatre_cards"])):
        if s["theatre_owner"][card] == player and colour_counted(t, s, player, card) == colour:
            cards += 1.0
    return float(w[VILLAS] * cards)


@jit
def all_colours(t: Any, s: Any, player: int, w: Any) -> Any:
    """The same for all colours: the tuple that other functions take."""
    return (
        colour_points(t, s, player, 0, w),
        colour_points(t, s, player, 1, w),
        colour_points(t, s, player, 2, w),
        colour_points(t, s, player, 3, w),
        colour_points(t, s, player, 4, w),
        colour_points(t, s, player, 5, w),
        colour_points(t, s, player, 6, w),
        colour_points(t, s, player, 7, w),
    )


@jit
def villas_in(t: Any, s: Any, player: int, colour: int, w: Any) -> float:
    """What a card of a colour scores: the player's villas, and those to come."""
    return float(w[VILLAS] * (villas_value(t, s, player, colour) + w[VILLA_LATER] * rounds_left(t, s)))


@jit
def stadium_worth(t: Any, s: Any, player: int, face: int, w: Any) -> float:
    """A stadium card; one that is unknown (-1) is worth the mean of all."""
    if face >= int(t["num_colours"]):
        return float(t["laurel_vp"][face])
    if face >= 0:
        return float(villas_in(t, s, player, face, w))
    worth = 0.0
    cards = 0
    for one in range(int(t["num_stadium_faces"])):
        copies = int(t["stadium_copies"][one])
        worth += copies * (t["laurel_vp"][one] if one >= int(t["num_colours"]) else villas_in(t, s, player, one, w))
        cards += copies
    return float(worth / cards)


@jit
def theatre_worth(t: Any, s: Any, player: int, card: int, w: Any) -> float:
    """A theatre card: the better of its colours."""
    first = villas_in(t, s, player, int(t["theatre_colours"][card, 0]), w)
    return float(max(first, villas_in(t, s, player, int(t["theatre_colours"][card, 1]), w)))


@jit
def equi_worth(t: Any, s: Any, face: int, w: Any) -> float:
    """An equi card in hand."""
    each = w[WEAPON_STRENGTH] if t["equi_group"][face] == WEAPON else w[HORSE_STRENGTH]
    return float(each * t["equi_strength"][face] * season(t, s))


@jit
def building_worth(t: Any, s: Any, building: int, colours: Any, w: Any) -> float:
    """A house on a building for the rest of the game, without its price and without what its space scores at once."""
    if t["building_kind"][building] == VILLA:
        return float(t["building_value"][building] * colours[int(t["building_colour"][building])])
    left = w[ACTIVATION] * rounds_left(t, s)
    if int(s["standing"][int(s["current_player"])]) & int(t["area_spaces"][PORTUS]) != 0:
        left += 1.0
    if t["building_kind"][building] == WORKSHOP:
        return float(left * t["building_vp"][building])
    coins = 0
    for kind in range(NUM_KINDS):
        coins += int(t["building_pays"][building, kind])
    return float(left * coins * w[COIN] * season(t, s))


@jit
def missing(t: Any, building: int, means: Any) -> float:
    """Coins and slaves that a building costs beyond the means."""
    lacking = max(0.0, t["building_slaves"][building] - means[3])
    for kind in range(NUM_KINDS):
        lacking += max(0.0, t["building_cost"][building, kind] - means[kind])
    return float(lacking)


@jit
def taken(s: Any) -> int:
    """Bits of the buildings with a house."""
    found = 0
    for seat in range(MAX_PLAYERS):
        found |= int(s["buildings"][seat])
    return found


@jit
def scores_at_once(t: Any, s: Any, player: int) -> int:
    """Where the player's followers will still build: 0 nowhere, 1 somewhere, 2 where the value is scored at once."""
    found = 0
    # While one of them builds, his own question is no plan any more.
    acting = acting_space(s) if s["builds_left"] > 0 else -1
    for space in range(int(t["area_start"][FORUM]), int(t["area_start"][FORUM + 1])):
        if (int(s["standing"][player]) >> space) & 1 and (space != acting or s["builds_left"] > 1):
            found = max(found, 2 if t["space_value"][space] > 0 else 1)
    return found


@jit
def best_building(t: Any, s: Any, means: Any, free: int, at_once: float, colours: Any, w: Any) -> int:
    """The free building (bits) that is worth most of what is nearly paid; -1 if none is worth anything."""
    best = -1
    highest = 0.0
    left = np.uint64(free)
    while left != np.uint64(0):
        building = bits.lowest(left)
        left &= left - np.uint64(1)
        worth = reached(t, s, building, means, at_once, colours, w)
        if worth > highest:
            best = building
            highest = worth
    return best


@jit
def reached(t: Any, s: Any, building: int, means: Any, at_once: float, colours: Any, w: Any) -> float:
    """What a building is worth, less for each thing that is missing."""
    worth = building_worth(t, s, building, colours, w) + at_once * t["building_value"][building]
    return float(worth * max(w[SHORT], 0.0) ** missing(t, building, means))


@jit
def stock_worth(t: Any, s: Any, means: Any, w: Any) -> float:
    """Coins and slaves for themselves: the more there are, the cheaper."""
    sated = max(w[SATED], 0.0)
    worth = w[SLAVE] * means[3] / (1.0 + sated * means[3])
    for kind in range(NUM_KINDS):
        worth += w[COIN] * means[kind] / (1.0 + sated * means[kind])
    return float(worth * season(t, s))


@jit
def means_worth(t: Any, s: Any, player: int, means: Any, built: int, colours: Any, w: Any) -> float:
    """Coins and slaves for themselves, and for the best building that they bring near, `built` (bits) left out."""
    worth = stock_worth(t, s, means, w)
    if w[PLAN] == 0.0 and w[AIM] == 0.0:
        return float(worth)
    where = scores_at_once(t, s, player)
    factor = w[PLAN] if where > 0 else w[AIM] * season(t, s)
    at_once = 1.0 if where == 2 else 0.0
    free = ((1 << int(t["num_buildings"])) - 1) & ~(taken(s) | built)
    best = best_building(t, s, means, free, at_once, colours, w)
    if best >= 0:
        worth += factor * reached(t, s, best, means, at_once, colours, w)
    return float(worth)


@jit
def own_means(s: Any, player: int) -> Any:
    """What a player has."""
    coins = s["coins"][player]
    return (float(coins[BRONZE]), float(coins[SILVER]), float(coins[GOLD]), float(count_slaves(s, player)))


@jit
def with_more(means: Any, kind: int, number: float) -> Any:
    """More (less) of a kind of coin, or of slaves (3)."""
    return (
        means[0] + (number if kind == 0 else 0.0),
        means[1] + (number if kind == 1 else 0.0),
        means[2] + (number if kind == 2 else 0.0),
        means[3] + (number if kind == 3 else 0.0),
    )
