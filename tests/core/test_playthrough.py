"""Playthroughs: replay reports every difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from porta_nigra_env.core.game.playthrough import PlaythroughError, replay
from tests.toys.dice import golden
from tests.toys.dice.game import State

TEXT = Path(golden.__file__).with_name("random_2_players_seed_1.txt").read_text(encoding="utf-8")


def begin() -> State:
    return State.new(2, 1)


def changed(old: str, new: str) -> str:
    assert TEXT.count(old) >= 1
    return TEXT.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed("dice_v0, 2 players", "dice_v0, 3 players"), r"line 2:\n  says .*3 players"),
        (changed("tables       ", "tables       0"), "line 3:"),
        (changed("start        ", "start        0"), "line 4:"),
        (changed("  4 legal", "  5 legal"), "5 legal"),
        (changed("player 0  throw", "player 0  throw all"), "is no action"),
        (changed("legal        bid 0", "legal        bid nothing"), "bid nothing"),
        (changed("1  player ", "1  player 4"), "says"),
        (changed("scores       ", "scores       1"), "scores"),
        (TEXT.split("scores")[0], "breaks off"),
        (TEXT.split("20  player")[0] + "end          0\n", "not over"),
        (TEXT + "nonsense\n", "cannot be read"),
    ],
)
def test_a_difference_is_reported(text: str, message: str) -> None:
    with pytest.raises(PlaythroughError, match=message):
        replay(text, begin())
