"""Invariants and environments of cups and coins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.conformance import INVARIANTS, check_game
from porta_nigra_env.core.game.results import outcome_returns
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC, wrap
from porta_nigra_env.envs.play import play_games
from tests.toys.dice.game import Dice, State
from tests.toys.dice.test_rules import last_stop, player, position

every_table = pytest.mark.parametrize("players", Dice.seats)


@every_table
def test_the_game_satisfies_all_invariants(players: int) -> None:
    report = check_game(Dice(players), games=12 if COMPILED else 2)
    assert set(report.checks) == set(INVARIANTS)
    assert Dice.kernel.has_points
    assert Dice.kernel.has_rounds


# -- environments


@every_table
@pytest.mark.parametrize("reward", ["outcome", "margin", "points"])
@pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
)
def test_the_pettingzoo_api(players: int, reward: str) -> None:
    api_test(wrap(GameAEC(Dice(players), reward=reward)), num_cycles=100)
    seed_test(lambda: wrap(GameAEC(Dice(players), reward=reward)), num_cycles=50)


@every_table
def test_rewards_of_a_seat_add_up_to_its_total(players: int) -> None:
    for seat in range(players):
        env = SeatEnv(Dice(players), seat=seat, reward="points")
        _, info = env.reset(seed=seat)
        gained, terminated = 0.0, False
        while not terminated:
            action = int(env.action_space.sample(info["action_mask"]))
            _, reward, terminated, _, info = env.step(action)
            gained += reward
        assert gained == Dice(players).totals(env.states)[seat]


@every_table
def test_rewards_of_a_batch_add_up_to_the_scores(players: int) -> None:
    env = BatchEnv(Dice(players), 32, reward="points")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    gained = np.zeros((32, players))
    ended = 0
    for _ in range(200 if COMPILED else 60):
        actions = [rng.choice(np.flatnonzero(mask)) for mask in env.action_masks]
        env.step(actions)
        gained += env.rewards
        for row in np.flatnonzero(env.terminated):
            ended += 1
            assert gained[row].tolist() == env.final_scores[row].tolist()
            assert 1 in env.final_places[row]
            gained[row] = 0.0
    assert ended > 10


def ends(*coins: int) -> State:
    """Return the last step of a game with equal totals and these coins by seat."""
    players = [player(bid=0, cup=5, coins=left) for left in coins]
    return position(players, len(players) - 1, 3)


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_coins_break_ties_in_a_batch(reward: str) -> None:
    starts = [ends(1, 3, 2), ends(3, 1, 2), ends(2, 2, 2), ends(2, 2, 1)]
    env = BatchEnv(Dice(3), len(starts), reward=reward, autoreset_mode="Disabled")
    env.load([start.to_dict() for start in starts], seed=1)
    stop = starts[0].action_id("stop")
    env.step([stop] * len(starts))
    assert env.terminated.all()
    assert env.final_scores.tolist() == [[5, 5, 5]] * 4
    assert env.final_places.tolist() == [[3, 1, 2], [1, 3, 2], [1, 1, 1], [1, 1, 3]]
    expected = [outcome_returns(places) for places in env.final_places] if reward == "outcome" else np.zeros((4, 3))
    assert env.rewards == pytest.approx(np.array(expected))
    assert env.rewards.tolist()[0] == ([-0.5, 1.0, -0.5] if reward == "outcome" else [0, 0, 0])


@every_table
def test_played_games_have_totals_and_ranks(players: int) -> None:
    game, seeds = Dice(players), np.arange(100 if COMPILED else 10)
    states = np.zeros(len(seeds), dtype=game.dtype)
    played = play_games(game, [RANDOM] * players, seeds, ends=states)
    for row in range(len(seeds)):
        assert played.totals[row].tolist() == game.totals(states, row).tolist()
        assert played.places[row].tolist() == game.places(states, row).tolist()
    assert (played.lengths >= 6 * players).all()


def test_the_final_position_is_visible_to_every_seat() -> None:
    state: Any = last_stop({"cup": 2}, {"cup": 6})
    for seat in range(2):
        assert state.view(seat).legal_ids().tolist() == []
        position, view = state.to_dict(), state.to_dict(view=seat)
        assert {**view, "rng": None} == {**position, "rng": None, "view": seat}
