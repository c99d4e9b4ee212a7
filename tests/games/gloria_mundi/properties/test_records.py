"""Records keep nothing of the decision that ended the game, and count points and rounds."""

from __future__ import annotations

import numpy as np

from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.text.cases import build, in_phase


def test_an_end_in_africa_leaves_nothing_pending() -> None:
    """G21, G40: the record is that of the position, also with cards left."""
    position = in_phase("exclusive")
    build(position, 2, "concordia", "peace")
    position["phase"], position["activation"]["left"] = "activate", ["legatio", "concordia"]
    position["players"][2]["steps"] = 38
    state = State.from_dict(position).apply("use legatio")
    assert state.to_dict()["end"] == "africa"
    assert State.from_dict(state.to_dict()) == state


def test_points_are_steps_and_rounds_are_turns() -> None:
    """Both are public before the end."""
    state, points = State.from_dict(in_phase("buy")), np.zeros(3, dtype=np.int32)
    kernel = state.game.kernel
    kernel.points(state.game.constants, state.states, 0, points)
    assert points.tolist() == [1, 2, 3]
    assert kernel.rounds(state.game.constants, state.states, 0) == 9
    assert (kernel.has_points, kernel.has_rounds) == (True, True)
