"""Compiled heuristics: every legal action is worth a sum of what it gains, and the most valuable one is chosen.

All of them are one function, `core.batch.valuation`, with other weights.  `GREEDY` counts steps, and a little for stones and
what is lost.  `QUAESTOR` also plans: what cards will do in the turns to come, what the others gain, when the Goth had
better come.  The styles are quaestors with a taste.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.batch.valuation import Valuation
from porta_nigra_env.games.gloria_mundi.players import valuation
from porta_nigra_env.games.gloria_mundi.players.valuation.cards import turns_to_come
from porta_nigra_env.games.gloria_mundi.players.valuation.choice import action_worth
from porta_nigra_env.games.gloria_mundi.players.valuation.weights import WEIGHTS, jit

VALUATION: Final = Valuation(
    "gloria_mundi", WEIGHTS, action_worth, (Path(valuation.__file__).parent,), jit, prepare=turns_to_come
)
weights, policy = VALUATION.weights, VALUATION.policy

GREEDY: Final = policy("greedy", weights(0), "Chooses what brings most steps and stones at once.")
QUAESTOR: Final = policy(
    "quaestor", weights(1), "Values what cards will do in turns to come, what others gain, and where the Goth stands."
)

#: Quaestors with a taste, as probes of strategies: what they like more than he does.
STYLES: Final = (
    policy(
        "raider",
        weights(1, delay=-10.0, crowd=0.0),
        "A quaestor that lets the Goth march unless that costs him dearly.",
    ),
    policy(
        "payer",
        weights(1, delay=5.0),
        "A quaestor that pays tribute while there is something to pay with and it helps no leader.",
    ),
    policy(
        "runner",
        weights(1, delay=5.0, rival=0.0, laurel=1.5),
        "A quaestor that runs for Africa: steps first, tribute to win time, no thought for what others gain.",
    ),
)
