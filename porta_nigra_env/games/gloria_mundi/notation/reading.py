"""A position dict as a state record; an impossible position is refused with the field and the rule it breaks.

What is checked are invariants of a position, not whether play can reach it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.notation.decision_laws import DECISION_LAWS
from porta_nigra_env.games.gloria_mundi.notation.fields import Reading
from porta_nigra_env.games.gloria_mundi.notation.laws import LAWS


def from_dict(components: Components, position: object, seed: int = 0) -> npt.NDArray[np.void]:
    """The (1,) state array of a position; `position` is not changed.

    Args:
        components: the set the position is played with; its name and digest are checked against the position's.
        position: a mapping of the format gloria_mundi/1.
        seed: fixes the future where `rng` is null or absent.

    Raises:
        PositionError: names the field and what is wrong with it.
    """
    reading = Reading(components, position, seed)
    for law in (*LAWS, *DECISION_LAWS):
        law(reading)
    return reading.states
