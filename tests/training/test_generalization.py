"""The benchmark of networks on unknown component sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from agents.arena.ratings import Estimate
from agents.networks.network import Network, save_network
from benchmarks.generalization import main
from porta_nigra_env.games import make_game
from porta_nigra_env.players.network import Shape
from tests.training.small import words
from training.run.evaluation import Strength, over_sets


def test_a_network_of_one_set_plays_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = make_game("porta_nigra", 2)
    torch.manual_seed(1)
    file = tmp_path / "plain.safetensors"
    save_network(file, Network(Shape.of(game, 8)), [game])
    out = tmp_path / "figures.json"
    assert main([str(file), "random", *words("--sets 2 --deals 4 --first 7 --out"), str(out)]) == 0
    results = json.loads(out.read_text())["results"]
    assert [one["components"] for one in results] == ["standard", "varied:7", "varied:8"]
    assert "2 drawn sets" in capsys.readouterr().out
    assert main(["network", str(file), *words("--sets 2 --deals 1 --out"), str(out)]) == 0
    published = json.loads(out.read_text())["results"]
    assert [one["wins"][0] for one in published] == [1.0, 1.0, 1.0]
    # Two equal shares of one deal each say nothing.
    assert "100.0% (0.0% to 100.0%)" in capsys.readouterr().out


def test_the_interval_is_that_of_the_sets() -> None:
    apart, margin = over_sets([Strength(Estimate(0.1, 0, 0.2), -8.0), Strength(Estimate(0.9, 0.8, 1), 9.0)] * 5)
    # Ten sets with a standard deviation of 0.42: 2.26 standard errors of 0.133.
    assert apart == pytest.approx((0.5, 0.198, 0.802), abs=0.001)
    assert margin == 0.5


def test_a_lucky_agreement_of_sets_does_not_narrow_the_interval() -> None:
    """Equal sets have the variance within a set: standard errors of 0.1/1.96, over the root of their number."""
    for sets, quantile in ((2, 12.706), (3, 4.303), (10, 2.262)):
        equal, margin = over_sets([Strength(Estimate(0.5, 0.4, 0.6), 2.0)] * sets)
        half = quantile * 0.1 / 1.96 / sets**0.5
        assert equal == pytest.approx((0.5, 0.5 - half, 0.5 + half), abs=1e-4)
        assert margin == 2.0
    won, _ = over_sets([Strength(Estimate(1.0, 0.9, 1.0), 2.0)] * 3)
    assert won.low < won.value == won.high == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("builder builder", "AGENT: 'builder' plays inside batches only"),
        ("nothing.safetensors builder", "there is no such file"),
        ("network builder --players 9", "--players must be out of"),
        ("network unknown-agent", "unknown-agent"),
        ("network random --sets 1", "--sets must be at least 2, not 1"),
    ],
)
def test_wrong_options(options: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words(options)) == 2
    assert message in capsys.readouterr().err
