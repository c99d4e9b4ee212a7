"""Pool of opponents: sampling, win rates, slots."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.networks.network import Network
from agents.networks.neural import NetworkAgent
from agents.registry import make
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.network import Shape
from training.ppo.pool import FLOOR, FrozenNetwork, Pool, PoolMatches, beat_probability
from training.run.evaluation import make_opponent


def small_network() -> Network:
    torch.manual_seed(1)
    return Network(Shape.of(PortaNigra(3), width=8))


def test_strong_members_are_met_more_often() -> None:
    pool = Pool(2, small_network(), slots=3, seed=1)
    pool.record(0, wins=9_000, games=10_000, players=2)
    pool.record(1, wins=1_000, games=10_000, players=2)
    weights = np.array([0.1**2, 0.9**2]) + FLOOR
    shares = np.bincount(pool.choose(20_000, 2), minlength=5) / 20_000
    # Four standard errors; empty slots are not met.
    assert shares[:2] == pytest.approx(weights / weights.sum(), abs=0.01)
    assert not shares[2:].any()


def test_an_even_share_is_one_over_the_number_of_players() -> None:
    """With four players a win rate of a quarter is even."""
    pool = Pool(2, small_network(), slots=1, seed=1, player_counts=(2, 3, 4))
    pool.enter(small_network())
    for players in (2, 3, 4):
        assert pool.won[players] == pytest.approx(1 / players)
        assert beat_probability(pool.won[players], players) == pytest.approx(0.5)
    pool.record(0, wins=5_000, games=10_000, players=4)
    weights = np.array([0.25**2, 0.5**2, 0.5**2]) + FLOOR
    shares = np.bincount(pool.choose(20_000, 4), minlength=3) / 20_000
    assert shares == pytest.approx(weights / weights.sum(), abs=0.015)


def test_numbers_of_players_are_counted_separately() -> None:
    pool = Pool(1, small_network(), slots=1, seed=1, player_counts=(2, 4))
    pool.record(0, wins=9_000, games=10_000, players=2)
    assert (pool.won[2][0], pool.won[4][0]) == pytest.approx((0.9, 0.25))
    other = Pool(1, small_network(), slots=1, seed=1, player_counts=(2, 4))
    other.restore(pool.tensors(), pool.description())
    assert (other.won[2][0], other.won[4][0]) == pytest.approx((0.9, 0.25))
    with pytest.raises(RuntimeError, match="wins for 2, 4 players"):
        Pool(1, small_network(), slots=1, seed=1).restore(pool.tensors(), pool.description())


def test_the_oldest_past_self_leaves() -> None:
    network = small_network()
    pool = Pool(0, network, slots=2, seed=1)
    for number in range(3):
        network.policy.bias.data.fill_(float(number))
        pool.enter(network)
    assert [float(one.network.state_dict()["policy.bias"][0]) for one in pool.past] == [2.0, 1.0]
    assert set(pool.choose(100, 2).tolist()) == {0, 1}


def test_permanent_networks_keep_their_slots() -> None:
    network = small_network()

    def entered(pool: Pool, numbers: range, stays: bool) -> list[float]:
        for number in numbers:
            network.policy.bias.data.fill_(float(number))
            pool.enter(network, permanent=stays)
        return [float(one.network.state_dict()["policy.bias"][0]) for one in pool.past]

    pool = Pool(0, network, slots=4, seed=1)
    entered(pool, range(2), True)
    assert pool.present == 2
    assert entered(pool, range(2, 5), False) == [0.0, 1.0, 4.0, 3.0]
    # The same after a checkpoint.
    other = Pool(0, network, slots=4, seed=2)
    other.restore(pool.tensors(), pool.description())
    assert entered(other, range(5, 7), False) == [0.0, 1.0, 6.0, 5.0]
    # Without a free slot past selves do not enter.
    full = Pool(1, network, slots=2, seed=1)
    entered(full, range(2), True)
    assert entered(full, range(2, 5), False) == [0.0, 1.0]
    assert full.present == 3


def test_wins_are_recorded_for_the_opponent() -> None:
    game = PortaNigra(3)
    agents = [make_opponent(name, game) for name in ("random", "builder")]
    pool = Pool(2, small_network(), slots=1, seed=1, player_counts=(3,))
    pool.enter(small_network())
    env = BatchEnv(game, 60, seat="rotate")
    matches = PoolMatches(env, pool, agents)
    matches.begin(seed=1)
    rng = np.random.default_rng(2)
    for _ in range(600):
        matches.choose()
        step = env.step(env.random_actions(rng))
        matches.record(np.flatnonzero(step.terminated))
    # A random learner of three: even with random players, inferior to builders.
    won = pool.won[3]
    assert 0.2 < won[0] < 0.45
    assert won[1] < 0.27
    assert won[1] < won[0]
    assert won[1] < won[2]


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_network_in_the_pool_plays_as_the_agent_does(precision: str) -> None:
    """Also in a batch of raw quantities, which the collector has."""
    game = PortaNigra(3)
    agent = make("network", game)
    assert isinstance(agent, NetworkAgent)
    pooled = FrozenNetwork("network", agent.network, 1, 0.0, precision)
    drawing = FrozenNetwork("network", agent.network, 1, 1.0, precision)
    env = BatchEnv(game, 200, observations="uint8")
    env.reset(seed=1)
    agreed, drawn = [], []
    for _ in range(20):
        views = env.views()
        best = agent.act_batch(views)
        agreed.append(np.mean(pooled.act_batch(views) == best))
        drawn.append(np.mean(drawing.act_batch(views) == best))
        env.step(best)
    assert np.mean(agreed) > (0.97 if precision == "bfloat16" else 0.999)
    # Between its certainty and a certain choice.
    assert 0.6 < np.mean(drawn) < np.mean(agreed)
