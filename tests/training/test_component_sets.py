"""PPO over drawn component sets: the games, runs that resume, networks that play other sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.arena.matches import Setup
from agents.networks.components import ComponentNetwork
from agents.networks.network import load_network, save_network
from agents.registry import make
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.checkpoint import CheckpointError
from tests.agents.tournaments import played, porta_nigra
from tests.training.small import Refused, assert_resumes, make_training, words
from training import ppo
from training.expert.options import Options as ExpertOptions
from training.expert.program import Expert
from training.ppo.layers import Legal


def test_every_set_has_games_with_its_numbers() -> None:
    training = make_training(component_sets=3, total_timesteps=512)
    training.iterate()
    env = training.collector.envs[0]
    inputs, learner = training.collector.inputs(), training.learner
    assert [game.components.name for game in env.games] == ["standard", "varied_1", "varied_2", "varied_3"]
    assert inputs.sets[:16].tolist() == inputs.sets[-16:].tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    # The learner's logits and values are those of the plain network of each row's set.
    scaled = torch.from_numpy(inputs.observations.astype(np.float32)) * learner.units
    with torch.no_grad():
        logits, values, _ = learner.forward(learner.model, inputs, slice(0, 256))
        for row in range(0, 256, 7):
            plain = training.network.for_game(env.games[inputs.sets[row]])
            wanted, value = plain(scaled[row : row + 1])
            legal = inputs.masks[row] != 0
            assert torch.allclose(logits[row, legal], wanted[0, legal], atol=1e-4)
            assert torch.allclose(values[row], value[0], atol=1e-4)


def test_the_given_set_can_have_more_games() -> None:
    training = make_training(component_sets=2, component_weight=2, total_timesteps=512)
    training.iterate()
    inputs, env = training.collector.inputs(), training.collector.envs[0]
    assert [game.components.name for game in env.games] == ["standard", "standard", "varied_1", "varied_2"]
    assert inputs.sets[:16].tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4
    sets = training.learner.sets
    assert sets is not None
    assert np.array_equal(sets.printed[0], sets.printed[1])
    assert not np.array_equal(sets.printed[1], sets.printed[2])


def test_compiled_gradients_are_those_of_the_whole_observation() -> None:
    """The network in training, with all or the legal actions, and reading whole observations: equal gradients."""
    training = make_training(component_sets=3, total_timesteps=512)
    training.iterate()
    inputs, learner, network = training.collector.inputs(), training.learner, training.network
    env = training.collector.envs[0]
    rows = slice(100, 140)
    numbers = np.stack([env.games[number].component_numbers().vector for number in inputs.sets[rows]])
    seen = inputs.observations[rows] / env.game.observations.scales()
    whole = torch.from_numpy(np.concatenate([seen, numbers], axis=1).astype(np.float32))
    mask = torch.from_numpy(inputs.masks[rows]) != 0
    legal = Legal.of(inputs.masks[rows])
    listed = torch.from_numpy(legal.masks) != 0
    outputs = [
        (*learner.forward(learner.model, inputs, rows, legal)[:2], listed),
        (*learner.forward(learner.model, inputs, rows)[:2], mask),
        (*network(whole), mask),
    ]
    gradients = []
    for logits, values, chosen in outputs:
        network.zero_grad(set_to_none=True)
        (logits[chosen].square().sum() + values.square().sum()).backward()
        found = {name: one.grad for name, one in network.named_parameters() if one.grad is not None}
        gradients.append({"logits": logits[chosen].detach(), "values": values.detach(), **found})
    assert len(gradients[0]) == 2 + len(list(network.parameters()))
    for name, gradient in gradients[0].items():
        assert gradient.abs().max() > 0, name
        for other in gradients[1:]:
            assert torch.allclose(gradient, other[name], atol=1e-3, rtol=1e-3), name


def test_a_run_over_sets_resumes(tmp_path: Path) -> None:
    def make_run() -> ppo.Training:
        return make_training([PortaNigra(2), PortaNigra(3)], component_sets=2, total_timesteps=1024)

    assert_resumes(make_run, tmp_path / "checkpoint", 2, 2)


def test_games_against_compiled_agents_have_every_set(tmp_path: Path) -> None:
    def make_run() -> ppo.Training:
        pool = {"pool_fraction": 0.5, "pool_size": 0, "pool_agents": ("builder", "random")}
        return make_training([PortaNigra(2)], component_sets=2, total_timesteps=1024, **pool)

    training = make_run()
    assert not training.pool.past
    assert training.pool.present == 2
    assert [len(env.games) for env in training.collector.envs] == [3, 3]
    alone, pooled = training.collector.parts
    assert set(training.collector.current.sets[alone]) == set(training.collector.current.sets[pooled]) == {0, 1, 2}
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


def test_a_run_for_one_set_starts_from_a_network_of_all(tmp_path: Path) -> None:
    general = make_training(component_sets=2, total_timesteps=512)
    general.iterate()
    file = tmp_path / "network.safetensors"
    save_network(file, general.network, general.games)
    game = PortaNigra(2, "varied:7")
    wanted = general.network.for_game(game).state_dict()
    expert = Expert(ExpertOptions(evaluate=(), threads=1, device="cpu"), [game], tmp_path, file)
    for trainer in (make_training([game], start=file), expert):
        started = trainer.network.state_dict()
        assert started.keys() == wanted.keys()
        for name, weights in wanted.items():
            assert torch.equal(started[name], weights), name


def test_a_run_over_sets_starts_from_a_network_of_one(tmp_path: Path) -> None:
    game, drawn = PortaNigra(2), PortaNigra(2, "varied:1")
    network = make_training(total_timesteps=512).network
    save_network(tmp_path / "plain", network, [game])
    started = make_training(component_sets=2, start=tmp_path / "plain")
    env = BatchEnv(drawn, 4)
    rows = torch.from_numpy(env.reset(seed=1).observations)
    with torch.no_grad():
        for wanted, found in zip(network(rows), started.network.for_game(drawn)(rows), strict=True):
            assert torch.allclose(found, wanted, atol=1e-5)
    started.iterate()
    save_network(tmp_path / "drawn", network, [drawn])
    with pytest.raises(CheckpointError, match="trained with one component set"):
        make_training(component_sets=2, start=tmp_path / "drawn")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--component-sets 3 --pool-fraction 0.5", "--component-sets: networks in the pool know one set"),
        ("--component-sets 3 --pool-fraction 0.5 --pool-size 0 --pool-agents network", "--pool-agents: network is not"),
        (
            "--component-sets 7 --num-envs 16 --minibatch-size 64 --pool-fraction 0.25 --pool-size 0",
            "--component-sets: 16 games have place for at most 3",
        ),
        ("--component-sets 3 --critic privileged", "--component-sets: leave out"),
        ("--component-sets 3 --history 4", "--component-sets: leave out"),
        (
            "--component-sets 16 --num-envs 16 --minibatch-size 64",
            "--component-sets: 16 games have place for at most 15",
        ),
        (
            "--component-sets 9 --component-weight 9 --num-envs 16 --minibatch-size 64",
            "--component-sets: 16 games have place for at most 7",
        ),
        ("--component-weight 2", "--component-weight: only next to drawn sets; set --component-sets"),
        ("--component-sets -1", "--component-sets"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(ppo.main, words(options), message)
