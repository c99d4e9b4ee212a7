"""Compiled heuristics: every legal action gets a value, and the most valuable one is chosen.

All of them are one function, `core.batch.valuation`, with different weights.  `GREEDY` counts the points an action adds
to the final score, with an estimate for bricks.  `BUILDER` also values later use: money, markers and Romans for builds,
spots that are nearly paid.  Its weights were tuned jointly by play, so a single weight need not have its nominal
meaning: that of remaining interim scorings is negative.  The styles are builders with a preference.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.batch.valuation import Valuation
from porta_nigra_env.games.porta_nigra.components.names import MAX_PLAYERS
from porta_nigra_env.games.porta_nigra.players import valuation
from porta_nigra_env.games.porta_nigra.players.valuation import WEIGHTS, action_value, jit

VALUATION: Final = Valuation("porta_nigra", WEIGHTS, action_value, (Path(valuation.__file__),), jit)
weights, policy = VALUATION.weights, VALUATION.policy

GREEDY: Final = policy("greedy", weights(0), "Chooses the action that adds most to the final score at once.")
BUILDER: Final = policy(
    "builder", weights(1), "Plans spots, counts bricks, coins and moves, values rewards, majorities, sets and the end."
)

#: Builders with a preference, as probes of strategies.
STYLES: Final = (
    policy("towers", weights(1, porta_nigra=2.0), "A builder that likes high towers in the Porta Nigra."),
    policy("wall", weights(1, city_wall=6.0, majority=1.5), "A builder that likes the city wall and majorities."),
    policy(
        "honours",
        weights(1, honour=5.0, influence=2.5, final=1.2),
        "A builder that collects influence and buys honour cards.",
    ),
    policy(
        "rush",
        weights(1, haste=6.0, roman=0.5, interim=0.3),
        "A builder that builds at once, cheap elements too, and hurries to the early end.",
    ),
)

#: By name.
POLICIES: Final = {policy.name: policy for policy in (GREEDY, BUILDER, *STYLES)}

#: Files for the standard components, and for all others, by number of players.
_MODELS: Final = Path(__file__).with_name("models")
NETWORKS: Final = dict.fromkeys(range(2, MAX_PLAYERS + 1), _MODELS / "all_players.safetensors")
GENERAL_NETWORKS: Final = dict.fromkeys(range(2, MAX_PLAYERS + 1), _MODELS / "any_components.safetensors")
