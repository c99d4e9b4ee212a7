"""Skill in learning curves: a published network judges the choices of the network that learns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.networks.neural import load_cached, network_file
from agents.review.estimates import baseline
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import make_game
from tests.training.small import SMALL, Refused, make_training
from training import curves
from training.ppo.program import main
from training.run.evaluation import BestAction
from training.run.folder import CURVE, EVALUATIONS
from training.run.skill import own_games, skill_of_choices

SEEDS = (11, 12)


def test_the_judge_finds_no_loss_in_its_choices_and_some_in_those_of_a_new_network() -> None:
    game = make_game("porta_nigra", 2)
    judge, new = baseline("network", game), make_training(2).network.eval()
    published = load_cached(network_file("published", game), game, "cpu")
    best, worst = (skill_of_choices(BestAction(one), game, SEEDS, judge) for one in (published, new))
    assert best.low <= best.value <= best.high
    assert abs(best.value) < 0.01
    assert worst.value < best.value - 0.01


def test_own_games_are_those_of_the_seeds() -> None:
    game = make_game("porta_nigra", 3)
    for seed, actions in zip(SEEDS, own_games(BestAction(make_training(3).network.eval()), game, SEEDS), strict=True):
        state = State(game, game.new_states(seed))
        for action in actions:
            assert not state.is_over
            state.apply_id(action)
        assert state.is_over


def test_a_run_has_skill_in_its_evaluations_and_curves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items() if name != "evaluate"]
    length = ["--evaluate", "random", "--deals", "2", "--total-timesteps", "256", "--evaluations", "1"]
    assert main([*small, *length, "--reviewed", "2", "--out", str(tmp_path / "run")]) == 0
    (line,) = map(json.loads, (tmp_path / "run" / EVALUATIONS).read_text().splitlines())
    value, low, high = line["skills"]["2 players"]
    assert low <= value <= high
    assert value < 0
    assert (tmp_path / "run" / CURVE).read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    assert curves.main([str(tmp_path / "run"), "--out", str(tmp_path / "curves.png")]) == 0
    assert f"{value:.4f} ({value:.4f} to {value:.4f})" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--reviewed", "1"], "--reviewed 1: one game has no interval"),
        (["--reviewed", "2", "--game", "aquileia", "--players", "6"], "players"),
    ],
)
def test_what_cannot_be_reviewed_is_refused(refused: Refused, options: list[str], message: str) -> None:
    refused(main, options, message)
