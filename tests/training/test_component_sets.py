"""PPO over drawn component sets: the games, runs that resume, networks that play other sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.arena.matches import Setup
from agents.networks.components import ComponentNetwork
from agents.networks.network import load_network, save_network
from agents.registry import make
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.agents.tournaments import played, porta_nigra
from tests.training.small import Refused, assert_resumes, make_training, words
from training import ppo


def test_every_set_has_games_with_its_numbers() -> None:
    training = make_training(component_sets=3, total_timesteps=512)
    training.iterate()
    env = training.collector.envs[0]
    seen, size = training.collector.observations, env.game.observations.size
    assert [game.components.name for game in env.games] == ["standard", "varied_1", "varied_2", "varied_3"]
    for row in range(16):
        numbers = env.game_of(row).component_numbers()
        assert numbers is not None
        assert (seen[:, row, size:] == numbers.raw).all()
    assert len({seen[0, row, size:].tobytes() for row in range(16)}) == 4
    scaled = training.learner.units.numpy()
    assert np.allclose(scaled[size:], 1 / env.games[1].component_numbers().layout.scales())


def test_a_run_over_sets_resumes(tmp_path: Path) -> None:
    def make_run() -> ppo.Training:
        return make_training([PortaNigra(2), PortaNigra(3)], component_sets=2, total_timesteps=1024)

    assert_resumes(make_run, tmp_path / "checkpoint", 2, 2)


def test_its_network_plays_sets_that_it_has_not_seen(tmp_path: Path) -> None:
    training = make_training(component_sets=2, total_timesteps=512, evaluate=("random",), deals=2)
    training.iterate()
    assert len(training.evaluate()) == 1
    save_network(tmp_path / "network", training.network, training.games)
    assert isinstance(load_network(tmp_path / "network"), ComponentNetwork)
    name = f"network:checkpoint={tmp_path / 'network'}"
    for components in ("standard", "varied:99"):
        assert make(name, PortaNigra(2, components)).name == name
    result = played(Setup(porta_nigra, (name, "random"), 2), [2], 1, tmp_path / "tournament")
    assert len(result.games) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--component-sets 3 --pool-fraction 0.5", "--component-sets: leave out --pool-fraction"),
        ("--component-sets 3 --critic privileged", "--component-sets: leave out"),
        ("--component-sets 3 --history 4", "--component-sets: leave out"),
        (
            "--component-sets 16 --num-envs 16 --minibatch-size 64",
            "--component-sets: 16 games have place for at most 15",
        ),
        ("--component-sets -1", "--component-sets"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(ppo.main, words(options), message)
