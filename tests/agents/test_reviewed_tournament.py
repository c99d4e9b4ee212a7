"""Reviews of a tournament's games: what they add to its report, how they resume, and what is refused."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from agents import tournament
from agents.arena import records
from agents.arena.matches import Match
from agents.arena.reviews import REVIEWS, ReviewedGame, read_reviews
from agents.review.__main__ import main
from agents.web.page.links import link
from tests.agents.conftest import Refuses

PLAY = ["random", "greedy", "--players", "2", "--games", "4", "--record", "--seed", "3"]
#: The least work: 4 states, the network's choice, no more plies.
REVIEW = ["--games", "2", "--samples", "4", "--candidates", "1", "--plies", "0"]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a tournament whose first two games are reviewed."""
    folder = tmp_path_factory.mktemp("reviewed")
    assert tournament.main([*PLAY, "--out", str(folder)]) == 0
    assert main([str(folder), *REVIEW]) == 0
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, first: dict[str, bytes]) -> Path:
    folder = tmp_path_factory.mktemp("copied")
    for name, data in first.items():
        (folder / name).write_bytes(data)
    return folder


def reviews_of(folder: Path) -> dict[Match, ReviewedGame]:
    return read_reviews(folder, records.recorded(folder)[0])


def test_a_report_has_the_skill_that_agents_lost(folder: Path) -> None:
    lost, choices = dict.fromkeys(("random", "greedy"), 0.0), dict.fromkeys(("random", "greedy"), 0)
    for one in reviews_of(folder).values():
        for agent, skill, count in zip(one.agents, one.skill, one.choices, strict=True):
            lost[agent] -= skill
            choices[agent] += count
    page = (folder / "report.md").read_text(encoding="utf-8")
    for agent in lost:
        row = next(row for row in page.splitlines() if row.startswith(f"| {agent} "))
        # With two players, a sole win is 2 away from a loss.
        assert f"{100 * lost[agent] / 2 / choices[agent]:.2f} [" in row


def test_links_open_games_at_their_costliest_step(folder: Path) -> None:
    header, games = records.recorded(folder)
    reviews, game = reviews_of(folder), records.game_of(header, 2)
    page = (folder / "report.html").read_text(encoding="utf-8")
    found = [html.unescape(address) for address in re.findall(r'href="(http[^"]*)"', page)]
    wanted = []
    for played in games:
        losses = [loss for loss in reviews[played.match].losses if loss] if played.match in reviews else []
        at = min(losses, key=lambda loss: loss.skill).step - 1 if losses else None
        wanted.append("http://127.0.0.1:8000/" + link(game, played.seed, played.actions, at=at))
    assert sorted(found) == sorted(wanted)
    assert any("&at=" in address for address in found)
    assert 'href="#pair-2-1-2"' in page
    assert 'id="pair-2-1-2"' in page


def test_reviews_resume_to_the_same_bytes(folder: Path) -> None:
    whole = (folder / REVIEWS).read_bytes()
    (folder / REVIEWS).write_bytes(whole.splitlines(keepends=True)[0])
    assert main([str(folder), *REVIEW]) == 0
    assert (folder / REVIEWS).read_bytes() == whole


def test_another_page_opens_the_games(folder: Path) -> None:
    assert tournament.main(["--report", str(folder), "--page", "https://example.org/games/"]) == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count('href="https://example.org/games/#replay?') == 4


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--samples", "8"], "delete it to start over"),
        (["--number", "1"], "--number is for one game"),
        (["--json", "x.json"], "--json is for one game"),
        (["--games", "-1"], "--games must be at least 0, not -1"),
    ],
)
def test_what_does_not_fit_is_refused(folder: Path, more: list[str], message: str, refuses: Refuses) -> None:
    before = (folder / REVIEWS).read_bytes()
    refuses(main, [str(folder), *REVIEW, *more], message)
    assert (folder / REVIEWS).read_bytes() == before


def test_a_folder_without_results_is_refused(tmp_path: Path, refuses: Refuses) -> None:
    refuses(main, [str(tmp_path), "--games", "1"], "there are no results in")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"schema":1', '"schema":9', "expected a review of schema 1, not 9"),
        ('"greedy"', '"nobody"', "agents must be of"),
        ('"choices":[', '"choices":[1,', "choices must have 2 values"),
        (" 4 samples", " 5 samples", "baseline must be"),
    ],
)
def test_a_damaged_line_is_named(
    folder: Path, old: str, new: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = (folder / REVIEWS).read_text(encoding="utf-8").splitlines()
    assert old in bad
    (folder / REVIEWS).write_text(f"{good}\n{bad.replace(old, new)}\n", encoding="utf-8")
    assert tournament.main(["--report", str(folder)]) == 1
    shown = capsys.readouterr().err
    assert "line 2: " in shown
    assert message in shown


def test_a_repeated_line_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (folder / REVIEWS).read_text(encoding="utf-8")
    (folder / REVIEWS).write_text(text + text.splitlines()[0] + "\n", encoding="utf-8")
    assert tournament.main(["--report", str(folder)]) == 1
    assert "line 3: it repeats a game" in capsys.readouterr().err


def test_games_of_other_components_need_theirs(folder: Path, refuses: Refuses) -> None:
    text = (folder / "results.jsonl").read_text(encoding="utf-8")
    (folder / "results.jsonl").write_text(re.sub(r'"tables":\{"2":"..', '"tables":{"2":"zz', text), encoding="utf-8")
    refuses(tournament.main, ["--report", str(folder)], "name theirs with --components")
