"""Raw quantities of observations, uint8, that only this game has."""

from __future__ import annotations

from pathlib import Path

import pytest

from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.components.names import SPLIT_TENS
from porta_nigra_env.games.porta_nigra.game import PortaNigra

OTHER = Path(__file__).parent / "components" / "other.toml"


@pytest.mark.parametrize(("bricks", "shown"), [(0, 0), (85, 255), (86, 255), (120, 255)])
def test_points_to_split_end_at_255(bricks: int, shown: int) -> None:
    """R27: with 3 points for each brick, the total is the one count besides amounts that exceeds a byte."""
    env = BatchEnv(PortaNigra(2, OTHER), 1, observations="uint8")
    env.reset(seed=1)
    env.states["phase"] = SPLIT_TENS
    env.states["built"][0, env.current_player[0], 0] = bricks
    env.refresh()
    assert env.observations[0, env.game.observations["split_total"].start] == shown
