"""The positions that verbs are measured on are of all kinds."""

from __future__ import annotations

import numpy as np

from benchmarks.kernel import part_of, positions
from porta_nigra_env.games.porta_nigra.game import PortaNigra


def test_the_positions_are_of_all_kinds() -> None:
    states = positions(PortaNigra(2))
    assert len(set(states["phase"].tolist())) >= 5
    assert len(np.unique(states["round"])) >= 2


def test_the_game_has_a_twin_and_policies_of_its_own() -> None:
    twin, policies = part_of(PortaNigra(2), "twin"), part_of(PortaNigra(2), "policies")
    assert twin is not None
    assert policies is not None
    assert len({policy.name for policy in policies.POLICIES}) == len(policies.POLICIES) > 1
