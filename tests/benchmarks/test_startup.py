"""The start-up benchmark: its arguments, its checks when something is wrong, and one warm run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import startup

#: Programs in place of the first step, quick because they load nothing.
SAYS_A = "print('a')"
SAYS_ANYTHING = "import os; print(os.getpid())"
FAILS = "raise SystemExit('no such folder')"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--runs", "0"],
        ["--cold-runs", "0"],
        ["--at-once", "-1"],
        ["--at-once", "many"],
        ["--json", "/nowhere/at/all.json"],
        ["--game", "noughts"],
    ],
)
def test_invalid_arguments_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        startup.main(arguments)
    assert stopped.value.code == 2


def test_a_warm_run(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert startup.main(["--warm-only", "--runs", "1", "--cold-runs", "1", "--json", str(report)]) == 0
    figures = json.loads(report.read_text())
    assert figures["seconds"]["first step, warm"] > figures["seconds"]["python alone"]
    assert "first step, cold" not in figures["seconds"]
    assert figures["resident_mb"]["import"] < figures["resident_mb"]["16384 games"]


@pytest.mark.parametrize(
    ("program", "ok", "words"),
    [
        (SAYS_A, True, "3 of 3 succeeded, 3 with the expected first observation"),
        ("print('a'); print(4)", True, "; 3 compiled, 12 functions in all"),
        (SAYS_ANYTHING, False, "3 of 3 succeeded, 0 with the expected"),
        (FAILS, False, "functions in all; no such folder"),
    ],
)
def test_at_once(program: str, ok: bool, words: str) -> None:
    found = startup.at_once(program, 3, "a")
    assert found.ok is ok
    assert words in found.text


def test_compilations_are_counted() -> None:
    """The program of the check listens to numba's events."""
    program = startup.COUNTING + "import numba; numba.njit(lambda x: x)(1)" + startup.COUNTED
    assert startup.answer(program, "") == "1"


def test_processes_that_disagree_are_the_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(startup, "answer", lambda program, cache: "1")
    monkeypatch.setattr(startup, "at_once", lambda *_: startup.Together(False, "went wrong", 1.0, []))
    assert startup.main(["--runs", "1", "--cold-runs", "1"]) == 1
    assert "went wrong" in capsys.readouterr().out


@pytest.mark.parametrize("cached", [0, 1])
def test_compiling_despite_prebuilt_code_is_the_exit_status(
    cached: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def answer(program: str, cache: str, python: str = "", **environment: str) -> str:
        for number in range(cached):
            Path(cache, str(number)).write_text("code")
        if program == startup.LEVELS:
            return "x86-64-v3"
        return {"0": "200.0"}.get(environment.get("PORTA_NIGRA_PREBUILT", ""), "190.0")

    monkeypatch.setattr(startup, "answer", answer)
    report = tmp_path / "report.json"
    assert startup.main(["--prebuilt", "--runs", "2", "--json", str(report)]) == cached
    figures = json.loads(report.read_text())
    assert figures["files"] == 2 * 9 * cached
    assert figures["steps_per_second"]["aquileia"] == {"0": [200.0] * 3, "x86-64-v3": [190.0] * 3}
    assert {len(seconds) for seconds in figures["seconds"].values()} == {2}
