"""What the programs have to know of Aquileia's players, who stand in its room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.policy import Policy
from porta_nigra_env.games.aquileia.players.heuristics import GREEDY, PATRICIAN, policy, weights
from porta_nigra_env.games.aquileia.players.valuation.weights import WEIGHTS

#: Agents that others are measured against, the strongest one last.
RIVALS: Final = (GREEDY.name, PATRICIAN.name)


def tunable() -> tuple[tuple[str, ...], npt.NDArray[np.float64], Callable[[str, npt.NDArray[np.float64]], Policy]]:
    """What can be tuned by play: the weights' names, their values (k,), and the policy of a name and other values."""
    return tuple(name for name, *_ in WEIGHTS), weights(1), policy
