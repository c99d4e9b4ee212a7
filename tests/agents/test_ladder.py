"""The published ladder is read strictly, checked on other deals, and contradicted by evidence only."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from agents import registry
from agents.agent import Agent
from agents.arena.ladder import (
    PROGRAM,
    PUBLISHED,
    Ladder,
    LadderError,
    check,
    contradictions,
    least_games,
    main,
    published,
    read_ladder,
    sign,
    write_ladder,
)
from agents.arena.playing import MatchError
from agents.arena.ratings import share_of_deals
from agents.arena.report import report
from agents.arena.results import RESULTS, BusyFolderError, ForeignFolderError, read
from agents.arena.tournament import arena_of, run, write_report
from agents.registry import Entry
from agents.scripted import ScriptedAgent
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game
from tests.agents.conftest import Refuses
from tests.envs.probes import HIGHEST, LOWEST


def scripted(policy: Policy, text: str, game: Game, seed: int, _: Mapping[str, Any]) -> Agent:
    """An entry's `make` for a compiled policy."""
    return ScriptedAgent(text, game, policy, seed)


for one in (LOWEST, HIGHEST):
    if f"ladder-{one.name}" not in registry.entries():
        registry.register(Entry(f"ladder-{one.name}", "", partial(scripted, one)))

AGENTS = ["random", "ladder-lowest", "ladder-highest"]


PLAY = ["play", *AGENTS, "--players", "2", "--games", "60"]


def test_recorded_games_of_other_components_are_reported(tmp_path: Path) -> None:
    other = Path(__file__).parents[1] / "games" / "porta_nigra" / "components" / "other.toml"
    options = ["--record", "--components", str(other), "--out", str(tmp_path)]
    assert main(["play", *AGENTS, "--players", "2", "--games", "2", *options]) == 0
    assert 'href="http://127.0.0.1:8000/#replay?' in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ladder of two-player games."""
    folder = tmp_path_factory.mktemp("ladder")
    assert main([*PLAY, "--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def ladder(folder: Path) -> Ladder:
    """The same, as it is written."""
    return read_ladder(folder / "ladder.json")


def turned(ladder: Ladder, low: int = 1) -> Ladder:
    """A ladder upside down, all distances with this low end."""
    rows = [replace(one, ahead=(low, low, low)) for one in ladder.players["2"][::-1]]
    return replace(ladder, players={"2": rows})


def test_a_ladder_says_what_was_played(ladder: Ladder) -> None:
    rows = ladder.players["2"]
    assert {one.agent for one in rows} == set(AGENTS)
    ratings = [one.rating[0] for one in rows]
    assert ratings == sorted(ratings, reverse=True)
    assert (ladder.seed, ladder.games) == (1, {"2": 60})
    assert ladder.counts["2"].startswith("180 games, 30 deals.")
    assert {one.agent: one.fingerprint for one in rows} == arena_of(AGENTS, 1).fingerprints(2)
    for above, below in itertools.pairwise(rows):
        assert above.ahead is not None
        assert above.ahead[0] == pytest.approx(above.rating[0] - below.rating[0], abs=0.6)
    assert rows[-1].ahead is None


def test_a_finished_folder_plays_nothing(ladder: Ladder, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.arena.tournament.play_all", None)
    before = (folder / RESULTS).read_bytes()
    (folder / "ladder.json").unlink()
    assert main([*PLAY, "--out", str(folder)]) == 0
    assert read_ladder(folder / "ladder.json") == ladder
    assert (folder / RESULTS).read_bytes() == before


def test_a_true_ladder_stands(ladder: Ladder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ladder.json"
    write_ladder(file, ladder)
    assert main(["check", "--ladder", str(file), "--games", "40"]) == 0
    assert "agrees" in capsys.readouterr().out


def test_a_false_ladder_falls(ladder: Ladder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ladder.json"
    write_ladder(file, turned(ladder))
    assert main(["check", "--ladder", str(file), "--games", "60"]) == 1
    # Every pair, not only neighbours.
    assert capsys.readouterr().err.count("is published below") == 3
    # Equal agents may be in any order.
    assert check(turned(ladder, low=0), {2: 20}, 1, tmp_path / "games", progress=False) == []


def test_agents_that_a_chain_joins_may_be_in_any_order(folder: Path, ladder: Ladder) -> None:
    results = read(folder)
    assert results is not None
    sample = report(results).sections[0]
    rows = turned(ladder).players["2"]
    low = replace(rows[0], ahead=(1, 0, 2))
    assert len(contradictions(sample, rows)) == 3
    assert len(contradictions(sample, [low, *rows[1:]])) == 2
    assert contradictions(sample, [low, replace(rows[1], ahead=(1, 0, 2)), rows[2]]) == []


def test_a_check_plays_other_deals(ladder: Ladder, tmp_path: Path) -> None:
    check(ladder, {2: 14}, 1, tmp_path, progress=False)
    results = read(tmp_path / "2")
    assert results is not None
    assert results.header.seed != ladder.seed


def test_a_sample_too_small_for_a_contradiction_is_refused(
    ladder: Ladder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seven deals are the fewest whose interval is above one half when all of them are won."""
    assert [least_games(players) for players in (2, 3, 4)] == [13, 19, 25]
    assert share_of_deals(np.ones(6), np.ones(6)).low < 0.5 < share_of_deals(np.ones(7), np.ones(7)).low
    with pytest.raises(LadderError, match=r"12 games at 2 players are too few .* at least 13 are needed"):
        check(ladder, {2: 12}, 1, tmp_path / "games", progress=False)
    file = tmp_path / "ladder.json"
    write_ladder(file, ladder)
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--ladder", str(file), "--games", "2:6"])
    assert stopped.value.code == 2
    assert "at least 13" in capsys.readouterr().err
    assert not (tmp_path / "games").exists()


def test_contradictions_need_evidence(tmp_path: Path) -> None:
    """Agents of very different strength, and enough games."""
    arena = arena_of(["random", "ladder-lowest"], 5)
    written = write_report(tmp_path, run(arena, [2], 30, tmp_path))
    content = published(written, {2: 30})
    assert contradictions(written.sections[0], content.players["2"]) == []
    assert len(contradictions(written.sections[0], turned(content).players["2"])) == 1


def test_a_ladder_of_another_agent_of_the_same_text_is_refused(ladder: Ladder, tmp_path: Path) -> None:
    rows = [replace(one, fingerprint="0" * 16) if one.agent == "random" else one for one in ladder.players["2"]]
    forged = replace(ladder, players={"2": rows})
    with pytest.raises(LadderError, match=r"another random at 2 players: .* fingerprint '0000000000000000', here"):
        check(forged, {2: 14}, 1, tmp_path, progress=False)
    assert not list(tmp_path.iterdir())
    assert sign(forged) == ladder


def test_a_ladder_is_signed(ladder: Ladder, tmp_path: Path) -> None:
    """The file of the command differs in the fingerprints alone."""
    file = tmp_path / "ladder.json"
    rows = [replace(one, fingerprint="0" * 16) for one in ladder.players["2"]]
    write_ladder(file, replace(ladder, players={"2": rows}))
    assert main(["sign", "--ladder", str(file)]) == 0
    assert read_ladder(file) == ladder
    write_ladder(file, replace(ladder, tables={"2": "0" * 64}))
    with pytest.raises(SystemExit):
        main(["sign", "--ladder", str(file)])


@pytest.mark.parametrize("name", sorted(path.name for path in PUBLISHED.parent.glob("ladder*.json")))
def test_the_published_ladders_are_those_of_the_agents_here(name: str) -> None:
    """Fingerprints cover the heuristics' sources and the published networks' weights."""
    ladder = read_ladder(PUBLISHED.with_name(name))
    assert sign(ladder) == ladder


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "ladder.json: Input data was truncated"),
        ("[]", "Expected `object`, got `array`"),
        ('{"format": "ladder/2"}', "format: expected 'ladder/3', not 'ladder/2'; .*ladder play writes a new file"),
        ('{"format": "ladder/3", "seed": 1}', "Object missing required field `game`"),
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
        (["seed"], "1", r"Expected `int`, got `str` - at `\$\.seed`"),
        (["seed"], -1, "seed must be in"),
        (["counts"], {}, "counts: expected one for each number of players"),
        (["games"], 60, r"Expected `object`, got `int` - at `\$\.games`"),
        (["players"], {"two": []}, "players: expected lists"),
        (["players", "2"], [1, 2], r"Expected `object`, got `int` - at `\$\.players\[\.\.\.\]\[0\]`"),
        (["players", "2"], [], "players: 2: expected a list of at least two different agents"),
        (["players", "2", 0, "agent"], None, r"Expected `str`, got `null` - at `\$\.players\[\.\.\.\]\[0\]\.agent`"),
        (["players", "2", 1, "win"], [1, 2, float("nan")], "JSON is malformed"),
        (["players", "2", 0, "ahead"], None, "ahead must be a value and its interval"),
        (["players", "2", 1, "agent"], "random", "at least two different agents"),
    ],
)
def test_every_part_of_a_ladder_is_read_strictly(
    ladder: Ladder, keys: list[Any], value: Any, message: str, tmp_path: Path
) -> None:
    changed = msgspec.to_builtins(ladder)
    part = changed
    for key in keys[:-1]:
        part = part[key]
    part[keys[-1]] = value
    file = tmp_path / "ladder.json"
    file.write_text(json.dumps(changed))
    with pytest.raises(LadderError, match=message):
        read_ladder(file)


def test_a_ladder_of_other_tables_or_agents_is_refused(ladder: Ladder, tmp_path: Path) -> None:
    with pytest.raises(LadderError, match="other tables"):
        check(replace(ladder, tables={"2": "0" * 64}), {2: 14}, 1, tmp_path, progress=False)
    with pytest.raises(LadderError, match="one of another_v7, here it is porta_nigra_v"):
        check(replace(ladder, game="another_v7"), {2: 14}, 1, tmp_path, progress=False)
    unknown = [replace(ladder.players["2"][0], agent="nobody"), *ladder.players["2"][1:]]
    with pytest.raises(LadderError, match="2 players: there is no agent 'nobody'"):
        check(replace(ladder, players={"2": unknown}), {2: 14}, 1, tmp_path, progress=False)
    with pytest.raises(LadderError, match="9 players: num_players must be"):
        check(
            replace(ladder, players={"9": ladder.players["2"]}, tables={"9": ""}, games={"9": 80}, counts={"9": ""}),
            {9: 80},
            1,
            tmp_path,
            progress=False,
        )
    with pytest.raises(LadderError, match="No such file"):
        read_ladder(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["check", "--games", "0", "--ladder", "LADDER"], "must be at least 1, not 0"),
        (["check", "--jobs", "-1"], "must be at least 1, not -1"),
        (["play", "random"], "--out FOLDER is needed"),
        (["play", "random", "--out", "x"], "at least two agents"),
        (["play", "random", "builder", "--out", "x", "--game", "go"], "there is no game 'go'"),
        (["play", "random", "random", "--out", "x"], "random is given twice"),
        (["play", "random", "nobody", "--out", "x"], "there is no agent 'nobody'"),
        (["play", "random", "builder", "--players", "5", "--out", "x"], "num_players must be 2, 3 or 4, not 5"),
        (["play", "random", "builder", "--games", "2:5", "--out", "x"], "there is none for 3 players"),
        (["play", "random", "builder", "--seed", "-1", "--out", "x"], "seed must be in"),
        ([], "Missing subcommand"),
        (["climb"], "climb"),
    ],
)
def test_wrong_arguments(wrong: list[str], message: str, folder: Path, refuses: Refuses) -> None:
    refuses(main, [str(folder / "ladder.json") if one == "LADDER" else one for one in wrong], message)


@pytest.mark.parametrize(
    ("error", "answer", "message"),
    [
        (BusyFolderError("x: another process is writing there"), 1, "another process is writing there"),
        (MatchError("agent 'x' answered with the illegal action"), 1, "illegal action"),
        (PermissionError("not yours"), 1, "not yours"),
        (KeyboardInterrupt(), 130, "stopped; the same command resumes"),
        (ForeignFolderError("x holds another tournament"), 2, "holds another tournament"),
    ],
)
def test_what_goes_wrong_while_playing_is_said_in_a_line(
    error: BaseException, answer: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> int:
        raise error

    found: object
    try:
        found = PROGRAM.attempt(fail)
    except SystemExit as stopped:
        found = stopped.code
    assert found == answer
    said = capsys.readouterr().err
    assert said.startswith("agents.arena.ladder: ")
    assert message in said
