"""The gain of search: measured for several networks, and repeatable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from agents.networks.network import Network, save_network
from benchmarks.search_gain import Pairing, main, pairings
from porta_nigra_env.games import make_game
from porta_nigra_env.players.network import Shape
from tests.training.small import words

OPTIONS = words("--game nim --deals 30 --determinizations 16 --rollout-steps 20 --threads 1 --seed 3")


def network(file: Path, seed: int, reward: str = "outcome") -> str:
    """Save an untrained network."""
    game = make_game("nim", 2)
    torch.manual_seed(seed)
    made = Network(Shape.of(game, 16, 1))
    made.reward = reward
    save_network(file, made, [game])
    return str(file)


def test_every_search_meets_its_network_and_all_meet_the_first() -> None:
    assert list(pairings(["a", "b"], [2, 3]))[:4] == [
        Pairing(2, "a", True, "a"),
        Pairing(2, "b", True, "b"),
        Pairing(2, "b", False, "a"),
        Pairing(2, "b", True, "a"),
    ]
    assert len(list(pairings(["a", "b", "c"], [2, 3]))) == 14


def test_search_beats_an_untrained_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = network(tmp_path / "first", 1), network(tmp_path / "second", 2)
    figures = []
    for name in ("one.json", "two.json"):
        assert main([first, second, *OPTIONS, "--out", str(tmp_path / name)]) == 0
        figures.append(json.loads((tmp_path / name).read_text()))
    assert "30 deals from every seat" in capsys.readouterr().out
    assert figures[0]["pairings"] == figures[1]["pairings"]
    wins = {(one["who"], one["searched"], one["against"]): one["wins"] for one in figures[0]["pairings"]}
    # From a heap of four the second player always wins; elsewhere search helps.
    for who, against in ((first, first), (second, second), (second, first)):
        share, low, _ = wins[who, True, against]
        assert share > 0.65, (who, against)
        assert low > 0.5
    assert wins[second, False, first][1] < 0.65


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "NETWORK: name one or several different networks"),
        (["first", "../same/first"], "NETWORK: name one or several different networks"),
        (["nobody"], "there is no such file"),
        (["network"], "no network is published for nim"),
        (["second"], "trained with the reward 'points'"),
        (["first", "--precision", "float8"], "--precision must be float32, bfloat16 or auto"),
        (["first", "--deals", "0"], "--deals must be at least 1"),
        (["first", "--players", "3"], "--players must be out of 2"),
        (["first", "--step-size", "inf"], "--step-size must be at least 0"),
        (["first", "--out", "nowhere/gap.json"], "--out: nowhere/gap.json must be a file"),
        (["first", "--out", "."], "--out: . must be a file"),
    ],
)
def test_networks_that_cannot_be_measured(
    options: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("here", "same"):
        (tmp_path / name).mkdir()
        network(tmp_path / name / "first", 1)
    monkeypatch.chdir(tmp_path / "here")
    network(Path("second"), 1, "points")
    assert main([*options, "--game", "nim"]) == 2
    assert words in capsys.readouterr().err
