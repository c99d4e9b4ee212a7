"""Searches, tournaments, networks and training on cups and coins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents import tournament
from agents.arena.matches import Setup
from agents.arena.playing import Arena
from agents.networks.network import Network
from agents.networks.neural import NetworkAgent
from agents.registry import make
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.network import Shape
from tests.toys.dice.game import Dice, State
from tests.toys.dice.test_rules import player, position
from training.ppo import Options, Training

every_table = pytest.mark.parametrize("players", Dice.seats)


@every_table
def test_search_returns_legal_actions(players: int) -> None:
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


def test_search_plays_for_the_rank_that_coins_decide() -> None:
    """Throw only with fewer coins.

    Seat 0 has 8 points and most probably too many eyes.  Seat 1 has 8 points if it stops, and coins decide.  Two thirds
    of its throws give it too many eyes.
    """
    chosen = {}
    for coins in (1, 5):
        others = player(bid=0, cup=5, thrown=[6, 3], coins=3, pot_points=8)
        state = position([others, player(bid=0, cup=4, thrown=[4], coins=coins)], 1, 3)
        agent = make("ismcts:simulations=400,rollout=random,utility=win", Dice(2), seed=1)
        chosen[coins] = state.action_text(agent.act(state.view()))
    assert chosen == {1: "throw", 5: "stop"}


def dice(players: int) -> Game:
    """Return cups and coins, for tournaments."""
    return Dice(players)


def test_a_tournament_mixes_numbers_of_players(tmp_path: Path) -> None:
    setup = Setup(dice, ("random", "ismcts:simulations=8,rollout=random"), 5)
    results = tournament.run(Arena(setup), [2, 6], 6, tmp_path)
    assert {len(game.match.agents) for game in results.games} == {2, 6}
    for game in results.games:
        assert len(game.places) == len(game.scores)
        assert min(game.places) == 1
    tournament.write_report(tmp_path, results)
    assert list(tmp_path.glob("report*"))


# -- learning


@pytest.mark.parametrize("critic", ["shared", "privileged"])
def test_training_with_five_and_six_players_changes_the_network(critic: str) -> None:
    options = Options(
        total_timesteps=4096, num_envs=16, num_steps=64, minibatch_size=256, width=16, evaluate=(), threads=1,
        precision="float32", device="cpu", critic=critic,
    )  # fmt: skip
    training = Training(options, [Dice(5), Dice(6)])
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
