"""Compiled heuristics: an action's worth is a sum of its gains, and the best action is chosen.

All of them are `core.batch.valuation` with different weights. `GREEDY` counts the gain in the final score, and a little
for coins and cards. `PATRICIAN` also plans buildings, future cards and villas, and considers rivals. Its weights were
tuned jointly by play, so a single weight need not match its name: a rival who may join makes a contest dearer, for
instance. The styles are variants of the patrician.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.batch.valuation import Valuation
from porta_nigra_env.games.aquileia.players.estimates import VALUATION_SOURCES, WEIGHTS, all_colours, jit
from porta_nigra_env.games.aquileia.players.valuation import action_worth

VALUATION: Final = Valuation("aquileia", WEIGHTS, action_worth, VALUATION_SOURCES, jit, prepare=all_colours)
weights, policy = VALUATION.weights, VALUATION.policy

GREEDY: Final = policy("greedy", weights(0), "Chooses what adds most to the final score at once.")
PATRICIAN: Final = policy(
    "patrician", weights(1), "Plans buildings, saves for them, weighs fights, races, bids and cards to come."
)

#: Variants of the patrician with higher weights for one strategy.
STYLES: Final = (
    policy("fighter", weights(1, fight=1.3, weapon=3.0), "A patrician that likes weapons and the fight."),
    policy("racer", weights(1, race=1.8, horse=1.5), "A patrician that likes horses and the race."),
    policy("villas", weights(1, villa=1.2, forum=1.4), "A patrician that likes villas and cards of their colours."),
)

#: By name.
POLICIES: Final = {policy.name: policy for policy in (GREEDY, PATRICIAN, *STYLES)}

#: Files for the standard components, and for all others, by number of players.
_MODELS: Final = Path(__file__).with_name("models")
NETWORKS: Final = dict.fromkeys((3, 4, 5), _MODELS / "three_to_five_players.safetensors")
GENERAL_NETWORKS: Final = dict.fromkeys((3, 4, 5), _MODELS / "three_to_five_any_components.safetensors")
