"""Cups and coins through everything that is there for any game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pettingzoo.test import api_test, seed_test

from agents import tournament
from agents.arena import matches
from agents.networks.network import Network, Shape
from agents.networks.neural import NetworkAgent
from agents.registry import make
from porta_nigra_env.core.cache import COMPILED
from porta_nigra_env.core.conformance import LAWS, check_game
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.policy import RANDOM
from porta_nigra_env.core.results import outcome_returns
from porta_nigra_env.envs.aec import GameAEC, wrap
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.envs.single import SeatEnv
from tests.tenants.dice.game import Dice, State
from tests.tenants.dice.test_rules import last_stop, player, position
from training.ppo import Arguments, Training

every_table = pytest.mark.parametrize("players", Dice.seats)


@every_table
def test_every_law_is_kept(players: int) -> None:
    report = check_game(Dice(players), games=20 if COMPILED else 3)
    assert set(report.checks) == set(LAWS)
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
def test_the_pettingzoo_environment(players: int, reward: str) -> None:
    api_test(wrap(GameAEC(Dice(players), reward=reward)), num_cycles=100)
    seed_test(lambda: wrap(GameAEC(Dice(players), reward=reward)), num_cycles=50)


@every_table
def test_one_seat(players: int) -> None:
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
def test_many_games(players: int) -> None:
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
    """The last decision of a game that ends with equal totals, with so many coins by seat."""
    players = [player(bid=0, cup=5, coins=left) for left in coins]
    return position(players, len(players) - 1, 3)


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_coins_break_ties_in_a_batch(reward: str) -> None:
    starts = [ends(1, 3, 2), ends(3, 1, 2), ends(2, 2, 2), ends(2, 2, 1)]
    env = BatchEnv(Dice(3), len(starts), reward=reward, autoreset_mode="Disabled")
    env.load([one.to_dict() for one in starts], seed=1)
    stop = starts[0].action_id("stop")
    env.step([stop] * len(starts))
    assert env.terminated.all()
    assert env.final_scores.tolist() == [[5, 5, 5]] * 4
    assert env.final_places.tolist() == [[3, 1, 2], [1, 3, 2], [1, 1, 1], [1, 1, 3]]
    expected = [outcome_returns(places) for places in env.final_places] if reward == "outcome" else np.zeros((4, 3))
    assert env.rewards == pytest.approx(np.array(expected))
    assert env.rewards.tolist()[0] == ([-0.5, 1.0, -0.5] if reward == "outcome" else [0, 0, 0])


@every_table
def test_whole_games_are_ranked(players: int) -> None:
    game, seeds = Dice(players), np.arange(100 if COMPILED else 10)
    states = np.zeros(len(seeds), dtype=game.dtype)
    played = play_games(game, [RANDOM] * players, seeds, ends=states)
    for row in range(len(seeds)):
        assert played.totals[row].tolist() == game.totals(states, row).tolist()
        assert played.places[row].tolist() == game.places(states, row).tolist()
    assert (played.lengths >= 6 * players).all()


# -- agents


@every_table
def test_search(players: int) -> None:
    agent = make("ismcts:simulations=60,rollout=random", Dice(players), seed=1)
    state = State.new(players, seed=players)
    for _ in range(2 * players):
        action = agent.act(state.view())
        assert action in state.legal_ids()
        state.apply_id(action)


@pytest.mark.parametrize(("cup", "thrown", "wanted"), [(6, [4], "stop"), (1, [1], "throw")])
def test_search_knows_when_to_stop(cup: int, thrown: list[int], wanted: str) -> None:
    others = player(bid=0, cup=3, thrown=[6])
    state = position([others, player(bid=0, cup=cup, thrown=thrown)], 1, 3)
    agent = make("ismcts:simulations=400,rollout=random,utility=linear", Dice(2), seed=1)
    assert state.action_text(agent.act(state.view())) == wanted


def test_search_plays_for_the_place_that_coins_decide() -> None:
    """Seat 0 has most probably too many eyes, and 8 points.  So has seat 1, if she stops: then coins decide.  To throw
    is right only where she has fewer of them, since two thirds of all throws are too many for her, too."""
    found = {}
    for coins in (1, 5):
        others = player(bid=0, cup=5, thrown=[6, 3], coins=3, pot_points=8)
        state = position([others, player(bid=0, cup=4, thrown=[4], coins=coins)], 1, 3)
        agent = make("ismcts:simulations=400,rollout=random,utility=win", Dice(2), seed=1)
        found[coins] = state.action_text(agent.act(state.view()))
    assert found == {1: "throw", 5: "stop"}


def dice(players: int) -> Game:
    """Cups and coins, for tournaments."""
    return Dice(players)


def test_a_tournament(tmp_path: Path) -> None:
    setup = matches.Setup(dice, ("random", "ismcts:simulations=8,rollout=random"), 5)
    results = tournament.run(matches.Arena(setup), [2, 6], 6, tmp_path)
    assert {len(game.match.agents) for game in results.games} == {2, 6}
    for game in results.games:
        assert len(game.places) == len(game.scores)
        assert min(game.places) == 1
    tournament.write_report(tmp_path, results)
    assert list(tmp_path.glob("report*"))


# -- learning


@pytest.mark.parametrize("critic", ["shared", "privileged"])
def test_self_play_of_five_and_six(critic: str) -> None:
    arguments = Arguments(
        decisions=4096, envs=16, steps=64, batch=256, width=16, evaluate=(), threads=1, precision="float32",
        device="cpu", critic=critic,
    )  # fmt: skip
    training = Training(arguments, [Dice(5), Dice(6)])
    before = [weight.detach().clone() for weight in training.learner.network.parameters()]
    figures = training.iterate()
    assert all(np.isfinite(value) for value in figures.values() if isinstance(value, float))
    assert any((old != new).any() for old, new in zip(before, training.learner.network.parameters(), strict=True))
    logits, values = training.learner.network(torch.zeros(3, Dice(6).observations.size))
    assert logits.shape == (3, 6)
    assert values.shape == (3, 6)


@every_table
def test_a_network_has_a_value_for_every_seat(players: int) -> None:
    game = Dice(players)
    agent = NetworkAgent("network", game, Network(Shape.of(game, width=8)))
    state = State.new(players, seed=1)
    assert agent.act(state.view()) in state.legal_ids()
    assert len(agent.value(state.view())) == players


def test_the_end_is_seen_from_every_seat() -> None:
    state: Any = last_stop({"cup": 2}, {"cup": 6})
    for seat in range(2):
        assert state.view(seat).legal_ids().tolist() == []
        assert state.to_dict(view=seat)["players"] == state.to_dict()["players"]
