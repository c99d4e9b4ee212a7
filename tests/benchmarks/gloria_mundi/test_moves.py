"""The moves that a decision carries with it are those that the laws of the game are held against."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import kernel
from benchmarks.gloria_mundi.moves import moves_per_decision
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi
from tests.games.gloria_mundi.properties.laws import lawful_game


def test_moves_are_counted_as_the_laws_count_them() -> None:
    game = GloriaMundi(3)
    states, words = np.zeros(2, dtype=game.dtype), np.zeros(game.num_words, dtype=np.uint64)
    policy_rng = np.array([1, 3, 0], dtype=np.int64)
    played = [lawful_game(game.constants, states, words, policy_rng, seed, 3, 5_000)[1:] for seed in range(20)]
    decisions, moves = np.sum(played, axis=0)
    assert moves_per_decision(game, 20) == moves / decisions > 1.0


def test_the_benchmark_tells_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--repeats", "1", "--largest", "1", "--threads", "1", "--seconds", "0.01", "--runs", "1"]
    assert kernel.main(["--game", "gloria_mundi", *sizes, "--json", str(tmp_path / "kernel.json")]) == 0
    carried = json.loads((tmp_path / "kernel.json").read_text())["moves_per_decision"]
    assert f"{carried:.2f} elementary moves a decision" in capsys.readouterr().out
