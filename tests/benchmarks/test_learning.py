"""The benchmark of learners: it runs, and its parts are those of an iteration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import learning


def test_a_short_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(learning, "DUMMY", 4)
    monkeypatch.setattr(learning, "DUMMY_STEPS", 16)
    monkeypatch.setattr(learning, "BATCH", 64)
    monkeypatch.setattr(learning, "EPOCHS", 1)
    file = tmp_path / "figures.json"
    assert learning.main(["--seconds", "0.01", "--runs", "1", "--threads", "1", "--json", str(file)]) == 0
    figures = json.loads(file.read_text())
    names = [line["name"] for line in figures["lines"]]
    assert names == ["MaskablePPO, DummyVecEnv 4", "training.ppo"]
    assert all(line["per_second"] > 0 for line in figures["lines"])
    assert len(figures["parts"]) == 6
    assert "training.ppo" in capsys.readouterr().out


def test_wrong_arguments() -> None:
    with pytest.raises(SystemExit) as ended:
        learning.main(["--threads", "0"])
    assert ended.value.code == 2
