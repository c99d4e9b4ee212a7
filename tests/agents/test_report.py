"""Reports of tournaments, and the command line that writes them."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from agents import tournament
from agents.arena.matches import Match, Played, Setup, lineups, rotations
from agents.arena.report import report
from agents.arena.results import RESULTS, Header, Results
from agents.arena.sections import complete, section
from agents.registry import AgentError
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.agents.conftest import Refuses
from tests.agents.tournaments import FAST, SLOW, game, kuhn, played, porta_nigra


def test_a_section_by_hand() -> None:
    games = [
        game(0, "AB", 30, 20), game(0, "BA", 20, 25),
        game(1, "AB", 10, 20), game(1, "BA", 15, 15),
        game(2, "AB", 50, 10),
    ]  # fmt: skip
    found = section(games, ["A", "B"], 2, "B", ["all", "none"], {(2, "A"): 1.5})
    assert found is not None
    assert (found.games, found.deals, found.left_out, found.bounded) == (4, 2, 1, False)
    a, b = found.standings
    assert (a.agent, b.agent, a.seats, b.seats) == ("A", "B", 4, 4)
    # A has 1 + 1 + 0 + 1/2 of 4.
    assert a.win.value == pytest.approx(0.625)
    assert b.win.value == pytest.approx(0.375)
    assert a.place.value == pytest.approx((1 + 1 + 2 + 1.5) / 4)
    assert a.score.value == pytest.approx((30 + 25 + 10 + 15) / 4)
    assert a.margin.value == pytest.approx((10 + 5 - 10 + 0) / 4)
    assert b.margin.value == pytest.approx(-a.margin.value)
    # And one of the two games of the prior's tied deal.
    assert a.rating.value == pytest.approx(1500 + 400 * np.log10(3.5 / 2.5), abs=1e-4)
    assert b.rating == pytest.approx((1500, 1500, 1500))
    assert a.ahead == pytest.approx([end - 1500 for end in a.rating])
    assert b.ahead is None
    assert (a.equal, b.equal) == (False, True)
    assert (a.ms, b.ms) == (1.5, None)
    assert a.sources == {"all": pytest.approx(20), "none": 0}
    duel = found.duels[0][1]
    assert duel is not None
    assert duel.value == pytest.approx(0.625)
    assert found.duels[0][0] is None


def test_who_beats_whom_with_three_players_and_two_seats() -> None:
    games = [game(0, "AAB", 30, 20, 20), game(0, "ABA", 5, 4, 3), game(0, "BAA", 9, 8, 7)]
    games += [game(0, "ABB", 9, 8, 7), game(0, "BBA", 9, 8, 10), game(0, "BAB", 9, 10, 8)]
    found = section(games, ["A", "B"], 3, "A")
    assert found is not None
    duels = {
        (one.agent, other.agent): duel
        for one, row in zip(found.standings, found.duels, strict=True)
        for other, duel in zip(found.standings, row, strict=True)
    }
    duel = duels["A", "B"]
    assert duel is not None
    # 1 + 1/2, 1 + 0, 0 + 0, and 2 each in the second lineup: 8.5 of 12.
    assert duel.value == pytest.approx(8.5 / 12)
    by_agent = {one.agent: one for one in found.standings}
    assert by_agent["A"].win.value == pytest.approx(5 / 9)
    assert by_agent["B"].win.value == pytest.approx(1 / 9)
    assert by_agent["A"].seats == by_agent["B"].seats == 9


def test_only_whole_deals_count() -> None:
    games = [game(0, "AAB", 1, 2, 3), game(0, "ABA", 1, 2, 3), game(0, "BAA", 1, 2, 3), game(0, "ABB", 1, 2, 3)]
    assert complete(games) == games[:3]
    assert section(games[:2], ["A", "B"], 3, "A") is None


def test_equal_agents_are_called_equal_and_others_are_not() -> None:
    rng = np.random.default_rng(2)
    games = []
    for deal in range(200):
        for lineup in lineups("ABC", 2):
            for seats in rotations(lineup):
                games.append(game(deal, "".join(seats), *(int(rng.normal(60 if s == "A" else 50, 10)) for s in seats)))
    found = section(games, ["A", "B", "C"], 2, "C")
    assert found is not None
    assert found.standings[0].agent == "A"
    assert [one.equal for one in found.standings] == [False, False, True]
    first, second, last = found.standings
    assert first.ahead is not None
    assert second.ahead is not None
    assert last.ahead is None
    assert first.ahead.value == pytest.approx(first.rating.value - second.rating.value)
    assert first.ahead.low > 0 > second.ahead.low


def test_the_report_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = ["probe-highest", "probe-lowest", "random"]
    command = [*agents, "--players", "2", "3", "--games", "6", "--out", str(tmp_path), "--seed", "3"]
    assert tournament.main(command) == 0
    shown = capsys.readouterr()
    assert shown.out.count("| probe-highest ") == 6
    assert "24/24" in shown.err
    for name in ("standings.csv", "head_to_head.csv", "report.md", "report.html"):
        assert (tmp_path / name).stat().st_size > 0
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script" not in html
    assert re.findall(r"\b(?:src|href|url)\b", html) == []  # without recorded games it names no other file
    assert not list(tmp_path.glob("*.partial"))
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    for agent in agents:
        assert len(re.findall(rf"^\|(?: \d +\|)? {agent} ", page, re.MULTILINE)) == 6
    assert "sesterces" not in page
    assert all(source in page for source in PortaNigra.point_sources)
    with (tmp_path / "standings.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 6
    for line in table:
        assert float(line["win_low"]) <= float(line["win"]) <= float(line["win_high"])
        parts = [float(line[name]) for name in line if name.startswith("points_")]
        assert sum(parts) == pytest.approx(float(line["score"]))
    for number in "23":
        assert sum(float(line["rating"]) for line in table if line["players"] == number) == pytest.approx(4500)
    assert "The mean of all agents is 1500 by definition" in " ".join(page.split())

    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert tournament.main(["--report", str(tmp_path)]) == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files
    assert tournament.main(["--report", str(tmp_path), "--anchor", "probe-lowest"]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "probe-lowest is 1500 by definition" in " ".join(page.split())


def test_the_strongest_reference_agent_is_the_anchor(tmp_path: Path) -> None:
    setup = Setup(porta_nigra, ("random", "greedy", "builder"), 5)
    made = report(played(setup, [2], 2, tmp_path))
    assert made.anchor == made.sections[0].anchor == "builder"
    assert made.sections[0].standing("builder").rating == (1500, 1500, 1500)
    assert "builder is 1500" in made.terminal()


def test_a_report_does_not_depend_on_the_order_of_lines(tmp_path: Path) -> None:
    results = played(SLOW, [2], 10, tmp_path)
    turned = Results(results.header, results.games[::-1], results.size)
    assert report(results).markdown() == report(turned).markdown()


def test_names_are_escaped() -> None:
    agents = ["a|b", "<c>"]
    fingerprints = {"2": dict.fromkeys(agents, "")}
    header = Header(4, "g_v0", [2], {}, agents, fingerprints, 0, [])
    games = [Played(Match(0, seats), 1, (2, 1), (1, 2), 5) for seats in (("a|b", "<c>"), ("<c>", "a|b"))]
    made = report(Results(header, games, 0))
    assert ">&lt;c&gt;</td>" in made.html()
    assert ">a|b</td>" in made.html()
    assert r"| a\|b " in made.markdown()


# -- the command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--out FOLDER is needed"),
        (["random", "--out", "x"], "at least two agents"),
        (["random", "nobody", "--out", "x"], "there is no agent 'nobody'"),
        (["random", "random:depth=2", "--out", "x"], "'depth=2' is no parameter"),
        (["random", "random", "--out", "x"], "random is given twice"),
        (["random", "probe-lowest", "--out", "x", "--players", "5"], "num_players must be 2, 3 or 4, not 5"),
        (["random", "probe-lowest", "--out", "x", "--players", "2", "2"], "2 is given twice"),
        (["random", "probe-lowest", "--out", "x", "--games", "0"], "must be at least 1, not 0"),
        (["random", "probe-lowest", "--out", "x", "--jobs", "0"], "--jobs must be at least 1, not 0"),
        (
            ["random", "probe-lowest", "--out", "x", "--game", "chess"],
            "there is no game 'chess'; there are porta_nigra",
        ),
        (["random", "probe-lowest", "--out", "x", "--jobs", "no"], "--jobs must be N, ray or ray:N, not 'no'"),
        (["random", "probe-lowest", "--out", "x", "--seed", "-1"], "seed must be in"),
        (["random", "probe-lowest", "--out", "x", "--anchor", "greedy"], "--anchor must be one of"),
        (["random", "probe-lowest", "--out", "x", "--components", "nowhere.toml"], "nowhere.toml"),
        (["random", "probe-lowest", "--out", "x", "--alone", "greedy"], "--alone must be one of random, probe-lowest"),
        (["random", "--report", "x"], "--report takes no agents"),
        (["--report", "nowhere"], "there are no results in nowhere"),
    ],
)
def test_arguments_that_cannot_be_used(arguments: list[str], message: str, refuses: Refuses) -> None:
    refuses(tournament.main, arguments, message)


def test_a_foreign_or_damaged_folder_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(SLOW, [2], 2, tmp_path)
    with pytest.raises(SystemExit) as stopped:
        tournament.main(["random", "probe-lowest", "--out", str(tmp_path)])
    assert stopped.value.code == 2
    assert "game is 'kuhn_v0', here it is 'porta_nigra_v0'" in capsys.readouterr().err
    with (tmp_path / RESULTS).open("a", encoding="utf-8") as file:
        file.write("nonsense\n")
    assert tournament.main(["--report", str(tmp_path)]) == 1
    assert "line 8: JSON is malformed" in capsys.readouterr().err


def test_agents_are_read_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="nobody"):
        played(Setup(kuhn, ("nobody", "random")), [2], 2, tmp_path)
    assert not list(tmp_path.iterdir())


def test_lines_tell_what_was_played(tmp_path: Path) -> None:
    played(FAST, [2], 2, tmp_path)
    first, line, *rest = (json.loads(text) for text in (tmp_path / RESULTS).read_text(encoding="utf-8").splitlines())
    assert len(rest) == 3 * 2 - 1
    assert (first["game"], first["seed"], first["agents"]) == ("porta_nigra_v0", 5, list(FAST.agents))
    assert list(line) == ["schema", "players", "deal", "seed", "agents", "scores", "places", "decisions", "sources"]
    assert [sum(points) for points in line["sources"]] == line["scores"]
    assert line["places"] == [1 + sum(other > score for other in line["scores"]) for score in line["scores"]]
