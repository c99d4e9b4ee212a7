"""The published ladder is read strictly, checked on other deals, and contradicted by evidence only."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agents import registry, tournament
from agents.agent import Agent
from agents.arena.matches import MatchError
from agents.arena.ratings import wilson
from agents.arena.report import report
from agents.arena.results import RESULTS, BusyFolderError, ForeignFolderError, read
from agents.ladder import (
    LadderError,
    check,
    contradictions,
    ladder_table,
    least_games,
    main,
    published,
    read_ladder,
)
from agents.players.scripted import ScriptedAgent
from agents.registry import Entry
from agents.tournament import room_of, run, write_report
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


PLAY = ["play", *AGENTS, "--players", "2", "--games", "60"]
#: Four agents, with the low ends of the distances to the next.
AHEAD = [("first", 0), ("second", 1), ("third", -1), ("fourth", 3)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ladder of two-player games."""
    folder = tmp_path_factory.mktemp("ladder")
    assert main([*PLAY, "--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def ladder(folder: Path) -> dict[str, Any]:
    """The same, as it is written."""
    return read_ladder(folder / "ladder.json")


def turned(ladder: Mapping[str, Any], low: float = 1) -> dict[str, Any]:
    """A ladder upside down, all distances with this low end."""
    rungs = [{**one, "ahead": [low, low, low]} for one in ladder["players"]["2"][::-1]]
    return {**ladder, "players": {"2": rungs}}


def test_a_ladder_says_what_was_played(ladder: dict[str, Any]) -> None:
    rungs = ladder["players"]["2"]
    assert {one["agent"] for one in rungs} == set(AGENTS)
    ratings = [one["rating"][0] for one in rungs]
    assert ratings == sorted(ratings, reverse=True)
    assert (ladder["seed"], ladder["games"]) == (1, {"2": 60})
    assert {one["agent"]: one["fingerprint"] for one in rungs} == room_of(AGENTS, 1).fingerprints(2)
    for above, below in itertools.pairwise(rungs):
        assert above["ahead"][0] == pytest.approx(above["rating"][0] - below["rating"][0], abs=0.6)
    assert rungs[-1]["ahead"] is None
    lines = ladder_table(rungs).splitlines()
    assert len(lines) == 5
    value, low, high = rungs[0]["ahead"]
    assert re.match(rf"\| 1 +\| `{rungs[0]['agent']}` +\|.*\| +{value} \| +{low} to {high} \|", lines[2])


def test_equal_agents_are_those_whose_difference_may_be_none() -> None:
    rungs = [{"agent": name, "rating": [0, 0, 0], "win": [0, 0, 0], "ahead": [5, low, 9]} for name, low in AHEAD]
    marks = [
        line.split("|")[1].strip() for line in ladder_table([*rungs[:-1], {**rungs[-1], "ahead": None}]).splitlines()
    ]
    assert marks[2:] == ["1", "2 =", "3", "4 ="]


def test_a_finished_folder_is_only_written_anew(
    ladder: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament, "play_all", None)
    before = (folder / RESULTS).read_bytes()
    (folder / "ladder.json").unlink()
    assert main([*PLAY, "--out", str(folder)]) == 0
    assert read_ladder(folder / "ladder.json") == ladder
    assert (folder / RESULTS).read_bytes() == before


def test_a_true_ladder_stands(ladder: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps(ladder))
    assert main(["check", "--ladder", str(file), "--games", "40"]) == 0
    assert "agrees" in capsys.readouterr().out
    assert main(["show", "--ladder", str(file)]) == 0
    assert "2 players" in capsys.readouterr().out


def test_a_false_ladder_falls(ladder: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps(turned(ladder)))
    assert main(["check", "--ladder", str(file), "--games", "60"]) == 1
    # Every pair, not only neighbours.
    assert capsys.readouterr().err.count("is published below") == 3
    # What is published as equal may be in any order.
    assert check(turned(ladder, low=0), {2: 20}, 1, tmp_path / "games", progress=False) == []


def test_agents_that_a_chain_joins_may_be_in_any_order(folder: Path, ladder: dict[str, Any]) -> None:
    results = read(folder)
    assert results is not None
    sample = report(results).sections[0]
    rungs = turned(ladder)["players"]["2"]
    low = {"agent": rungs[0]["agent"], "ahead": [1, 0, 2]}
    assert len(contradictions(sample, rungs)) == 3
    assert len(contradictions(sample, [low, *rungs[1:]])) == 2
    assert contradictions(sample, [low, {**rungs[1], "ahead": [1, 0, 2]}, rungs[2]]) == []


def test_a_check_plays_other_deals(ladder: dict[str, Any], tmp_path: Path) -> None:
    check(ladder, {2: 8}, 1, tmp_path, progress=False)
    results = read(tmp_path / "2")
    assert results is not None
    assert results.header["seed"] != ladder["seed"]


def test_a_sample_too_small_for_a_contradiction_is_refused(
    ladder: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four deals are the fewest whose interval is above one half when all of them are won."""
    assert [least_games(players) for players in (2, 3, 4)] == [7, 10, 13]
    assert wilson(1.0, 3).low < 0.5 < wilson(1.0, 4).low
    with pytest.raises(LadderError, match=r"6 games at 2 players cannot contradict .* at least 7 are needed"):
        check(ladder, {2: 6}, 1, tmp_path / "games", progress=False)
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps(ladder))
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--ladder", str(file), "--games", "2:6"])
    assert stopped.value.code == 2
    assert "at least 7" in capsys.readouterr().err
    assert not (tmp_path / "games").exists()


def test_contradictions_need_evidence(tmp_path: Path) -> None:
    """As many games as it takes, and agents that are worlds apart."""
    room = room_of(["random", "ladder-lowest"], 5)
    written = write_report(tmp_path, run(room, [2], 30, tmp_path))
    content = published(written, {2: 30})
    assert contradictions(written.sections[0], content["players"]["2"]) == []
    assert len(contradictions(written.sections[0], turned(content)["players"]["2"])) == 1


def test_a_ladder_of_another_agent_of_the_same_text_is_refused(ladder: dict[str, Any], tmp_path: Path) -> None:
    rungs = [{**one, "fingerprint": "0" * 16} if one["agent"] == "random" else one for one in ladder["players"]["2"]]
    with pytest.raises(LadderError, match=r"another random at 2 players: .* fingerprint '0000000000000000', here"):
        check({**ladder, "players": {"2": rungs}}, {2: 8}, 1, tmp_path, progress=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[]", "format: expected 'ladder/2'"),
        ('{"format": "ladder/1"}', "format: expected 'ladder/2', not 'ladder/1'; .*ladder play writes it anew"),
        ('{"format": "ladder/2", "seed": 1}', "players: expected"),
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


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["seed"], "1", "seed must be an integer, not '1'"),
        (["seed"], -1, "seed must be in"),
        (["tables"], {}, "tables: expected one of type str"),
        (["games"], 60, "games: expected one of type int"),
        (["players"], {"two": []}, "players: expected lists"),
        (["players", "2"], [1, 2], "players: 2: expected a list of at least two agents"),
        (["players", "2"], [], "players: 2: expected a list of at least two agents"),
        (["players", "2", 0, "agent"], None, "players: 2: 1: agent must be a text"),
        (["players", "2", 0, "fingerprint"], None, "players: 2: 1: fingerprint must be a text"),
        (["players", "2", 1, "rating"], [1, 2], "rating must be a value and its interval"),
        (["players", "2", 1, "win"], [1, 2, None], "win must be a value and its interval"),
        (["players", "2", 1, "win"], [1, 2, float("nan")], "win must be a value and its interval"),
        (["players", "2", 0, "ahead"], None, "ahead must be a value and its interval"),
        (["players", "2", 1, "agent"], "random", "an agent stands there twice"),
    ],
)
def test_every_part_of_a_ladder_is_read_strictly(
    ladder: dict[str, Any], keys: list[Any], value: Any, message: str, tmp_path: Path
) -> None:
    changed = json.loads(json.dumps(ladder))
    part = changed
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = value
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps(changed))
    with pytest.raises(LadderError, match=message):
        read_ladder(file)


def test_a_ladder_of_other_tables_or_agents_is_refused(ladder: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(LadderError, match="other tables"):
        check({**ladder, "tables": {"2": "0" * 64}}, {2: 8}, 1, tmp_path, progress=False)
    with pytest.raises(LadderError, match="one of another_v7, here it is porta_nigra_v"):
        check({**ladder, "game": "another_v7"}, {2: 8}, 1, tmp_path, progress=False)
    with pytest.raises(LadderError, match="2 players: there is no agent 'nobody'"):
        check(
            {**ladder, "players": {"2": [{"agent": "nobody"}, {"agent": "random"}]}},
            {2: 8},
            1,
            tmp_path,
            progress=False,
        )
    with pytest.raises(LadderError, match="9 players: num_players must be"):
        check({**ladder, "players": {"9": ladder["players"]["2"]}}, {9: 80}, 1, tmp_path, progress=False)
    with pytest.raises(LadderError, match="No such file"):
        read_ladder(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["check", "--games", "0", "--ladder", "LADDER"], "must be at least 1, not 0"),
        (["check", "--jobs", "-1"], "must be at least 1, not -1"),
        (["play", "random"], "--out FOLDER is needed"),
        (["play", "random", "--out", "x"], "at least two agents"),
        (["play", "random", "random", "--out", "x"], "random is given twice"),
        (["play", "random", "nobody", "--out", "x"], "there is no agent 'nobody'"),
        (["play", "random", "builder", "--players", "5", "--out", "x"], "num_players must be 2, 3 or 4, not 5"),
        (["play", "random", "builder", "--games", "2:5", "--out", "x"], "there is none for 3 players"),
        (["play", "random", "builder", "--seed", "-1", "--out", "x"], "seed must be in"),
        ([], "command"),
        (["climb"], "climb"),
    ],
)
def test_wrong_arguments(
    wrong: list[str],
    message: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main([str(folder / "ladder.json") if one == "LADDER" else one for one in wrong])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("error", "answer", "message"),
    [
        (BusyFolderError("x: another process is writing there"), 1, "another process is writing there"),
        (MatchError("agent 'x' answered with the illegal action"), 1, "illegal action"),
        (PermissionError("not yours"), 1, "not yours"),
        (KeyboardInterrupt(), 130, "stopped; the same command goes on"),
        (ForeignFolderError("x holds another tournament"), 2, "holds another tournament"),
    ],
)
def test_what_goes_wrong_while_playing_is_said_in_a_line(
    error: BaseException,
    answer: int,
    message: str,
    ladder: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("agents.ladder.run", fail)
    monkeypatch.setattr(tournament, "run", fail)
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps(ladder))
    for program, arguments in (
        (main, [*PLAY, "--out", str(tmp_path / "games")]),
        (main, ["check", "--ladder", str(file)]),
        (tournament.main, ["random", "ladder-lowest", "--out", str(tmp_path / "games")]),
    ):
        found: object
        try:
            found = program(arguments)
        except SystemExit as stopped:
            found = stopped.code
        assert found == answer
        assert message in capsys.readouterr().err
