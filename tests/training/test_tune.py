"""Tuning goes on where it stopped, measures on other deals, and writes what it has found."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.porta_nigra.heuristics import BUILDER, GREEDY, WEIGHTS
from training.tune import deals, duel, held_out, main

SMALL = ["--population", "4", "--deals", "2", "--players", "2", "--held-out", "4"]


def test_a_run_in_two_parts_is_a_run_in_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert main(["--out", str(whole), "--generations", "3", *SMALL]) == 0
    assert main(["--out", str(parts), "--generations", "1", *SMALL]) == 0
    assert main(["--out", str(parts), "--generations", "3", *SMALL]) == 0
    results = [json.loads((folder / "weights.json").read_text()) for folder in (whole, parts)]
    assert results[0] == results[1]
    assert list(results[0]["weights"]) == [name for name, *_ in WEIGHTS]
    assert set(results[0]["held_out"]) == {"greedy", "builder before"}
    assert "2 players against greedy" in capsys.readouterr().out


def test_another_run_is_not_continued(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path), "--generations", "1", *SMALL]) == 0
    before = (tmp_path / "state.pickle").read_bytes()
    with pytest.raises(SystemExit) as stopped:
        main(["--out", str(tmp_path), "--generations", "2", *SMALL, "--seed", "9"])
    assert stopped.value.code == 2
    assert "other settings" in capsys.readouterr().err
    assert (tmp_path / "state.pickle").read_bytes() == before


def test_deals_are_rotated_and_held_out_ones_are_others() -> None:
    wins, margins = duel(BUILDER, BUILDER, 3, deals(1, 0, 5))
    assert len(wins) == len(margins) == 15
    # Among equals the rotations of a deal share one win, and margins cancel out.
    assert wins.reshape(5, 3).sum(axis=1).tolist() == [1.0] * 5
    assert margins.sum() == pytest.approx(0)
    tuned = set(np.concatenate([deals(1, generation, 50) for generation in range(100)]).tolist())
    assert len(tuned) == 5000
    assert not tuned & set(deals(1 + 1_000_003, 0, 2000).tolist())
    share, low, high = held_out(BUILDER, [GREEDY], [2], 1, 20)["greedy"]["2"]
    assert low <= share <= high
    assert share > 0.8


@pytest.mark.parametrize(
    "wrong", [["--generations", "0"], ["--population", "3"], ["--sigma", "0"], ["--players", "5"], ["--seed", "-1"]]
)
def test_wrong_arguments(wrong: list[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--out", str(tmp_path / "run"), *wrong])
    assert stopped.value.code == 2
    assert not (tmp_path / "run").exists()
