"""Records keep nothing of an earlier game or of the decision that ended the game."""

from __future__ import annotations

import numpy as np
import pytest

from porta_nigra_env.games.gloria_mundi.components.names import PHASES
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi, State
from tests.games.gloria_mundi.text.cases import build, in_phase


@pytest.mark.parametrize("phase", PHASES)
def test_a_new_game_over_an_old_one_is_a_new_game(phase: str) -> None:
    """The old game is in any phase, with a card in the fire."""
    position = in_phase(phase)
    position["forum"]["4"], position["fire"] = None, [position["forum"]["4"]]
    states, game = State.from_dict(position).states.copy(), GloriaMundi(3)
    game.kernel.reset(game.constants, states, 0, 5, 3)
    assert states.tobytes() == game.new_states(5).tobytes()


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


@pytest.mark.parametrize("phase", PHASES)
def test_a_redacted_record_has_no_randomness(phase: str) -> None:
    """G44: redacting twice changes nothing."""
    states, game = State.from_dict(in_phase(phase)).states.copy(), GloriaMundi(3)
    game.kernel.redact(game.constants, states, 0, 0)
    assert not states["key"].any()
    assert not states["counters"].any()
    once = states.tobytes()
    game.kernel.redact(game.constants, states, 0, 2)
    assert states.tobytes() == once
