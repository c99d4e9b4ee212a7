"""The comparison of two commits: its verdicts, its messages, and that it leaves nothing behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import compare, probe
from porta_nigra_env.games import DEFAULT_GAME, game_entry

ROOT = Path(__file__).parents[2]

needs_git = pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="this is not a git checkout"
)


def worktrees() -> str:
    return compare.git("worktree", "list")


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Replace the measuring processes; `measured(here, there)` sets their output."""
    here, there = tmp_path / "here", tmp_path / "there"

    def set_up(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
        class Trees:
            def __enter__(self) -> tuple[compare.Tree, compare.Tree]:
                return compare.Tree("this tree", here, here), compare.Tree("the commit", there, there)

            def __exit__(self, *_: object) -> None:
                pass

        def answer(tree: compare.Tree, mode: str, *_: str) -> dict[str, Any]:
            found = ours if tree.name == "this tree" else theirs
            return {"games": "", "lines": found if mode == "lines" else {}}

        monkeypatch.setattr(compare, "resolve", lambda commit: "0" * 40)
        monkeypatch.setattr(compare, "state_of_tree", lambda: "a tree")
        monkeypatch.setattr(compare, "trees", lambda commit: Trees())
        monkeypatch.setattr(compare, "probe", answer)

    return set_up


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["HEAD", "--limit", "0"],
        ["HEAD", "--limit", "nan"],
        ["HEAD", "--runs", "0"],
        ["HEAD", "--seconds", "0"],
        ["HEAD", "--seconds", "inf"],
        ["HEAD", "--json", "/nowhere/at/all.json"],
        ["HEAD", "--game", "noughts"],
    ],
)
def test_invalid_arguments_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        compare.main(arguments)
    assert stopped.value.code == 2


def refused(commit: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as stopped:
        compare.main([commit])
    assert stopped.value.code == 2
    return capsys.readouterr().err


@needs_git
def test_unknown_commit(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'no-such-commit' names no commit" in refused("no-such-commit", capsys)


def test_no_git_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(compare, "ROOT", tmp_path)
    assert f"{tmp_path} is not a git checkout" in refused("HEAD", capsys)
    if (ROOT / ".git").exists():
        monkeypatch.setattr(compare, "ROOT", ROOT / "tests")
        assert "is not the root of a git checkout" in refused("HEAD", capsys)
    monkeypatch.setenv("PATH", "")
    assert "git is not installed" in refused("HEAD", capsys)


def test_the_limit_decides(measured: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    measured({"a": {"us": 1.6}, "b": {"us": 1.0}}, {"a": {"us": 1.0}, "b": {"us": 1.0}})
    report = tmp_path / "report.json"
    assert compare.main(["x", "--json", str(report)]) == 1
    printed = capsys.readouterr().out
    assert "SLOWER" in printed
    assert printed.rstrip().endswith("or broken: a")
    written = json.loads(report.read_text())["lines"]
    assert [(line["name"], line["ratio"], line["verdict"]) for line in written] == [
        ("a", 1.6, "SLOWER"),
        ("b", 1.0, "ok"),
    ]
    assert compare.main(["x", "--limit", "1.7"]) == 0


def test_medians_are_compared() -> None:
    here, there = compare.Tree("here", ROOT, ROOT), compare.Tree("there", ROOT, ROOT)
    for value in (1.0, 9.0, 1.0):
        here.add({"lines": {"a": {"us": value}}})
        there.add({"lines": {"a": {"us": 1.0}}})
    assert [(line.ratio, line.verdict) for line in compare.judge(here, there, 1.5)] == [(1.0, "ok")]


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        ("AttributeError", "new"),
        ("ImportError", "new"),
        ("ModuleNotFoundError", "new"),
        ("TypeError", "not comparable"),
    ],
)
def test_an_error_of_the_commit_is_not_a_failure(
    measured: Any, capsys: pytest.CaptureFixture[str], error: str, verdict: str
) -> None:
    fine = {"us": 1.0}
    measured({"a": fine, "b": fine}, {"a": fine, "b": {"error": error, "text": "no such thing"}})
    assert compare.main(["x"]) == 0
    assert f"b: {verdict}: {error}: no such thing" in capsys.readouterr().out


def test_an_error_of_this_tree_is_a_failure(measured: Any, capsys: pytest.CaptureFixture[str]) -> None:
    measured({"a": {"error": "AttributeError", "text": "gone"}}, {"a": {"us": 1.0}})
    assert compare.main(["x"]) == 1
    assert "BROKEN" in capsys.readouterr().out


def test_nothing_in_common_is_not_a_success(measured: Any, capsys: pytest.CaptureFixture[str]) -> None:
    measured({"a": {"us": 1.0}}, {"a": {"error": "ImportError", "text": "nothing there"}})
    assert "nothing was compared" in refused("x", capsys)


def test_interrupted(measured: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    measured({}, {})

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(compare, "measure", interrupt)
    assert compare.main(["x"]) == 130


@needs_git
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_the_worktree_is_removed(error: type[BaseException]) -> None:
    kept: list[Path] = []

    def fail_between() -> None:
        with compare.trees(compare.resolve("HEAD")) as (here, there):
            assert (there.folder / compare.PACKAGE / "__init__.py").is_file()
            assert (here.folder / compare.PACKAGE / "__init__.py").is_file()
            kept.extend([here.folder, there.folder])
            assert str(there.folder) in worktrees()
            (there.folder / "left behind").touch()
            raise error

    with pytest.raises(error):
        fail_between()
    assert str(kept[1]) not in worktrees()
    assert not any(folder.exists() for folder in kept)


@pytest.mark.parametrize(
    ("source", "words"),
    [("raise SystemExit('nothing to say')", "nothing to say"), ("import time; time.sleep(60)", "no answer")],
)
def test_a_probe_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str, words: str) -> None:
    program = tmp_path / "probe.py"
    program.write_text(source)
    monkeypatch.setattr(compare, "PROBE", program)
    monkeypatch.setattr(compare, "PATIENCE", 0.5 if "sleep" in source else 60)
    with pytest.raises(compare.NothingCompared, match=words):
        compare.probe(compare.Tree("a tree", tmp_path, tmp_path / "cache"), "lines", "0")


def test_another_installation_is_not_measured(tmp_path: Path) -> None:
    """A tree without the package is told as such, even where the package is installed from elsewhere."""
    found = compare.probe(compare.Tree("a tree", tmp_path, tmp_path / "cache"), "import")
    assert found["from"] is None
    assert found["lines"]["import"]["error"] == "ModuleNotFoundError"


def test_a_package_without_init_is_no_fast_import(tmp_path: Path) -> None:
    (tmp_path / compare.PACKAGE).mkdir()
    found = compare.probe(compare.Tree("a tree", tmp_path, tmp_path / "cache"), "import")
    assert found["lines"]["import"]["error"] == "ImportError"


def test_every_line_can_be_measured() -> None:
    games = probe.Games(DEFAULT_GAME, game_entry(DEFAULT_GAME).seats[-1], rows=2)
    for name, make in probe.LINES.items():
        assert probe.microseconds(make(games), 0) > 0, name


def test_games_of_the_probe_follow_from_their_seeds() -> None:
    first, again = (probe.Games(DEFAULT_GAME, 2).actions for _ in range(2))
    assert first == again
    assert len({tuple(actions) for actions in first}) == probe.GAMES


def test_an_error_affects_one_line() -> None:
    def fail() -> float:
        raise AttributeError("no such function\nand a second line")

    assert probe.attempt(fail) == {"error": "AttributeError", "text": "no such function"}
    assert probe.attempt(lambda: 2.0) == {"us": 2.0}


def test_the_probe_uses_public_names_only() -> None:
    """It runs by path in old commits, with nothing but the measured package."""
    imports = re.findall(r"^ *(?:import|from) (\S+)", compare.PROBE.read_text(), re.MULTILINE)
    assert set(imports) <= {*sys.stdlib_module_names, "collections.abc", "__future__"}
    done = subprocess.run(
        [sys.executable, "-P", str(compare.PROBE), "import"],
        cwd="/", env={"PATH": os.environ["PATH"]}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list(json.loads(done.stdout)["lines"]) == ["import"]
