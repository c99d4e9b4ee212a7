"""Tuning: resumption, held-out deals, results."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.games import GAMES, GameEntry
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.games.porta_nigra.players import BUILDER, GREEDY
from porta_nigra_env.games.porta_nigra.players.valuation import WEIGHTS
from tests.training.small import Refused, words
from training.run.folder import lock_folder
from training.tune import deals, held_out, main, play_match

SMALL = words("--population 4 --deals 2 --players 2 --held-out 4")


def test_a_resumed_run_equals_one_without_a_break(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert main(["--out", str(whole), "--generations", "3", *SMALL]) == 0
    assert main(["--out", str(parts), "--generations", "1", *SMALL]) == 0
    assert main(["--out", str(parts), "--generations", "3", *SMALL]) == 0
    results = [json.loads((folder / "weights.json").read_text()) for folder in (whole, parts)]
    assert results[0] == results[1]
    assert list(results[0]["weights"]) == [name for name, *_ in WEIGHTS]
    assert set(results[0]["held_out"]) == {"greedy", "builder"}
    assert "2 players against greedy" in capsys.readouterr().out


def test_another_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path), "--generations", "1", *SMALL]) == 0
    before = (tmp_path / "state.json").read_bytes()
    assert main(["--out", str(tmp_path), "--generations", "2", *SMALL, "--seed", "9"]) == 2
    assert "seed is 1 there, not 9; name another folder with --out" in capsys.readouterr().err
    assert (tmp_path / "state.json").read_bytes() == before


class Bomb:
    """An object whose pickle makes a file when it is read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Path.touch, (self.file,)


def test_a_pickled_state_is_refused_unread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, mark = tmp_path / "run", tmp_path / "mark"
    folder.mkdir()
    for name in ("state.pickle", "state.json"):
        (folder / name).write_bytes(pickle.dumps(Bomb(mark)))
        assert main(["--out", str(folder), "--generations", "1", *SMALL]) == 2
        assert re.search(rf"error: .*{name}: (the state of an earlier version|damaged)", capsys.readouterr().err)
        assert not mark.exists()
        (folder / name).unlink()


def test_a_folder_is_for_one_run_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = lock_folder(tmp_path)
    try:
        assert main(["--out", str(tmp_path), "--generations", "1", *SMALL]) == 2
    finally:
        held.release()
    assert "another process is training there" in capsys.readouterr().err
    assert not (tmp_path / "state.json").exists()
    assert main(["--out", str(tmp_path), "--generations", "1", *SMALL]) == 0


def test_deals_are_rotated_and_held_out_ones_are_others() -> None:
    wins, margins = play_match(BUILDER, BUILDER, PortaNigra(3), deals(1, 0, 5))
    assert len(wins) == len(margins) == 15
    # Among equals the rotations of a deal share one win, and margins cancel out.
    assert wins.reshape(5, 3).sum(axis=1).tolist() == [1.0] * 5
    assert margins.sum() == pytest.approx(0)
    tuned = set(np.concatenate([deals(1, generation, 50) for generation in range(100)]).tolist())
    assert len(tuned) == 5000
    assert not tuned & set(deals(1 + 1_000_003, 0, 2000).tolist())
    share, low, high = held_out(BUILDER, [GREEDY], [PortaNigra(2)], 1, 20)["greedy"]["2"]
    assert low <= share <= high
    assert share > 0.8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--generations 0", "--generations must be at least 1"),
        ("--population 3", "--population must be at least 4"),
        ("--sigma 0", "--sigma must be positive"),
        ("--players 5", "--players must be out of 2, 3, 4"),
        ("--seed -1", "--seed must be in"),
        ("--game chess", "--game: there is no game 'chess'"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(main, options.split(), message)


def test_a_game_without_weights_to_tune(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(GAMES, "kuhn", GameEntry("tests.toys.kuhn.game", "Kuhn", (2,)))
    assert main(["--out", str(tmp_path / "run"), "--game", "kuhn"]) == 2
    assert "--game: kuhn has no agent with weights to tune" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
