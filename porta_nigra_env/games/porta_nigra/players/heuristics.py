"""Compiled heuristics: every legal action is worth a sum of what it gains, and the most valuable one is chosen.

All of them are one function, `core.batch.valuation`, with other weights.  `GREEDY` counts what an action adds to the
final score, a brick at what it may be expected to bring.  `BUILDER` also values what comes of it later: money, markers
and Romans that are needed to build, spots that are nearly paid.  Its weights were tuned by play, all at once, so that
one alone need not mean what it is called: that of interim scorings to come is negative.  The styles are builders with a
taste.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.batch.valuation import Valuation
from porta_nigra_env.games.porta_nigra.players import valuation
from porta_nigra_env.games.porta_nigra.players.valuation import WEIGHTS, action_value, jit

VALUATION: Final = Valuation("porta_nigra", WEIGHTS, action_value, (Path(valuation.__file__),), jit)
weights, policy = VALUATION.weights, VALUATION.policy

GREEDY: Final = policy("greedy", weights(0), "Chooses what adds most to the final score at once.")
BUILDER: Final = policy(
    "builder", weights(1), "Plans spots, counts bricks, coins and moves, values rewards, majorities, sets and the end."
)

#: Builders with a taste, as probes of strategies: what they like more than the builder does.
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
