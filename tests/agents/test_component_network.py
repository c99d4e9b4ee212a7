"""Networks that play with any component set: folding, files, gradients."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.networks.components import ComponentNetwork
from agents.networks.network import Network, load_network, save_network
from agents.registry import make
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import GAMES, make_game
from porta_nigra_env.players.checkpoint import CheckpointError
from porta_nigra_env.players.component_network import ComponentShape
from porta_nigra_env.players.network import Shape
from porta_nigra_env.players.published import load_numpy
from tests.toys.nim.game import Nim


def network_of(game: Any, width: int = 16) -> ComponentNetwork:
    """Return a network with weights large enough that every part of it counts."""
    torch.manual_seed(1)
    shape = ComponentShape.with_components(Shape.of(game, width, normed=True), game)
    network = ComponentNetwork.described(shape, game)
    with torch.no_grad():
        for weights in network.parameters():
            weights.copy_(torch.randn(weights.shape) * 0.3)
    network.eval()
    return network


@pytest.mark.parametrize("name", GAMES)
def test_folded_network_is_the_same_function(name: str) -> None:
    games = [make_game(name, components=one) for one in ("standard", "varied:1", "varied:2")]
    network = network_of(games[0])
    env = BatchEnv(games, 12, observe_components=True)
    step = env.reset(seed=1)
    for _ in range(40):
        step = env.step(env.random_actions())
    seen = torch.from_numpy(step.observations)
    plain = seen[:, : games[0].observations.size]
    with torch.no_grad():
        logits, values = network(seen)
        folded = [network.for_game(env.game_of(row))(plain[row : row + 1]) for row in range(12)]
        other, _ = network.for_game(games[2])(plain[:4])
    assert type(network.for_game(games[0])) is Network
    assert torch.allclose(logits, torch.cat([one for one, _ in folded]), rtol=1e-3, atol=1e-3)
    assert torch.allclose(values, torch.cat([one for _, one in folded]), rtol=1e-3, atol=1e-3)
    assert not torch.allclose(logits[:4], other, rtol=1e-2, atol=1e-2)


def test_attributes_stand_for_pieces() -> None:
    """Two sets that differ only in the order of their action cards give each card the same logit."""
    game = make_game("porta_nigra")
    data, order = game.components.data, [3, 0, 1, 2, 7, 6, 5, 4]
    data["action_cards"] = [data["action_cards"][i] for i in order]
    assert game.component_sets is not None
    shuffled = make_game("porta_nigra", components=game.component_sets.from_data(data, "shuffled"))
    network = network_of(game)
    hand, cards = game.observations["hand"].start, game.actions["card"].slice
    rows = torch.zeros((2, game.observations.size))
    rows[0, hand + order[2]], rows[1, hand + 2] = 1.0, 1.0
    with torch.no_grad():
        # Only the plain weights know a card by its index.
        network.enter.weight[:, : network.shape.seen] = 0.0
        for weights in (network.policy.weight, network.policy.bias):
            weights.zero_()
        first, second = network.for_game(game)(rows[:1])[0], network.for_game(shuffled)(rows[1:])[0]
    assert torch.allclose(first[:, cards][:, order], second[:, cards], atol=1e-4)
    assert first[:, cards].std() > 0.1


def test_a_plain_network_becomes_one_that_ignores_components() -> None:
    game, drawn = make_game("porta_nigra"), make_game("porta_nigra", components="varied:3")
    torch.manual_seed(2)
    plain = Network(Shape.of(game, 16))
    plain.value_scale.fill_(0.5)
    network = ComponentNetwork.ignoring_components(plain, game)
    env = BatchEnv(drawn, 4)
    rows = torch.from_numpy(env.reset(seed=1).observations)
    with torch.no_grad():
        for wanted, found in zip(plain(rows), network.for_game(drawn)(rows), strict=True):
            assert torch.allclose(found, wanted, atol=1e-5)
    assert network.for_game(drawn).value_scale == 0.5


def test_files_play_any_set(tmp_path: Path) -> None:
    game, other = make_game("porta_nigra"), make_game("porta_nigra", 2, "varied:3")
    network = network_of(game)
    file = tmp_path / "any.safetensors"
    save_network(file, network, [game])
    loaded = load_network(file, other)
    assert isinstance(loaded, ComponentNetwork)
    assert loaded.fingerprint() == network.fingerprint()
    for one in (game, other):
        env = BatchEnv(one, 1)
        env.reset(seed=2)
        view = env.view(0)
        with torch.no_grad():
            logits = network.for_game(one)(torch.tensor(view.observation)[None])[0][0]
        np.testing.assert_allclose(load_numpy(file, one)(view.observation)[0], logits.numpy(), rtol=1e-3, atol=1e-3)
        best = torch.where(torch.tensor(view.action_mask) != 0, logits, torch.tensor(-1e9)).argmax()
        assert make(f"network:checkpoint={file}", one).act(view) == int(best)
    with pytest.raises(CheckpointError, match="it was trained for 2 players, not for 3"):
        load_network(file, make_game("porta_nigra", 3))


@pytest.mark.parametrize(
    ("name", "position", "value"),
    [
        ("links_order", 0, 10_000),
        ("links_kinds", 5, -1),
        ("links_observed", (300, 1), 10_000),
        ("links_chosen", (4, 0), 10_000),
        ("links_chosen", (4, 2), 10_000),
    ],
)
def test_damaged_links_are_refused(tmp_path: Path, name: str, position: Any, value: int) -> None:
    game = make_game("porta_nigra")
    network = network_of(game)
    network.get_buffer(name)[position] = value
    save_network(tmp_path / "damaged", network, [game])
    for load in (load_network, load_numpy):
        with pytest.raises(CheckpointError, match="links: not those of a network of this shape"):
            load(tmp_path / "damaged", game)


def test_sizes_beyond_the_arrays_are_refused(tmp_path: Path) -> None:
    game = make_game("porta_nigra")
    network: Any = network_of(game)
    network.shape = replace(network.shape, summed=network.shape.summed + 1)
    save_network(tmp_path / "other", network, [game])
    for load in (load_network, load_numpy):
        with pytest.raises(CheckpointError, match="it does not hold the network it describes"):
            load(tmp_path / "other", game)


def test_games_without_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="nim has no component numbers"):
        ComponentShape.with_components(Shape.of(Nim()), Nim())
    with pytest.raises(ValueError, match="nim has no component numbers"):
        network_of(make_game("porta_nigra")).for_game(Nim())


def test_gradients_reach_every_part() -> None:
    game = make_game("porta_nigra")
    network = network_of(game)
    env = BatchEnv(game, 8, observe_components=True)
    logits, values = network(torch.from_numpy(env.reset(seed=1).observations))
    (logits.square().mean() + values.square().mean()).backward()
    for name, weights in network.named_parameters():
        assert weights.grad is not None, name
        assert np.count_nonzero(weights.grad.numpy()), name


@pytest.mark.parametrize("name", GAMES)
def test_a_step_of_adam_moves_both_kinds_of_networks_alike(name: str) -> None:
    """A start from a plain network lasts: component numbers, which are many, do not multiply the learning rate."""
    game = make_game(name)
    torch.manual_seed(3)
    plain = Network(Shape.of(game, 64))
    network = ComponentNetwork.ignoring_components(plain, game)
    env = BatchEnv([game, make_game(name, components="varied:1")], 12, observe_components=True)
    step = env.reset(seed=1)
    for _ in range(40):
        step = env.step(env.random_actions())
    seen, legal = torch.from_numpy(step.observations), torch.from_numpy(step.action_masks) != 0
    moved = []
    for one, rows in ((plain, seen[:, : game.observations.size]), (network, seen)):
        before = one(rows)[0][legal]
        optimizer = torch.optim.Adam(one.parameters(), lr=1e-3)
        (before * torch.randn(before.shape, generator=torch.Generator().manual_seed(4))).sum().backward()
        optimizer.step()
        moved.append(float((one(rows)[0][legal] - before).abs().mean().detach()))
    assert moved[1] < 1.3 * moved[0], moved
