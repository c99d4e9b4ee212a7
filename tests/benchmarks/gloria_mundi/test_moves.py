"""The moves of a decision are the action and the actions that it forces."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import kernel
from benchmarks.gloria_mundi.moves import moves_per_decision
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import policy_below
from porta_nigra_env.games.gloria_mundi.components.names import PHASES
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi, State
from tests.games.gloria_mundi.oracle.referee import Referee

#: Notes of the referee about forced actions; the kernel skips the other phases if nothing is to be chosen.
FORCED = {f"forced: {phase}" for phase in {*PHASES} - {"exclusive", "activate", "buy", "goth"}}


def test_moves_are_the_actions_of_the_referee() -> None:
    game, policy_rng = GloriaMundi(3), np.array([1, 3, 0], dtype=np.int64)
    referee, decisions, moves = Referee(game.components.data), 0, 0
    for seed in range(20):
        state = State(game, game.new_states(seed))
        while not state.is_over:
            action = int(bits.select(state.words, policy_below(policy_rng, bits.count(state.words))))
            referee.apply(state.to_dict(), state.action_text(action))
            decisions, moves = decisions + 1, moves + 1 + sum(note in FORCED for note in referee.notes)
            state.apply_id(action)
    assert moves_per_decision(game, 20) == moves / decisions > 1.0


def test_the_benchmark_prints_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--repeats", "1", "--largest", "1", "--threads", "1", "--seconds", "0.01", "--runs", "1"]
    assert kernel.main(["--game", "gloria_mundi", *sizes, "--json", str(tmp_path / "kernel.json")]) == 0
    carried = json.loads((tmp_path / "kernel.json").read_text())["moves_per_decision"]
    assert f"{carried:.2f} elementary moves a decision" in capsys.readouterr().out
