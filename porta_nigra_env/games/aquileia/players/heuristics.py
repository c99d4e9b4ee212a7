"""Compiled heuristics: every legal action is worth a sum of what it gains, and the most valuable one is chosen.

All of them are one function, `valuation.choice.choose_best`, with other weights.  `GREEDY` counts what an action adds
to the final score, and a little for coins and cards.  `PATRICIAN` also plans: what she will build, what she lacks for
it, cards and villas to come, who else fights and races.  Her weights were tuned by play, all at once, so that
one alone need not mean what it is called: each rival who may still join a contest makes it dearer to her, not cheaper.
The styles are patricians with a taste.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.policy import Policy
from porta_nigra_env.games.aquileia.players import valuation
from porta_nigra_env.games.aquileia.players.valuation.choice import choose_best
from porta_nigra_env.games.aquileia.players.valuation.weights import WEIGHTS

_NAMES: Final = tuple(name for name, *_ in WEIGHTS)


def weights(column: int, **changed: float) -> Any:
    """A parameter vector: the greedy (0) or the patrician's (1) weights, some changed; float64 (len(WEIGHTS),).

    Raises:
        KeyError: no weight of that name.
    """
    values = np.array([entry[1 + column] for entry in WEIGHTS], dtype=np.float64)
    for name, value in changed.items():
        if name not in _NAMES:
            raise KeyError(f"there is no weight {name!r}; there are {', '.join(_NAMES)}")
        values[_NAMES.index(name)] = value
    return values


_SOURCES: Final = (Path(valuation.__file__).parent,)


def policy(name: str, parameters: Any, doc: str = "") -> Policy:
    """A compiled policy with these weights."""
    return Policy(name, choose_best, parameters, sources=_SOURCES, doc=doc)


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
