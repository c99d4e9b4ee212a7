"""Random rollouts from a state."""

from __future__ import annotations

import numpy as np
import pytest

from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.play import play_games
from tests.envs.recorded import GAMES, game_of

every_game = pytest.mark.parametrize("name", GAMES)


def new_state(name: str, seed: int = 3) -> State:
    game = game_of(name)
    return State(game, game.new_states(seed))


@every_game
def test_a_rollout_ends_the_game_and_keeps_the_state(name: str) -> None:
    state = new_state(name)
    before, mask = state.to_bytes(), state.action_mask()
    ends = [state.rollout(seed) for seed in range(30)]
    assert all(type(end) is State and end.is_over and sum(end.returns()) == pytest.approx(0) for end in ends)
    assert (state.to_bytes(), state.player) == (before, new_state(name).player)
    assert np.array_equal(state.action_mask(), mask)
    assert len({end.to_bytes() for end in ends}) > 2
    assert [end.to_bytes() for end in ends[:3]] == [state.rollout(seed).to_bytes() for seed in range(3)]
    assert ends[0].rollout(1) == ends[0], "a game that is over stays as it is"


@every_game
def test_a_rollout_equals_games_of_random_policies(name: str) -> None:
    state = new_state(name)
    ends = np.zeros(4, dtype=state.game.dtype)
    play_games(state.game, [RANDOM] * state.num_players, range(4), ends=ends, starts=state.states)
    for seed in range(4):
        assert state.rollout(seed).states[0].tobytes() == ends[seed].tobytes()


def test_a_limit_stops_a_rollout() -> None:
    state = new_state("two")
    assert state.rollout(1, limit=1) in [state.clone().apply_id(action) for action in state.legal_ids()]
    assert not state.rollout(1, limit=20).is_over
    assert state.rollout().is_over
    for limit in (0, True, 1.5):
        with pytest.raises(ValueError, match="limit must be a positive integer"):
            state.rollout(1, limit=limit)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="seed"):
        state.rollout("1")  # type: ignore[arg-type]
