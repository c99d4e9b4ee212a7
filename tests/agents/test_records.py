"""Recorded games: the same games with their actions, playthroughs, and data sets."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest
import torch

from agents.arena import playing, records
from agents.arena.matches import Setup
from agents.arena.records import episodes, game_of, playthrough_of, recorded, steps
from agents.arena.results import RESULTS, read
from agents.networks.network import Network, save_network
from porta_nigra_env.core.game import playthrough
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.events import Facts
from porta_nigra_env.core.narration.history import decoded
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.network import Shape
from tests.agents.tournaments import SLOW, lines, played, porta_nigra


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recorded games of compiled policies, of agents that answer for many games, and of others."""
    folder = tmp_path_factory.mktemp("recorded")
    torch.manual_seed(0)  # some untrained networks draw
    save_network(folder / "network", Network(Shape.of(PortaNigra(2), width=8)), [PortaNigra(2)])
    agents = ("random", "probe-lowest", "probe-asked", f"network:checkpoint={folder / 'network'}")
    for name, record in (("plain", False), ("recorded", True)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(playing, "SIDE_BY_SIDE", 5)
            played(Setup(porta_nigra, agents, 5, record=record), [2], 2, folder / name)
    return folder


def test_recorded_games_are_the_games_with_their_actions(folder: Path) -> None:
    plain, with_actions = lines(folder / "plain"), [json.loads(line) for line in lines(folder / "recorded")]
    assert with_actions == lines_with(with_actions, plain)
    header, games = recorded(folder / "recorded")
    game = game_of(header, 2)
    assert len(games) == len(plain) - 1 == 12
    for one in games:
        state = State(game, game.new_states(one.seed))
        for action in one.actions:
            state.apply_id(action)
        assert state.is_over
        assert state.totals().tolist() == list(one.scores)


def lines_with(lines: list[Any], plain: list[str]) -> list[Any]:
    """Return plain lines with the actions of others."""
    return [
        json.loads(text) | ({"actions": line["actions"]} if "actions" in line else {})
        for line, text in zip(lines, plain, strict=True)
    ]


def test_a_recorded_game_is_a_playthrough(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.txt"
    header, games = recorded(folder / "recorded")
    assert records.main([str(folder / "recorded"), "--game", "1", "--playthrough", str(file)]) == 0
    text, game = file.read_text(encoding="utf-8"), game_of(header, 2)
    assert text == playthrough_of(game, games[1])
    assert "#   player" in text
    found = playthrough.read(text)
    state = State(game, game.new_states(found.seed_of(game)))
    assert playthrough.replay(text, state) == games[1].decisions
    assert records.main([str(folder / "recorded")]) == 0
    assert capsys.readouterr().out.count("seed ") == len(games)


def test_steps_and_episodes_are_those_of_the_players_views(folder: Path) -> None:
    header, games = recorded(folder / "recorded")
    game, one = game_of(header, 2), games[0]
    state, rows, facts = State(game, game.new_states(one.seed)), list(steps(game, one, history=5)), Facts(game)
    assert [row["action"] for row in rows] == list(one.actions)
    for row in rows:
        view = state.view(row["seat"])
        assert row["seat"] == state.current_player
        assert row["agent"] == one.match.agents[row["seat"]]
        np.testing.assert_array_equal(row["observation"], view.observation)
        np.testing.assert_array_equal(row["legal"], view.legal_ids())
        events, latest = json.loads(row["events"])[-5:], decoded(facts, row["history"], row["seat"])
        assert events == list(map(facts.record, latest))[len(latest) - len(events) :]
        state.apply_id(row["action"])
    both = list(episodes(game, one))
    assert sorted(episode["rewards"].sum() for episode in both) == [-1, 1]
    for episode in both:
        taken = np.arange(len(episode["actions"])), episode["actions"]
        assert episode["observations"]["action_mask"][:-1][taken].all()
        assert len(episode["observations"]["observation"]) == len(episode["actions"]) + 1
        assert episode["terminations"].tolist() == [False] * (len(episode["actions"]) - 1) + [True]


def test_parquet_has_a_row_for_each_step(folder: Path, tmp_path: Path) -> None:
    parquet = ["--parquet", str(tmp_path / "steps.parquet"), "--history", "4"]
    assert records.main([str(folder / "recorded"), *parquet]) == 0
    table = pyarrow.parquet.read_table(tmp_path / "steps.parquet").to_pylist()
    assert all(len(row["history"]) == 4 for row in table)
    assert [row["action"] for row in table] == [
        action for one in recorded(folder / "recorded")[1] for action in one.actions
    ]


def test_minari_gets_an_episode_for_each_seat(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls of https://minari.farama.org/api/minari_functions."""
    given: dict[str, Any] = {}
    minari, collector = ModuleType("minari"), ModuleType("minari.data_collector")
    collector.EpisodeBuffer = type("EpisodeBuffer", (), {"__init__": lambda self, **more: self.__dict__.update(more)})  # type: ignore[attr-defined]
    minari.create_dataset_from_buffers = lambda *names, **more: given.update(more, names=names)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "minari", minari)
    monkeypatch.setitem(sys.modules, "minari.data_collector", collector)
    assert records.main([str(folder / "recorded"), "--minari", "porta_nigra/games-v0", "--history", "3"]) == 0
    name, buffers = given["names"]
    assert name == "porta_nigra/games-v0"
    assert [buffer.id for buffer in buffers] == list(range(2 * 12))
    for i in (0, -1):
        observation = {key: values[i] for key, values in buffers[0].observations.items()}
        assert given["observation_space"].contains(observation)
    assert given["action_space"].contains(buffers[0].actions[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain"], "there are no recorded games; play with --record"),
        (["nowhere"], "there are no recorded games"),
        (["recorded", "--game", "12"], "--game must be in 0..11, not 12"),
        (["recorded", "--playthrough", "x"], "add --game NUMBER"),
        (["recorded", "--parquet", "x"], "this needs pyarrow: pip install pyarrow"),
        (["recorded", "--minari", "x-v0"], "this needs minari: pip install minari"),
        (["recorded", "--components", "OTHER"], "the games have other components than"),
    ],
)
def test_wrong_arguments(
    arguments: list[str],
    message: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = Path(__file__).parents[1] / "games" / "porta_nigra" / "components" / "other.toml"
    for name in ("pyarrow", "minari"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        records.main([str(folder / arguments[0]), *(str(other) if one == "OTHER" else one for one in arguments[1:])])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_other_versions_are_refused(folder: Path) -> None:
    header, _ = recorded(folder / "recorded")
    with pytest.raises(records.RecordError, match="the games are of porta_nigra_v7, here it is porta_nigra_v0"):
        game_of(
            type(header)(
                **{name: getattr(header, name) for name in header.__struct_fields__} | {"game": "porta_nigra_v7"}
            ),
            2,
        )


def test_a_folder_may_be_recorded_later(tmp_path: Path) -> None:
    played(SLOW, [2], 2, tmp_path)
    before = (tmp_path / RESULTS).read_bytes()
    played(Setup(SLOW.game_of, SLOW.agents, SLOW.seed, record=True), [2], 4, tmp_path)
    assert (tmp_path / RESULTS).read_bytes().startswith(before)
    results = read(tmp_path)
    assert results is not None
    assert [len(one.actions) for one in results.games] == [0] * 6 + [one.decisions for one in results.games[6:]]
