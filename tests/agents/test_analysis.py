"""What is counted in games is what happened in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.porta_nigra.analysis import main, starter_share, together, watch
from agents.registry import make
from porta_nigra_env.game import PortaNigra, State


@pytest.mark.parametrize("players", [2, 3])
def test_counts_are_those_of_the_same_games_played_one_by_one(players: int) -> None:
    game = PortaNigra(players)
    agent = make("random", game, 3)
    course = watch(game, agent, 4, 50)
    honours = np.zeros(game.actions["honour"].size, dtype=int)
    elements = influence = decisions = 0
    for row in range(4):
        state = State.new(players, 50 + row)
        assert course.starters[row] == state.to_dict()["starting_player"]
        length = 0
        while not state.is_over:
            player = state.current_player
            assert player is not None
            text = state.action_text(agent.act(state.view(player)))
            if text.startswith("honour "):
                honours[game.action_id(text) - game.actions["honour"].start] += 1
            elements += text.startswith("build ")
            influence += text.endswith("by influence")
            state.apply(text)
            length += 1
        decisions += length
        assert course.lengths[row] == length
        assert course.scores[row].tolist() == [one["total"] for one in state.scores()]
        assert course.rounds[row] == state.to_dict()["round"]
    assert course.honours.tolist() == honours.tolist()
    assert course.built.sum() == elements
    assert course.influence_built == influence
    assert len(course.choices) == decisions
    assert (course.sources.sum(axis=2) == course.scores).all()


def test_courses_are_put_together() -> None:
    game = PortaNigra(2)
    agent = make("random", game, 3)
    whole = watch(game, agent, 6, 50)
    parts = together([watch(game, agent, 4, 50), watch(game, agent, 2, 54)])
    assert np.array_equal(whole.scores, parts.scores)
    assert np.array_equal(whole.honours, parts.honours)
    assert starter_share(whole) == starter_share(parts)
    assert 0 <= starter_share(whole).low <= starter_share(whole).value <= starter_share(whole).high <= 1


def test_the_page_and_its_plots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["random", "--players", "2", "--games", "4", "--out", str(tmp_path / "page"), "--search", "flat"]
    assert main([*arguments, "--budgets", "5", "10", "--search-games", "4"]) == 0
    page = (tmp_path / "page" / "game_analysis.md").read_text(encoding="utf-8")
    for part in ("first player wins", "Points by source", "fifteen_points", "| 10 | 5 |", "The price of hidden"):
        assert part in page
    for picture in ("game_sources.png", "game_growth.png"):
        assert (tmp_path / "page" / picture).read_bytes().startswith(b"\x89PNG")
    assert page.strip() in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["nobody", "--out", "x"], "there is no agent 'nobody'"),
        (["random", "--games", "0", "--out", "x"], "must be positive"),
        (["random", "--seed", "-3", "--out", "x"], "seed"),
        (["random", "--search", "nobody", "--out", "x"], "there is no agent 'nobody'"),
        (["random"], "--out"),
    ],
)
def test_wrong_arguments(
    wrong: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(wrong)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
