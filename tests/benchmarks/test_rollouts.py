"""The search of docs/environments.md: it is the measured one, it plays well, and compiled rollouts pay."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import rollouts
from benchmarks.rollouts import Node, search, step_by_step
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.toys.nim.game import Nim

PAGE = Path(__file__).parents[2] / "docs" / "environments.md"


@pytest.mark.parametrize("part", [Node, search], ids=lambda part: part.__name__)
def test_the_page_shows_what_is_measured(part: object) -> None:
    assert inspect.getsource(part) in PAGE.read_text(encoding="utf-8")  # type: ignore[arg-type]


@pytest.mark.parametrize("heap", [5, 6, 7, 9, 11])
def test_it_finds_what_wins(heap: int) -> None:
    """In Nim with 1 to 3 to take, the player who leaves a multiple of 4 wins."""
    game = Nim()
    state = State(game, game.load_position({"heap": heap, "current_player": 0}))
    assert state.action_text(search(state.view(), 1500)) == game.action_texts[heap % 4 - 1]


def test_rollouts_of_both_kinds_end_alike() -> None:
    game = make_game(DEFAULT_GAME)
    state = State(game, game.new_states(2))
    means = [np.mean([way(state, seed).totals() for seed in range(150)]) for way in (State.rollout, step_by_step)]
    assert means[0] == pytest.approx(means[1], rel=0.1)


def test_a_short_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled rollouts are several times faster; measured side by side in one run."""
    monkeypatch.setattr(rollouts, "SIMULATIONS", 40)
    monkeypatch.setattr(rollouts, "GAMES", 40)
    file = tmp_path / "figures.json"
    assert rollouts.main(["--seconds", "0.2", "--runs", "3", "--json", str(file)]) == 0
    assert "search, State.rollout" in capsys.readouterr().out
    rates = {line["name"]: line["per_second"] for line in json.loads(file.read_text())["lines"]}
    assert rates["search, State.rollout"] > 2 * rates["search, step by step"]
    assert min(rates["play_games from a state"], rates["State.rollout"]) > 3 * rates["games step by step"]
