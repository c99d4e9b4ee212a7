"""The published ladder is read strictly, checked on other deals, and contradicted by evidence only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agents import registry
from agents.agent import Agent
from agents.ladder import LadderError, check, contradictions, ladder_table, main, published, read_ladder, room_of
from agents.registry import Entry
from agents.scripted import ScriptedAgent
from agents.tournament import run, write_report
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.policy import Policy
from tests.envs.probes import HIGHEST, LOWEST


def scripted(policy: Policy, text: str, game: Game, seed: int, _: Mapping[str, Any]) -> Agent:
    """An entry's `make` for a compiled policy."""
    return ScriptedAgent(text, game, policy, seed)


for one in (LOWEST, HIGHEST):
    if f"ladder-{one.name}" not in registry.entries():
        registry.register(Entry(f"ladder-{one.name}", "", partial(scripted, one)))

AGENTS = ["random", "ladder-lowest", "ladder-highest"]


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A small ladder of two-player games, as it is written."""
    folder = tmp_path_factory.mktemp("ladder")
    arguments = ["play", *AGENTS, "--out", str(folder), "--players", "2", "--games", "60"]
    assert main(arguments) == 0
    found = read_ladder(folder / "ladder.json")
    assert main(arguments) == 0  # nothing is missing: the same again
    assert read_ladder(folder / "ladder.json") == found
    return found


def test_a_ladder_says_what_was_played(ladder: dict[str, Any]) -> None:
    rungs = ladder["players"]["2"]
    assert {one["agent"] for one in rungs} == set(AGENTS)
    ratings = [one["rating"][0] for one in rungs]
    assert ratings == sorted(ratings, reverse=True)
    assert ladder["seed"] == 1
    table = ladder_table(rungs)
    assert table.count("\n") == 4
    assert f"| 1 | `{rungs[0]['agent']}` |" in table


def test_a_true_ladder_stands(ladder: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps(ladder))
    assert main(["check", "--ladder", str(file), "--games", "40"]) == 0
    assert "agrees" in capsys.readouterr().out
    assert main(["show", "--ladder", str(file)]) == 0
    assert "2 players" in capsys.readouterr().out


def test_a_false_ladder_falls(ladder: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rungs = ladder["players"]["2"][::-1]
    false = {**ladder, "players": {"2": [{**one, "equal_to_above": False} for one in rungs]}}
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps(false))
    assert main(["check", "--ladder", str(file), "--games", "60"]) == 1
    assert "is published below" in capsys.readouterr().err
    # What is published as equal may be in any order.
    equal = {**ladder, "players": {"2": [{**one, "equal_to_above": True} for one in rungs]}}
    assert check(equal, 20, 1, tmp_path / "games", progress=False) == []


def test_a_check_plays_other_deals(ladder: dict[str, Any], tmp_path: Path) -> None:
    check(ladder, 4, 1, tmp_path, progress=False)
    header = json.loads((tmp_path / "2").glob("*.jsonl").__next__().read_text().splitlines()[0])
    assert header["seed"] != ladder["seed"]


def test_contradictions_need_evidence(tmp_path: Path) -> None:
    """The same agent under two names is never before itself beyond chance."""
    room = room_of(["random", "ladder-lowest"], 5)
    report = write_report(tmp_path, run(room, [2], 30, tmp_path))
    section = report.sections[0]
    content = published(report, 30)["players"]["2"]
    assert contradictions(section, content) == []
    assert len(contradictions(section, [{**one, "equal_to_above": False} for one in content[::-1]])) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[]", "format: expected 'ladder/1'"),
        ('{"format": "ladder/1"}', "players: expected"),
        ('{"format": "ladder/1", "players": {"2": [1]}}', "players: expected"),
    ],
)
def test_wrong_ladders_are_refused(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "ladder.json"
    file.write_text(content)
    with pytest.raises(LadderError, match=message):
        read_ladder(file)
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--ladder", str(file)])
    assert stopped.value.code == 2


def test_a_ladder_of_other_tables_or_agents_is_refused(ladder: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(LadderError, match="other tables"):
        check({**ladder, "tables": {"2": "0" * 64}}, 4, 1, tmp_path, progress=False)
    with pytest.raises(ValueError, match="there is no agent 'nobody'"):
        check({**ladder, "players": {"2": [{"agent": "nobody"}, {"agent": "random"}]}}, 4, 1, tmp_path, progress=False)
    with pytest.raises(LadderError, match="No such file"):
        read_ladder(tmp_path / "missing.json")


@pytest.mark.parametrize(
    "wrong", [["check", "--games", "0"], ["play", "random"], [], ["climb"], ["check", "--jobs", "-1"]]
)
def test_wrong_arguments(wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(wrong)
    assert stopped.value.code == 2
