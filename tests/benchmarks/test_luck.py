"""Shares of luck: they are those of the reviews and add up to 1."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.registry import make
from benchmarks.luck import PARTS, main, played, shares
from porta_nigra_env.games import make_game
from tests.training.small import words


def reviews(parts: Any) -> list[Any]:
    """Return reviews with given parts, float64 (games, seats, 4), whose sums are the results."""
    return [
        SimpleNamespace(
            seats=[SimpleNamespace(**dict(zip(PARTS, seat, strict=True)), result=sum(seat)) for seat in game]
        )
        for game in np.asarray(parts).tolist()
    ]


def test_a_part_has_the_share_that_it_decides() -> None:
    rng = np.random.default_rng(1)
    results = np.where(rng.random(400) < 0.5, 1.0, -1.0)
    noise = rng.normal(size=400)
    for decisive in range(len(PARTS)):
        parts = np.zeros((400, 2, len(PARTS)))
        parts[:, 0, decisive] = results
        # Noise that moves from one part to another one, and a loss of all seats, change nothing.
        parts[:, 0, (decisive + 1) % 4] += noise
        parts[:, 0, (decisive + 2) % 4] -= noise
        parts[:, 1] = -parts[:, 0]
        parts[:, :, 1] -= 0.3
        parts[:, :, 3] += 0.3
        found = shares(reviews(parts))
        assert sum(one.value for one in found.values()) == pytest.approx(1)
        for number, name in enumerate(PARTS):
            assert found[name].low - 1e-9 <= float(number == decisive) <= found[name].high + 1e-9, name
        assert found[PARTS[decisive]].value == pytest.approx(1, abs=0.2)


def test_equal_networks_leave_everything_to_luck(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    assert main([*words("--players 3 --games 2 --agents network --json"), str(file)]) == 0
    (found,) = json.loads(file.read_text(encoding="utf-8"))["results"].values()
    # The review compares a choice with the network's own one.
    assert found["skill"] == found["others"] == [0.0, 0.0, 0.0]
    assert found["start"][0] + found["chance"][0] == pytest.approx(1)


def test_a_game_is_played_to_its_end_by_its_seats() -> None:
    game = make_game("porta_nigra")
    seats = [make("greedy", game, 1), make("random", game, 1)]
    actions = played(seats, 5)
    assert actions == played(seats, 5) != played(seats[::-1], 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--games 1", "--games must be at least 2, not 1"),
        ("--players 9", "--players: num_players must be 2, 3 or 4, not 9"),
        ("--agents wizard", "there is no agent 'wizard'"),
        ("--seed -1", "seed must be in"),
    ],
)
def test_wrong_options(options: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words(options))
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
