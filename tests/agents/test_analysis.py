"""Statistics of games agree with the games."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from agents.arena.analysis import concatenate, course_tables, main, starter_share, watch
from agents.porta_nigra.analysis import columns, purchases
from agents.registry import make
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State
from tests.agents.conftest import Refuses
from tests.toys.kuhn.game import Kuhn


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
        assert course.places[row].tolist() == state.places().tolist()
        assert course.rounds[row] == state.to_dict()["round"]
    found = purchases(course, game)
    assert found.honours.tolist() == honours.tolist()
    assert found.built.sum() == elements
    assert found.by_influence == influence
    assert columns(course) == {"early ends": "0.0%"}
    assert len(course.choices) == decisions
    assert (course.sources.sum(axis=2) == course.scores).all()


def test_courses_are_put_concatenate() -> None:
    game = PortaNigra(2)
    agent = make("random", game, 3)
    whole = watch(game, agent, 6, 50)
    parts = concatenate([watch(game, agent, 4, 50), watch(game, agent, 2, 54)])
    assert np.array_equal(whole.scores, parts.scores)
    assert np.array_equal(whole.counts, parts.counts)
    assert whole.ends.tobytes() == parts.ends.tobytes()
    assert starter_share(whole) == starter_share(parts)
    assert 0 <= starter_share(whole).low <= starter_share(whole).value <= starter_share(whole).high <= 1


def test_a_game_of_two_decisions_is_counted_too() -> None:
    """Without rounds, phases and sources of points; the page has none of them either."""
    game = Kuhn()
    course = watch(game, make("random", game, 3), 50, 1)
    assert not course.starters.any()
    assert set(course.lengths.tolist()) == {2, 3}
    assert len(course.choices) == course.counts.sum() == course.lengths.sum()
    assert (course.scores.sum(axis=1) == 0).all()
    games, choices = course_tables({(2, "random"): course}, game)
    assert "last round" not in games
    assert "early ends" not in games
    assert "move" in choices


def test_the_page_and_its_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["random", "--players", "2", "--games", "4", "--out", str(tmp_path / "page")]) == 0
    page = (tmp_path / "page" / "game_analysis.md").read_text(encoding="utf-8")
    heads = re.findall("^## ([A-Z][a-z]+ [a-z]+|[A-Z][a-z]+)", page, re.MULTILINE)
    assert heads == ["Games", "Points by", "Elements built", "Honour cards", "Cards of", "Legal actions"]
    assert "![Points by source](game_sources.png)" in page
    assert "fifteen_points" in page
    assert (tmp_path / "page" / "game_sources.png").read_bytes().startswith(b"\x89PNG")
    assert page.strip() in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["nobody", "--out", "x"], "there is no agent 'nobody'"),
        (["random", "--games", "0", "--out", "x"], "--games must be at least 1, not 0"),
        (["random", "--seed", "-3", "--out", "x"], "seed"),
        (["random"], "--out FOLDER is needed"),
        (["--out", "x"], "at least one agent is needed"),
        (["random", "--out", "x", "--game", "go"], "there is no game 'go'"),
        (["random", "--out", "x", "--players", "7"], "num_players must be 2, 3 or 4, not 7"),
    ],
)
def test_wrong_arguments(wrong: list[str], message: str, refuses: Refuses) -> None:
    refuses(main, wrong, message)
