"""Observations multiply by reciprocals: the same float32 as the documented division, for every possible amount."""

from __future__ import annotations

import numpy as np

from porta_nigra_env.games.porta_nigra.observation import observation_layout
from porta_nigra_env.games.porta_nigra.state import LARGEST_AMOUNT


def test_multiplying_equals_dividing() -> None:
    amounts = np.arange(LARGEST_AMOUNT + 1)
    for field in observation_layout(5):
        scale = field.spec.scale
        divided = (amounts / scale).astype(np.float32)
        multiplied = (amounts * (1.0 / scale)).astype(np.float32)
        assert np.array_equal(divided, multiplied), field.name
