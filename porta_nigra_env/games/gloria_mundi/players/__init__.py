"""Compiled heuristics: they value every legal action as a weighted sum and choose the largest value.

All share `core.batch.valuation` and differ in the weights.  `GREEDY` counts steps, and stones and losses a little.
`QUAESTOR` also values the future use of cards, the gains of others and the timing of the Goth.  The styles are
quaestors with single weights changed, as probes of strategies.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.batch.valuation import Valuation
from porta_nigra_env.games.gloria_mundi.players import valuation
from porta_nigra_env.games.gloria_mundi.players.valuation import WEIGHTS, action_worth, jit, turns_to_come

VALUATION: Final = Valuation(
    "gloria_mundi", WEIGHTS, action_worth, (Path(valuation.__file__),), jit, prepare=turns_to_come
)
weights, policy = VALUATION.weights, VALUATION.policy

GREEDY: Final = policy("greedy", weights(0), "Maximizes the steps and stones gained at once.")
QUAESTOR: Final = policy(
    "quaestor", weights(1), "Values the future use of cards, the gains of others, and the position of the Goth."
)

STYLES: Final = (
    policy(
        "raider",
        weights(1, delay=-10.0, crowd=0.0),
        "A quaestor that lets the Goth march unless its own losses are large.",
    ),
    policy("payer", weights(1, delay=5.0), "A quaestor that pays tribute while it can and no leader profits."),
    policy(
        "runner",
        weights(1, delay=5.0, rival=0.0, laurel=1.5),
        "A quaestor that runs for Africa: steps first, tribute to win time; ignores the gains of others.",
    ),
)

#: By name.
POLICIES: Final = {policy.name: policy for policy in (GREEDY, QUAESTOR, *STYLES)}

#: Files for the standard components, and for all others, by number of players.
_MODELS: Final = Path(__file__).with_name("models")
NETWORKS: Final = dict.fromkeys(range(2, 7), _MODELS / "two_to_six_players.safetensors")
GENERAL_NETWORKS: Final = dict.fromkeys(range(2, 7), _MODELS / "two_to_six_any_components.safetensors")
