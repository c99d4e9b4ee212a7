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


def test_a_warm_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "find_spec", lambda name: None)  # importing torch takes seconds
    report = tmp_path / "report.json"
    assert startup.main(["--warm-only", "--runs", "1", "--cold-runs", "1", "--json", str(report)]) == 0
    printed = capsys.readouterr().out
    for name in ("python alone", "first step, warm", "resident memory", "torch"):
        assert name in printed
    figures = json.loads(report.read_text())
    assert figures["median_seconds"]["first step, warm"] > figures["median_seconds"]["python alone"]
    assert "first step, cold" not in figures["seconds"]
    assert figures["checks"]["torch"]["ok"] is True


def test_at_once() -> None:
    check = startup.at_once(SAYS_A, 3, "a")
    assert check.ok
    assert check.text.startswith("3 of 3 succeeded, all with the expected")
    assert (check.figures["succeeded"], check.figures["right"]) == (3, 3)


def test_at_once_reports_compilations() -> None:
    check = startup.at_once("print('a'); print(4)", 2, "a")
    assert check.ok
    assert check.text.endswith("; 2 compiled, 8 functions in all")
    assert check.figures["compiled"] == [4, 4]


def test_compilations_are_counted() -> None:
    """The program of the check listens to numba's events."""
    program = startup.COUNTING + "import numba; numba.njit(lambda x: x)(1)" + startup.COUNTED
    assert startup.answer(program, "") == "1"


def test_at_once_disagreeing() -> None:
    check = startup.at_once(SAYS_ANYTHING, 2, "a")
    assert check.ok is False
    assert check.text.startswith("2 of 2 succeeded, 0 of them right")


def test_at_once_failing() -> None:
    check = startup.at_once(FAILS, 2, "a")
    assert check.ok is False
    assert check.text.startswith("0 of 2 succeeded")
    assert check.text.endswith("no such folder")


@pytest.mark.parametrize(
    ("program", "ok", "words"),
    [
        (SAYS_A, True, "first step after"),
        ("print('b')", False, "another first observation"),
        (FAILS, False, "no such folder"),
    ],
)
def test_read_only(program: str, ok: bool, words: str) -> None:
    """The guard before the program makes sure that neither folder can be written to."""
    check = startup.read_only(program, "a")
    if check.ok is None:
        pytest.skip(check.text)
    assert (check.ok, words in check.text) == (ok, True), check.text


def test_read_only_without_binding_permissions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "bound_by_permissions", lambda: "no users here")
    check = startup.read_only(SAYS_A, "a")
    assert (check.ok, check.text) == (None, "not measured: no users here")


def test_a_package_that_loads_torch_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend = "import sys; sys.modules['torch'] = None"
    monkeypatch.setattr(startup, "IMPORT", pretend)
    check = startup.without_torch(startup.NOTHING, "")
    assert (check.ok, check.text) == (False, "loaded by the import")


def test_a_failed_check_is_the_exit_status(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(startup, "timed", lambda program, cache: 1.0)
    monkeypatch.setattr(startup, "checks", lambda *_: [startup.Check("something", False, "went wrong", {})])
    assert startup.main(["--runs", "1", "--cold-runs", "1"]) == 1
    assert "FAILED: went wrong" in capsys.readouterr().out
