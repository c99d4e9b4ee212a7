"""Compiled heuristics: every legal action is worth a sum of what it gains, and the most valuable one is chosen.

All of them are one function, `valuation.choose_best`, with other weights.  `GREEDY` counts what an action adds to the
final score, a brick at what it may be expected to bring.  `BUILDER` also values what comes of it later: money, markers
and Romans that are needed to build, spots that are nearly paid.  Its weights were tuned by play, all at once, so that
one alone need not mean what it is called: that of interim scorings to come is negative.  The styles are builders with a
taste.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.policy import Policy
from porta_nigra_env.games.porta_nigra.components.names import MAX_PLAYERS
from porta_nigra_env.games.porta_nigra.players import valuation
from porta_nigra_env.games.porta_nigra.players.valuation import WEIGHTS, choose_best

_NAMES: Final = tuple(name for name, *_ in WEIGHTS)


def weights(column: int, **changed: float) -> Any:
    """A parameter vector: the greedy (0) or the builder's (1) weights, some of them changed; float64 (len(WEIGHTS),).

    Raises:
        KeyError: no weight of that name.
    """
    values = np.array([entry[1 + column] for entry in WEIGHTS], dtype=np.float64)
    for name, value in changed.items():
        if name not in _NAMES:
            raise KeyError(f"there is no weight {name!r}; there are {', '.join(_NAMES)}")
        values[_NAMES.index(name)] = value
    return values


_SOURCES: Final = (Path(valuation.__file__),)
assert MAX_PLAYERS == 4


def policy(name: str, parameters: Any, doc: str = "") -> Policy:
    """A compiled policy with these weights."""
    return Policy(name, choose_best, parameters, sources=_SOURCES, doc=doc)


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
