"""States made from arrays and bytes, and random rollouts."""

from __future__ import annotations

import numpy as np
import pytest

from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import GAMES as REAL_GAMES
from porta_nigra_env.games import make_game, state_class
from tests.envs.recorded import GAMES, game_of

every_game = pytest.mark.parametrize("name", GAMES)


def new_state(name: str, seed: int = 3) -> State:
    game = game_of(name)
    return State(game, game.new_states(seed))


# ------------------------------------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize("name", [*REAL_GAMES, "kuhn"])
def test_redacted_and_read_only_states_are_refused(name: str) -> None:
    game = game_of(name) if name == "kuhn" else make_game(name)
    state = State(game, game.new_states(5))
    view = state.view()
    before = view.state.tobytes()
    for action in range(3):
        with pytest.raises(ValueError, match="states: the array is read-only; give a copy"):
            State(game, view.state)
        with pytest.raises(ValueError, match="states: a redacted state has no hidden cards"):
            State(game, view.state.copy()).apply_id(action)
    assert view.state.tobytes() == before
    with pytest.raises(ValueError, match="positions: a redacted state has no hidden cards"):
        BatchEnv(game, 2).load(view.state)
    data = state.states.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        State(game, np.frombuffer(data, dtype=game.dtype))
    assert State(game, view.sample(7)).player == state.player


@pytest.mark.parametrize("name", REAL_GAMES)
def test_broken_bytes_are_refused_with_the_field(name: str) -> None:
    """Every field with one number in all of its entries, possible or not."""
    kind = state_class(name)
    state = kind.new(seed=5)
    for _ in range(15):
        state.apply_id(state.legal_ids()[-1])
    data = state.to_bytes()
    head, dtype = data[: -state.game.dtype.itemsize], state.game.dtype
    assert kind.from_bytes(data) == state
    for field in set(dtype.names or ()) - {"key", "counters"}:
        for number in (-77, *range(24), 77):
            record = state.states.copy()
            record[field] = number
            try:
                read = kind.from_bytes(head + record.tobytes())
            except ValueError as error:
                assert str(error).startswith("the bytes hold no possible position: ")
                assert str(error).split(": ")[1] not in ("", "several fields")
            else:
                assert read.to_bytes() == head + record.tobytes()


# ----------------------------------------------------------------------------------------------------------- rollouts


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
    wanted = np.zeros(30, dtype=state.game.dtype)
    play_games(state.game, [RANDOM] * state.num_players, range(30), ends=wanted, starts=state.states)
    assert b"".join(end.states.tobytes() for end in ends) == wanted.tobytes()


def test_a_limit_stops_a_rollout() -> None:
    state = new_state("two")
    assert state.rollout(1, limit=1) in [state.clone().apply_id(action) for action in state.legal_ids()]
    assert not state.rollout(1, limit=20).is_over
    assert state.rollout().is_over
    for limit in (0, -5, 10.7, True):
        with pytest.raises(ValueError, match="limit must be a positive integer"):
            state.rollout(1, limit=limit)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="seed"):
        state.rollout("1")  # type: ignore[arg-type]
