"""Regression tests of mistakes that would otherwise be silent."""

from __future__ import annotations

import copy
from typing import Any, cast

import numpy as np
import pytest

from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.batch_inputs import check_first_reset
from porta_nigra_env.envs.opponents import Lineups
from porta_nigra_env.games.aquileia.components.load import SETS as AQUILEIA
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State


def test_the_first_reset_begins_all_rows() -> None:
    batch = porta_nigra_v0.batch_env(4)
    with pytest.raises(ValueError, match="no games are running yet; the first reset begins those of all rows"):
        batch.reset(seed=1, rows=[0, 2])
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        batch.step([0] * 4)
    vector = porta_nigra_v0.vector_env(2, seat=0)
    with pytest.raises(ValueError, match="the first reset begins those of all rows"):
        vector.reset(seed=1, options={"reset_mask": np.array([True, False])})
    batch.reset(seed=1)
    batch.reset(seed=9, rows=[2])
    check_first_reset(np.array([True, True]), started=False)


def test_states_of_other_numbers_of_players_are_refused() -> None:
    four = State.new(num_players=4, seed=1).states
    game = PortaNigra(2)
    with pytest.raises(ValueError, match="positions: expected states of 2 players"):
        BatchEnv(game, 1).load(four)
    with pytest.raises(ValueError, match="states: expected states of 2 players"):
        State(game, four)


@pytest.mark.parametrize("seat", ["every", 0])
def test_a_snapshot_resumes_with_the_same_random_actions(seat: int | str) -> None:
    batch, twin = (porta_nigra_v0.batch_env(16, seat=seat) for _ in range(2))
    batch.reset(seed=5)
    for _ in range(3):
        batch.step(batch.random_actions())
    data = batch.snapshot()
    twin.restore(data)
    ahead = [batch.random_actions().copy()]
    batch.step(ahead[0])
    ahead.append(batch.random_actions())
    for wanted in ahead:
        found = twin.random_actions()
        np.testing.assert_array_equal(found, wanted)
        twin.step(found)
    # In the batch of the snapshot as well.
    batch.restore(data)
    np.testing.assert_array_equal(batch.random_actions(), ahead[0])
    # Games of one position are not played alike.
    batch.reset(seed=5)
    batch.load(batch.states[:1].copy())
    assert len(set(batch.random_actions().tolist())) > 1


def play(batch: BatchEnv) -> None:
    batch.reset(seed=1)
    for _ in range(50):
        batch.step(batch.random_actions())


class Failing:
    """An agent that raises in the call of that number."""

    name = "failing"

    def __init__(self, number: int) -> None:
        self.left = number

    def act_batch(self, views: BatchView) -> Any:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return views.action_masks.argmax(axis=1)


def test_no_caller_acts_for_an_opponent_that_failed() -> None:
    batch = porta_nigra_v0.batch_env(4, seat=0, opponents=Failing(3))
    with pytest.raises(KeyboardInterrupt):
        play(batch)
    for call in (lambda: batch.step(batch.random_actions()), batch.snapshot):
        with pytest.raises(RuntimeError, match="an opponent failed, and its actions are still missing"):
            call()
    # Asked again with the next games of some rows, it answers for the others too.
    batch.reset(rows=[1])
    assert (batch.current_player == 0).all()
    batch.step(batch.random_actions())


def test_an_opponent_without_such_an_action_is_named() -> None:
    def shouting(view: View) -> str:
        return "I win"

    batch = porta_nigra_v0.batch_env(2, seat=0, opponents=shouting)
    with pytest.raises(RuntimeError, match=r"opponent shouting answered with an illegal action: .*I win"):
        play(batch)


def test_rows_without_a_seed_continue() -> None:
    one, other = (porta_nigra_v0.vector_env(2, seat="rotate") for _ in range(2))
    one.reset(seed=3)
    other.reset(seed=3)
    found, infos = one.reset(seed=[50, None])
    other.reset()
    wanted, wanted_infos = other.reset(seed=[50, 60], options={"reset_mask": np.array([True, False])})
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(infos["seat"], wanted_infos["seat"])
    position = State.new(num_players=2, seed=8).to_dict()
    loaded = [env.reset(seed=[7, None], options={"position": position})[0] for env in (one, other)]
    np.testing.assert_array_equal(loaded[0], loaded[1])
    with pytest.raises(ValueError, match="option 'reset_mask' must be a bool mask"):
        one.reset(options={"reset_mask": np.array([0, 1])})


def test_a_copy_has_the_wrappers_of_its_original() -> None:
    env = porta_nigra_v0.env()
    env.reset(seed=1)
    twin = env.clone()
    assert type(twin) is type(env)
    wrong = int(env.observe(env.agent_selection)["action_mask"].argmin())
    agent = env.agent_selection
    twin.step(wrong)
    assert twin.terminations[agent]
    assert not env.terminations[agent]
    assert type(copy.deepcopy(twin)) is type(env)


def test_only_seats_look_at_a_board() -> None:
    state = State.new(num_players=2, seed=7)
    batch = porta_nigra_v0.batch_env(1)
    batch.reset(seed=7)
    assert batch.board(0, view=1) == state.board(view=1)
    for seat in (-1, 2, 5):
        for board in (state.board, lambda view: batch.board(0, view=view)):
            with pytest.raises(ValueError, match=f"player must be a seat in 0..1, not {seat}"):
                board(view=seat)


def test_components_of_another_game_are_refused() -> None:
    with pytest.raises(ValueError, match="components: 'standard' is a set of another game"):
        porta_nigra_v0.env(components=AQUILEIA.packaged)


def test_seeds_of_numpy_are_seeds() -> None:
    env = porta_nigra_v0.seat_env()
    found, _ = env.reset(seed=cast(int, np.int64(3)))
    np.testing.assert_array_equal(found, porta_nigra_v0.seat_env().reset(seed=3)[0])


def test_a_refused_player_is_not_added_to_the_line_up() -> None:
    lineups = Lineups(PortaNigra(2), 0, compiled=True)
    lineups.first("greedy")
    with pytest.raises(ValueError, match="failing is not a compiled policy, and only those play on a GPU"):
        lineups.next(Failing(1))
    assert not lineups.agents
    assert lineups.next("builder")
