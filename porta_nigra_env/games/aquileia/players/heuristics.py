"""Compiled heuristics: every legal action is worth a sum of what it gains, and the most valuable one is chosen.

All of them are one function, `core.batch.valuation`, with other weights.  `GREEDY` counts what an action adds
to the final score, and a little for coins and cards.  `PATRICIAN` also plans: what she will build, what she lacks for
it, cards and villas to come, who else fights and races.  Her weights were tuned by play, all at once, so that
one alone need not mean what it is called: each rival who may still join a contest makes it dearer to her, not cheaper.
The styles are patricians with a taste.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.batch.valuation import Valuation
from porta_nigra_env.games.aquileia.players import valuation
from porta_nigra_env.games.aquileia.players.valuation.choice import action_worth
from porta_nigra_env.games.aquileia.players.valuation.means import all_colours
from porta_nigra_env.games.aquileia.players.valuation.weights import WEIGHTS, jit

VALUATION: Final = Valuation(
    "aquileia", WEIGHTS, action_worth, (Path(valuation.__file__).parent,), jit, prepare=all_colours
)
weights, policy = VALUATION.weights, VALUATION.policy

GREEDY: Final = policy("greedy", weights(0), "Chooses what adds most to the final score at once.")
PATRICIAN: Final = policy(
    "patrician", weights(1), "Plans buildings, saves for them, weighs fights, races, bids and cards to come."
)

#: Patricians with a taste, as probes of strategies: what they like more than she does.
STYLES: Final = (
    policy("fighter", weights(1, fight=1.3, weapon=3.0), "A patrician that likes weapons and the fight."),
    policy("racer", weights(1, race=1.8, horse=1.5), "A patrician that likes horses and the race."),
    policy("villas", weights(1, villa=1.2, forum=1.4), "A patrician that likes villas and cards of their colours."),
)
