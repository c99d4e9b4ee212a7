"""Networks as agents: files, errors, and answers."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.networks.network import (
    CLASSES,
    Network,
    PlayingNetwork,
    load_network,
    read_tensors,
    save_network,
    to_tensor,
    write_tensors,
)
from agents.networks.neural import NetworkAgent
from agents.registry import AgentError, make
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import GAMES, game_class
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.checkpoint import FORMAT, CheckpointError
from porta_nigra_env.players.network import Shape
from porta_nigra_env.players.published import load_numpy
from tests.toys.kuhn.game import Kuhn


def random_network(game: Any, seed: int = 1) -> Network:
    """Return a network whose heads have large weights."""
    torch.manual_seed(seed)
    network = Network(Shape.of(game, width=32)).eval()
    torch.nn.init.normal_(network.policy.weight)
    torch.nn.init.normal_(network.value.weight)
    return network


def published() -> set[Path]:
    """Return the published networks of all games."""
    return {file for name in GAMES for file in game_class(name).network_files()}


def positions(players: int, count: int) -> BatchEnv:
    """Return games after 60 random steps."""
    env = BatchEnv(PortaNigra(players), count)
    env.reset(seed=5)
    for _ in range(60):
        env.step(env.random_actions())
    return env


def test_a_network_that_is_read_draws_nothing(tmp_path: Path) -> None:
    """A run does not depend on the opponents of its evaluation."""
    game = Kuhn()
    save_network(str(tmp_path / "one.safetensors"), random_network(game), [game])
    torch.manual_seed(8)
    expected = torch.rand(3).tolist()
    torch.manual_seed(8)
    load_network(tmp_path / "one.safetensors", game)
    assert torch.rand(3).tolist() == expected


@pytest.fixture
def file(tmp_path: Path) -> Path:
    games = [PortaNigra(2), PortaNigra(3)]
    path = tmp_path / "network.safetensors"
    save_network(path, random_network(games[0]), games)
    return path


# -- files


def test_a_file_gives_back_the_network(file: Path) -> None:
    game = PortaNigra(3)
    expected = random_network(game).state_dict()
    found = load_network(file, game).state_dict()
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], tensor) for name, tensor in expected.items())
    assert not list(file.parent.glob("*.partial"))


def test_the_same_network_is_the_same_file(file: Path, tmp_path: Path) -> None:
    games = [PortaNigra(2), PortaNigra(3)]
    for number in range(8):
        again = tmp_path / f"{number}.safetensors"
        save_network(again, random_network(games[0]), games)
        assert again.read_bytes() == file.read_bytes()


def test_invalid_files_are_refused(file: Path, tmp_path: Path) -> None:
    def refused(path: Path, message: str, game: Any = None) -> None:
        with pytest.raises(CheckpointError, match=message):
            load_network(path, game or PortaNigra(2))

    refused(tmp_path / "none", "none: there is no such file")
    refused(file, "it was trained for 2, 3 players, not for 4", PortaNigra(4))
    refused(file, "game is 'porta_nigra_v0', here it is 'kuhn_v0'", Kuhn())
    data = file.read_bytes()
    for number, damaged in enumerate((data[:1000], b"", b"\x00" * 50, data[:-4] + b"oops")):
        (tmp_path / f"damaged{number}").write_bytes(damaged)
        refused(tmp_path / f"damaged{number}", "damaged")
    tensors, described = read_tensors(file)
    for name in ("observations", "actions"):
        changed = described | {"made_for": described["made_for"] | {name: "0123"}}
        write_tensors(tmp_path / name, tensors, changed)
        refused(tmp_path / name, f"{name} is '0123', here it is '[0-9a-f]+'")
    constants = described["made_for"] | {"tables": {"2": "f" * 64}}
    write_tensors(tmp_path / "tables", tensors, described | {"made_for": constants})
    refused(tmp_path / "tables", "it was trained with one component set, and the game has another")
    write_tensors(tmp_path / "shape", tensors, described | {"shape": described["shape"] | {"width": 64}})
    refused(tmp_path / "shape", "it does not hold the network it describes")
    # The description is covered by the checksum as the weights are.
    (tmp_path / "told").write_bytes(file.read_bytes().replace(b"outcome", b"outcame"))
    refused(tmp_path / "told", "damaged, the contents do not agree with the checksum")
    (tmp_path / "older").write_bytes(file.read_bytes().replace(FORMAT.encode(), b"porta_nigra_env network/1"))
    refused(tmp_path / "older", f"its format is 'porta_nigra_env network/1', expected '{FORMAT}'")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"made_for": None}, "made_for is None, where an object is needed"),
        ({"made_for": {"game": 3}}, "game is 3, where a text is needed"),
        ({"made_for": {}}, "game is missing, where a text is needed"),
        ({"shape": [1, 2]}, r"shape is \[1, 2\], where an object is needed"),
        ({"shape": {"observation_size": 5}}, "num_actions is missing, where an integer is needed"),
        ({"shape": {"observation_size": True}}, "observation_size is True, where an integer is needed"),
        ({"reward": 1}, "reward is 1, where a text is needed"),
    ],
)
def test_a_description_that_lacks_something(file: Path, change: dict[str, Any], message: str) -> None:
    tensors, described = read_tensors(file)
    write_tensors(file, tensors, described | change)
    with pytest.raises(CheckpointError, match=f"checkpoint {re.escape(str(file))}: {message}"):
        load_network(file, PortaNigra(2))


@pytest.mark.parametrize(
    ("text", "message"), [("{", "described is no JSON"), ("[]", r"described is \[\], where an obj")]
)
def test_a_description_that_is_none(file: Path, text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(json, "dumps", lambda _, dumps=json.dumps, **more: dumps(_, **more) if more else text)
        write_tensors(file, {"one": torch.zeros(1)}, {})
    with pytest.raises(CheckpointError, match=message):
        read_tensors(file)


def test_the_published_files_are_as_they_would_be_written_now(tmp_path: Path) -> None:
    assert published()
    for file in {one for path in published() for one in path.parent.glob("*.safetensors")}:
        write_tensors(tmp_path / file.name, *read_tensors(file))
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()


def test_a_network_has_a_value_for_every_seat_there_may_be() -> None:
    class Crowd(Kuhn):
        seats = (2, 6)  # type: ignore[assignment]  # more than Kuhn has

    shape = Shape.of(Crowd(2), width=4)
    assert shape.seats == 6
    _, values = Network(shape)(torch.zeros(3, shape.observation_size))
    assert values.shape == (3, 6)


def test_files_that_do_not_say_their_seats_have_four(file: Path) -> None:
    tensors, described = read_tensors(file)
    shape = {name: value for name, value in described["shape"].items() if name != "seats"}
    write_tensors(file, tensors, described | {"shape": shape})
    assert load_network(file).shape == Shape.of(PortaNigra(2), width=32)
    published = PortaNigra.networks()[2].with_name("two_players.safetensors")  # made before files said it
    assert "seats" not in read_tensors(published)[1]["shape"]
    assert load_network(published).shape.seats == 4


@dataclass(frozen=True)
class TinyShape:
    """One layer with a number of units."""

    observation_size: int
    num_actions: int
    seats: int
    units: int


class Tiny(PlayingNetwork):
    """A custom network, which a file names by its import path."""

    shape_class = TinyShape

    def __init__(self, shape: TinyShape) -> None:
        super().__init__(shape)
        self.enter = torch.nn.Linear(shape.observation_size, shape.units)
        self.heads = torch.nn.Linear(shape.units, shape.num_actions + shape.seats)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = self.heads(torch.relu(self.enter(observations)))
        return found[:, : self.shape.num_actions], found[:, self.shape.num_actions :]


def test_a_custom_network_plays_and_guides_from_its_file(tmp_path: Path) -> None:
    env = positions(2, 5)
    game = env.game
    torch.manual_seed(2)
    tiny = Tiny(TinyShape(game.observations.size, game.actions.size, max(game.seats), 8))
    path = tmp_path / "tiny.safetensors"
    save_network(path, tiny, [game])
    tensors, described = read_tensors(path)
    assert described["kind"] == f"{__name__}:Tiny"
    found = load_network(path, game)
    assert isinstance(found, Tiny)
    assert found.shape == tiny.shape
    assert found.fingerprint() == tiny.fingerprint()
    view = env.view(0)
    for text in (f"network:checkpoint={path}", f"guided:checkpoint={path},simulations=4"):
        assert view.action_mask[make(text, game).act(view)]
    for kind, message in (
        (3, "kind is 3, where a text is needed"),
        ("nowhere:Tiny", "kind: 'nowhere:Tiny' is not imported; import nowhere first, or allow it with"),
        (".relative:Tiny", "kind: '.relative:Tiny' is not imported"),
        (f"{__name__}:Small", f"kind: '{__name__}:Small' is no agents.networks.network.PlayingNetwork"),
        ("pathlib:Path", "kind: 'pathlib:Path' is no agents.networks.network.PlayingNetwork"),
    ):
        write_tensors(tmp_path / "other", tensors, described | {"kind": kind})
        with pytest.raises(CheckpointError, match=re.escape(message)):
            load_network(tmp_path / "other", game)


def test_a_file_imports_only_allowed_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game, code = (
        Kuhn(),
        "from tests.agents.test_network import Tiny\n\nprint('imported')\n\n\nclass Mine(Tiny):\n    pass\n",
    )
    (tmp_path / "module_of_a_file.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "module_of_a_file", raising=False)
    tiny = Tiny(TinyShape(game.observations.size, game.actions.size, 2, 8))
    save_network(tmp_path / "tiny", tiny, [game])
    tensors, described = read_tensors(tmp_path / "tiny")
    write_tensors(tmp_path / "mine", tensors, described | {"kind": "module_of_a_file:Mine"})
    monkeypatch.setenv(CLASSES, "module_of_a_file:Other")
    with pytest.raises(CheckpointError, match=f"allow it with {CLASSES}=module_of_a_file:Mine"):
        load_network(tmp_path / "mine", game)
    assert "imported" not in capsys.readouterr().out
    monkeypatch.setenv(CLASSES, f"{__name__}:Tiny,module_of_a_file:Mine")
    assert type(load_network(tmp_path / "mine", game)).__name__ == "Mine"
    write_tensors(tmp_path / "mine", tensors, described | {"kind": ".module:Mine"})
    monkeypatch.setenv(CLASSES, ".module:Mine")
    with pytest.raises(CheckpointError, match=r"kind: '\.module:Mine' cannot be imported"):
        load_network(tmp_path / "mine", game)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"blocks": 10**9}, "it does not hold the network it describes: 1000000000 blocks in 9 arrays"),
        ({"width": 10**9}, "it does not hold the network it describes: blocks.0.bias is (32,), expected (1000000000,)"),
        ({"blocks": -1}, "blocks of its shape must be at least 0, got -1"),
    ],
)
def test_sizes_are_bounded_by_the_arrays(file: Path, sizes: dict[str, int], message: str) -> None:
    tensors, described = read_tensors(file)
    write_tensors(file, tensors, described | {"shape": described["shape"] | sizes})
    for load in (load_network, load_numpy):
        with pytest.raises(CheckpointError, match=re.escape(message)):
            load(file, PortaNigra(2))


def test_sizes_of_custom_networks_are_bounded_by_the_arrays(tmp_path: Path) -> None:
    game = Kuhn()
    for units in (8, 10**12):
        tiny = Tiny(TinyShape(game.observations.size, game.actions.size, 2, 8))
        tiny.shape = TinyShape(game.observations.size, game.actions.size, 2, units)
        save_network(tmp_path / str(units), tiny, [game])
    assert load_network(tmp_path / "8", game).shape.units == 8
    with pytest.raises(CheckpointError, match="units is 1000000000000, in 5 arrays of at most 88 numbers"):
        load_network(tmp_path / str(10**12), game)


def test_a_deeply_nested_description_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, dumps = "[" * 200_000 + "]" * 200_000, json.dumps
    with monkeypatch.context() as patched:
        patched.setattr(json, "dumps", lambda value, **more: dumps(value, **more) if more else text)
        write_tensors(tmp_path / "deep", {"one": torch.zeros(1)}, {})
    with pytest.raises(CheckpointError, match="described is no JSON"):
        read_tensors(tmp_path / "deep")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e300])
@pytest.mark.parametrize("name", ["policy.weight", "blocks.0.bias", "value_scale"])
def test_weights_that_are_not_finite_in_float32_are_refused(file: Path, name: str, number: float) -> None:
    tensors, described = read_tensors(file)
    tensors[name] = tensors[name].double()
    tensors[name].view(-1)[-1] = number
    write_tensors(file, tensors, described)
    for load in (load_network, load_numpy):
        with pytest.raises(CheckpointError, match=f"{re.escape(str(file))}: {name} has NaN or infinite numbers"):
            load(file, PortaNigra(2))


# -- players


@pytest.mark.parametrize("temperature", ["0", "0.7"])
def test_decisions_are_legal_and_the_same_alone_and_together(file: Path, temperature: str) -> None:
    env = positions(2, 60)
    agent = make(f"network:checkpoint={file},temperature={temperature}", env.game, seed=3)
    views = env.views()
    together = agent.act_batch(views)
    alone = [agent.act(view) for view in views]
    assert together.tolist() == alone
    assert all(view.action_mask[action] for view, action in zip(views, alone, strict=True))
    assert [agent.act(view) for view in views] == alone


def test_draws_follow_the_probabilities(file: Path) -> None:
    env = positions(2, 30)
    view = next(view for view in env.views() if len(view.legal_ids()) > 3)
    drawn = np.zeros(env.game.actions.size)
    network = load_network(file, env.game)
    for seed in range(2000):
        agent = NetworkAgent("drawn", env.game, network, temperature=20.0, seed=seed)
        drawn[agent.act(view)] += 1 / 2000
    # Four standard errors of a share of 2,000.
    np.testing.assert_allclose(drawn, agent.policy(view), atol=0.045)


def test_values_stand_by_seat(file: Path) -> None:
    env = positions(3, 20)
    network = load_network(file, env.game)
    network.value_scale.fill_(7.0)
    agent = NetworkAgent("one", env.game, network)
    for view in env.views():
        with torch.no_grad():
            values = network(to_tensor(view.observation[None]))[1][0].numpy() * 7.0
        expected = [values[(seat - view.player) % 3] for seat in range(3)]
        assert agent.value(view).tolist() == pytest.approx(expected, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_the_published_network_expects_for_all_seats_adds_up_to_nothing(players: int) -> None:
    """Results do; a network that was taught wrong seats would be off by tenths."""
    game = PortaNigra(players)
    agent = make("network", game)
    assert isinstance(agent, NetworkAgent)
    env = BatchEnv(game, 30)
    env.reset(seed=3)
    expected = []
    for step in range(100):
        env.step(env.random_actions())
        if step % 20 == 19:
            expected += [np.roll(agent.value(view), -view.player) for view in env.views()]
    values = np.array(expected)
    assert np.sqrt((values.sum(axis=1) ** 2).mean()) < 0.1
    if players == 2:
        assert np.polyfit(values[:, 0], values[:, 1], 1)[0] == pytest.approx(-1.0, abs=0.1)


def test_by_name(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(text: str, message: str, game: Any = None) -> None:
        with pytest.raises(AgentError, match=message):
            make(text, game or PortaNigra(2))

    refused(f"network:checkpoint={file},temperature=-1", "temperature must be at least 0")
    refused("network", "agent 'network': no network is published for kuhn", Kuhn())
    refused("network:checkpoint=nowhere", "there is no such file")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    refused(f"network:checkpoint={file},device=cuda", "device: there is no CUDA device here")
    monkeypatch.setitem(sys.modules, "agents.networks.neural", None)
    refused(f"network:checkpoint={file}", r"pip install 'porta-nigra-env\[train\]'")
