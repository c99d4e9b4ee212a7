"""Strength by time: one search alone among others, a curve, and a command that resumes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.arena.ratings import Estimate
from agents.arena.results import read
from agents.arena.time_curve import PAGE, PICTURE, Point, main, page
from tests.agents.conftest import Refuses

THINKS = ["ismcts:rounds=1", "random", "--players", "2", "3", "--games", "2:2", "3:3", "--seconds", "0.002", "0.001"]


def test_every_time_plays_the_same_deals_alone_among_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*THINKS, "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    text = (tmp_path / PAGE).read_text()
    assert text.strip() in said
    assert (tmp_path / PICTURE).read_bytes().startswith(b"\x89PNG")
    rows = re.findall(r"^\| +(\d) \| +(0\.\d+) \| +0\.\d+ \| +(\d) \((\d)\) \|", text, re.MULTILINE)
    assert rows == [(players, time, players, "1") for players in "23" for time in ("0.001", "0.002")]
    seeds = []
    for seconds in ("0.001", "0.002"):
        kept = read(tmp_path / seconds)
        assert kept is not None
        search = f"ismcts:rounds=1,seconds={seconds}"
        assert all(game.match.agents.count(search) == 1 for game in kept.games)
        seeds.append([game.seed for game in kept.games])
    assert seeds[0] == seeds[1]
    # Nothing is played again.
    assert main([*THINKS, "--out", str(tmp_path)]) == 0
    assert (tmp_path / PAGE).read_text() == text


def test_the_page_tells_shares_with_what_even_is() -> None:
    one = Point(3, 0.3, 0.2514, 90, 30, Estimate(0.5, 0.4, 0.6), Estimate(4.25, -1.0, 9.5))
    row = next(line for line in page([one], ("mirror", "network"), "a command").splitlines() if line.startswith("|  "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["3", "0.3", "0.251", "90 (30)", "50.0% (40.0% to 60.0%)", "33%", "+4.2 (-1.0 to +9.5)"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mirror", "--out", "x"], "at least two agents"),
        (["mirror", "network", "random", "--out", "x"], "a search and one agent on the other seats are needed, not 3"),
        (["mirror", "network"], "--out FOLDER is needed"),
        (["random", "greedy", "--out", "x"], "'seconds=0.03' is no parameter"),
        (["flat", "flat:seconds=0.5", "--seconds", "0.5", "--out", "x"], "'flat:seconds=0.5' would sit on all seats"),
        (["mirror", "network", "--seconds", "0", "--out", "x"], "--seconds must be greater than 0"),
        (["mirror", "network", "--games", "2:0", "--out", "x"], "--games must be at least 1"),
    ],
)
def test_arguments_that_cannot_be_used(arguments: list[str], message: str, refuses: Refuses) -> None:
    refuses(main, arguments, message)
