"""Networks in numpy: agreement with torch, and errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import porta_nigra_env
from agents.networks.network import Network, load_network, masked, save_network, to_tensor
from agents.networks.neural import NetworkAgent
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import GAMES, game_class, make_game
from porta_nigra_env.players.checkpoint import CheckpointError
from porta_nigra_env.players.network import NumpyNetwork, Shape
from porta_nigra_env.players.published import NetworkPlayer, load_numpy, published_player
from tests.agents.test_network import Tiny, TinyShape
from tests.toys.kuhn.game import Kuhn
from training import ppo

PUBLISHED = [(name, players) for name in GAMES for players in game_class(name).networks()]
OTHERS = [
    (name, players, file)
    for name, players in PUBLISHED
    for file in (Path(__file__).parents[1] / "games" / name / "components").glob("*.toml")
]
every_published = pytest.mark.parametrize(("game_name", "players"), PUBLISHED)


def sample_views(game: Game, count: int) -> Iterator[BatchView]:
    """Yield views of a batch of games at several times."""
    env = BatchEnv(game, count)
    env.reset(seed=5)
    for _ in range(4):
        for _ in range(40):
            env.step(env.random_actions())
        yield env.views()


GENERAL = [(name, players) for name in GAMES for players in game_class(name).general_networks()]


@pytest.mark.parametrize(("game_name", "players"), GENERAL)
def test_other_components_have_a_network_for_all(game_name: str, players: int) -> None:
    standard, drawn = make_game(game_name, players), make_game(game_name, players, "varied:5")
    general = game_class(game_name).general_networks()[players]
    assert standard.published() == game_class(game_name).networks()[players]
    assert drawn.published() == general
    same = make_game(game_name, players, drawn.components)
    assert published_player(same) is published_player(drawn)
    agent, player = NetworkAgent("torch", drawn, load_network(general, drawn).for_game(drawn)), published_player(drawn)
    for views in sample_views(drawn, 20):
        assert player.act_batch(views).tolist() == agent.act_batch(views).tolist()
    env = BatchEnv(drawn, 2, seat=0, opponents="network")
    env.reset(seed=1)
    for _ in range(5):
        env.step(env.action_masks.argmax(axis=1))


@every_published
def test_numpy_agrees_with_torch(game_name: str, players: int) -> None:
    game = make_game(game_name, players)
    file = game.networks()[players]
    torch_network, network = load_network(file, game), load_numpy(file, game)
    agent, player = NetworkAgent("torch", game, torch_network), NetworkPlayer("numpy", network)
    for views in sample_views(game, 100):
        legal = np.array(views.action_masks) != 0
        logits, values = network(views.observations)
        with torch.no_grad():
            expected, torch_values = torch_network(to_tensor(views.observations))
            wanted = torch.softmax(masked(expected, torch.from_numpy(legal)), dim=1).numpy()
        logits = np.where(legal, logits, -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        np.testing.assert_allclose(weights / weights.sum(axis=1, keepdims=True), wanted, rtol=0, atol=1e-5)
        np.testing.assert_allclose(values, torch_values.numpy(), rtol=0, atol=1e-5)
        chosen = player.act_batch(views)
        assert chosen.tolist() == agent.act_batch(views).tolist() == [player.act(view) for view in views]
        assert legal[np.arange(len(chosen)), chosen].all()


@pytest.mark.parametrize("normed", [False, True])
def test_a_single_row_equals_the_row_of_a_batch(normed: bool) -> None:
    game = Kuhn()
    torch.manual_seed(1)
    network = Network(Shape.of(game, width=8, blocks=3, normed=normed)).eval()
    weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    numpy_network = NumpyNetwork(weights, int(normed))
    rows = np.random.default_rng(1).random((5, game.observations.size), dtype=np.float32)
    logits, values = numpy_network(rows)
    for row in range(5):
        for result, expected in zip(numpy_network(rows[row]), (logits[row], values[row]), strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        for result, wanted in zip((logits, values), network(torch.from_numpy(rows)), strict=True):
            np.testing.assert_allclose(result, wanted.numpy(), rtol=1e-5, atol=1e-6)
    # Without the norms the network differs.
    assert not np.allclose(NumpyNetwork(weights, int(not normed))(rows)[1], values, rtol=1e-3)
    before = rows.copy()
    numpy_network(rows)
    assert np.array_equal(rows, before)


def test_invalid_files_are_refused(tmp_path: Path) -> None:
    game = Kuhn()
    tiny = Tiny(TinyShape(game.observations.size, game.actions.size, max(game.seats), 8))
    save_network(tmp_path / "tiny", tiny, [game])
    with pytest.raises(CheckpointError, match=r"a network of the class .*:Tiny needs torch"):
        load_numpy(tmp_path / "tiny", game)
    save_network(tmp_path / "half", Network(Shape.of(game, width=8)).half(), [game])
    assert (
        load_numpy(tmp_path / "half", game)(np.zeros(game.observations.size, dtype=np.float32))[0].dtype == np.float32
    )
    save_network(tmp_path / "brain", Network(Shape.of(game, width=8)).bfloat16(), [game])
    with pytest.raises(CheckpointError, match="bfloat16"):
        load_numpy(tmp_path / "brain", game)
    assert load_network(tmp_path / "brain", game).shape.width == 8
    other: Any = Network(Shape.of(game, width=8))
    other.shape = Shape.of(game, width=9)
    save_network(tmp_path / "other", other, [game])
    with pytest.raises(CheckpointError, match="it does not hold the network it describes"):
        load_numpy(tmp_path / "other", game)


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A file of Aquileia with as many spaces as the standard set, one of which is in another area."""
    folder = Path(porta_nigra_env.__file__).parent / "games" / "aquileia" / "components"
    text = (folder / "standard.toml").read_text(encoding="utf-8")
    for before, after in (
        ("[arena]\nspaces = [1, 1, 2]", "[arena]\nspaces = [1, 1, 1, 2]"),
        ("\nsilver = [1, 1, 2]", "\nsilver = [1, 2]"),
        ('name = "standard"', 'name = "moved"'),
    ):
        assert text.count(before) == 1
        text = text.replace(before, after)
    (tmp_path / "moved.toml").write_text(text, encoding="utf-8")
    return tmp_path / "moved.toml"


def test_a_network_does_not_play_spaces_of_other_areas(moved: Path) -> None:
    """Its actions would mean something else, although there are as many."""
    standard, game = make_game("aquileia", 3), make_game("aquileia", 3, moved)
    general = game_class("aquileia").general_networks()[3]
    assert standard.actions.size == game.actions.size
    assert standard.action_texts != game.action_texts
    assert game.published() is None
    with pytest.raises(CheckpointError, match="the components give actions another meaning than the standard ones"):
        load_network(general, game)
    with pytest.raises(CheckpointError, match="the components give actions another meaning than the standard ones"):
        load_numpy(general, game)
    games = [standard, game]
    BatchEnv(games, 2).reset(seed=1)
    with pytest.raises(ValueError, match="observe_components: numbers or actions of Aquileia"):
        BatchEnv(games, 2, observe_components=True)
    with pytest.raises(ValueError, match="gives observations or actions another meaning than the standard set does"):
        ppo.check(ppo.Options(game="aquileia", players=(3,), component_sets=1, components=str(moved)))


@pytest.mark.parametrize(("game_name", "players", "components"), OTHERS)
def test_a_published_player_fits_the_components(game_name: str, players: int, components: Path) -> None:
    """There is no player for other numbers of pieces; the file of Gloria Mundi has as many."""
    game = make_game(game_name, players, components)
    if game_name == "gloria_mundi":
        views = next(sample_views(game, 1))
        assert views.action_masks[0, published_player(game).act_batch(views)[0]]
        return
    message = rf"no network is published for {game_name} with {players} players and these components; name a file"
    with pytest.raises(CheckpointError, match=message):
        published_player(game)
