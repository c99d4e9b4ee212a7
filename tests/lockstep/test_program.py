"""The program: its counts, and resuming an interrupted run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.lockstep import __main__ as program
from tests.lockstep.__main__ import main


def report(file: Path, *more: str) -> dict[str, Any]:
    """The report of a short run; a few rare events do not occur in it."""
    assert main(["--games", "4", "--jobs", "1", "--report", str(file), *more]) == 1
    figures: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    del figures["seconds"]
    return figures


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "CHUNK", 2)
    whole = report(tmp_path / "whole.json")
    assert whole["games"] == {"2": 4, "3": 4, "4": 4}
    assert whole["differences"] == []
    broken = tmp_path / "broken.json"
    assert main(["--games", "2", "--jobs", "1", "--report", str(broken)]) == 1
    again = report(broken, "--resume")
    assert sorted(again.pop("tasks")) == sorted(whole.pop("tasks"))
    assert again == whole


def test_a_report_of_other_components_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(json.dumps({"components": "others"}), encoding="utf-8")
    with pytest.raises(SystemExit, match="is of other components"):
        main(["--games", "1", "--report", str(file), "--resume"])


def test_a_report_of_other_portions_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    assert main(["--games", "2", "--jobs", "1", "--report", str(file)]) == 1
    before = file.read_bytes()
    with pytest.raises(SystemExit, match="has 2 games for a number of players; resume with 2"):
        main(["--games", "3", "--jobs", "1", "--report", str(file), "--resume"])
    assert file.read_bytes() == before


@pytest.mark.parametrize("wrong", [["--games", "0"], ["--jobs", "0"]])
def test_nothing_to_play_is_refused(wrong: list[str]) -> None:
    with pytest.raises(SystemExit, match="at least 1"):
        main(wrong)
