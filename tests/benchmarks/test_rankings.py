"""The ranking of compiled policies across component sets."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.rankings import main
from porta_nigra_env.components import play_mixed
from porta_nigra_env.games import make_game
from tests.training.small import words


def test_the_table_is_that_of_the_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    assert main([*words("--sets 2 --games 40 --json"), str(file)]) == 0
    text, figures = capsys.readouterr().out, json.loads(file.read_text())["results"]
    assert list(figures) == ["2", "3", "4"]
    for players, found in figures.items():
        assert found["wins"][2] == play_mixed(make_game("porta_nigra", int(players), "varied:2"), 40, 1).by_policy
        assert len(found["taus"]) == 2
    assert "Kendall's tau with the standard set" in text


def test_wins_count_every_seat_once() -> None:
    mixed = play_mixed(make_game("porta_nigra", 3), 50, 2)
    assert np.allclose(mixed.wins.sum(axis=1), 1.0)
    assert mixed.by_policy["builder"] > mixed.by_policy["greedy"] + 0.2
    assert mixed.wins.tobytes() == play_mixed(make_game("porta_nigra", 3), 50, 2).wins.tobytes()


@pytest.mark.parametrize("options", ["--sets 1", "--games 0", "--game chess"])
def test_wrong_options(options: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words(options))
    assert stopped.value.code == 2
    assert options.split()[0].lstrip("-")[:4] in capsys.readouterr().err
