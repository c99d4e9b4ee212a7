"""The code of docs/environments.md for the libraries that install beside this project, and the page's table."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import clients
from benchmarks.clients import LIBRARIES, PAGE, count_lines, lines_of, main, measured

#: Those in the project's own environment.
OURS = [name for name, (_, place) in LIBRARIES.items() if place == ".venv"]


@pytest.mark.long
@pytest.mark.parametrize("name", OURS)
def test_the_lines_work(name: str) -> None:
    row = measured(name)
    assert row["name"] == name
    assert row["steps"] >= 64 * 64
    assert row["per_second"] > 0


def test_the_table_has_every_section_and_its_lines() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("\n## Other libraries\n")[2]
    assert re.findall(r"^### (.*)$", text, re.MULTILINE) == list(LIBRARIES)
    rows = re.findall(r"^\|([^|]+)\|[^|]*\|(\d+)\|[\d,]+\|[^|]*\|$", text, re.MULTILINE)
    assert rows == [(name, str(count_lines(lines_of(name)))) for name in LIBRARIES]
    assert "fails" not in text.partition("\n### ")[0]


def test_steps_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of single games, PettingZoo games and batches count."""
    page = tmp_path / "page.md"
    code = """
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from tests.toys.kuhn.game import Kuhn

# A step of each kind.
single, many, batch = SeatEnv(Kuhn()), GameAEC(Kuhn()), BatchEnv(Kuhn(), 5)
single.reset(seed=1)
single.step(0)
many.reset(seed=1)
many.step(0)
batch.reset(seed=1)
batch.step([0] * 5)
"""
    page.write_text(f"# Page\n\n### ONNX\n\nText.\n\n```python{code}```\n", encoding="utf-8")
    monkeypatch.setattr(clients, "PAGE", page)
    monkeypatch.setitem(LIBRARIES, "ONNX", ("numpy", ".venv"))
    assert lines_of("ONNX", page) == code[1:]
    monkeypatch.setattr(clients, "lines_of", lambda name: lines_of(name, page))
    assert main(["ONNX", "--here", "--json", str(tmp_path / "figures.json")]) == 0
    (row,) = json.loads((tmp_path / "figures.json").read_text())["libraries"]
    assert (row["steps"], row["lines"]) == (7, 11)
    assert row["per_second"] > 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["Nothing"], "there is no 'Nothing' on the page; there are Stable-Baselines3"),
        (["--here"], "--here needs one name"),
    ],
)
def test_invalid_arguments_are_refused(wrong: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(wrong)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_a_heading_without_lines(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Page\n\n### One\n\n### Two\n\n```python\nx = 1\n```\n")
    assert lines_of("Two", tmp_path / "page.md") == "x = 1\n"
    with pytest.raises(ValueError, match="there is no Python below 'One'"):
        lines_of("One", tmp_path / "page.md")
