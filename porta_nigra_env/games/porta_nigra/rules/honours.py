"""Honour cards (R24-R26)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.arrays.piles import take_open
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS
from porta_nigra_env.games.porta_nigra.rules.building import crown_targets
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.market import gain

NUM_BUILDINGS = len(BUILDINGS)


@jit
def can_buy_honour(t: Any, s: Any, player: int, kind: int) -> bool:
    """Whether the player can pay the whole cost (R24, R25); the card itself lies in the display."""
    if s["influence"][player] < t["honour_cost"][kind]:
        return False
    if t["honour_discard_buildings"][kind] != 0:
        for building in range(NUM_BUILDINGS):
            if s["buildings_owned"][player, building] == 0:
                return False
    discarded = int(t["honour_discard_final"][kind])
    return discarded < 0 or bool(s["finals_owned"][player, discarded] > 0)


@jit
def buy_honour(t: Any, s: Any, player: int, kind: int) -> bool:
    """Pay, take the card, carry out its effects as far as possible; True when a crown has to be placed now."""
    s["influence"][player] -= t["honour_cost"][kind]
    if t["honour_discard_buildings"][kind] != 0:
        for building in range(NUM_BUILDINGS):
            s["buildings_owned"][player, building] -= 1
    discarded = int(t["honour_discard_final"][kind])
    if discarded >= 0:
        s["finals_owned"][player, discarded] -= 1
    displayed = int(s["num_honour_display"])
    take_open(s["honour_cards"], displayed, kind)
    s["num_honour_display"] = displayed - 1
    s["honour_bought"] = 1

    gain(s, player, t["honour_gains"][kind])
    if t["honour_final"][kind] >= 0:
        s["finals_owned"][player, int(t["honour_final"][kind])] += 1
    if t["honour_substitute"][kind] >= 0:
        s["buildings_owned"][player, int(t["honour_substitute"][kind])] += 1
    return bool(t["honour_crown"][kind] != 0 and crown_targets(t, s, player) != 0)
