"""The golden games still go as they are written down."""

from __future__ import annotations

import pytest

from porta_nigra_env.core.playthrough import PlaythroughError, record, replay
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.golden.regenerate import FOLDER, STARTS, policy_of

TEXT = (FOLDER / "random_2_players_seed_1.txt").read_text(encoding="utf-8")


def begin() -> State:
    return State.new(2, 1)


@pytest.mark.parametrize("name", STARTS)
def test_a_golden_game_is_replayed_line_by_line(name: str) -> None:
    assert replay((FOLDER / f"{name}.txt").read_text(encoding="utf-8"), STARTS[name]()) > 1


def test_every_golden_file_is_replayed() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(STARTS)


@pytest.mark.parametrize("name", STARTS)
def test_recording_repeats_itself(name: str) -> None:
    # Boards are comments to a replay; here they count.
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert record(STARTS[name](), policy_of(name), name.replace("_", " ")) == text


def changed(old: str, new: str) -> str:
    assert TEXT.count(old) >= 1
    return TEXT.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed("porta_nigra_v0, 2 players", "porta_nigra_v0, 3 players"), r"line 2:\n  says .*3 players"),
        (changed("tables       ", "tables       0"), "line 3:"),
        (changed("start        ", "start        0"), "line 4:"),
        (changed("  4 legal", "  5 legal"), "5 legal"),
        (changed("player 0  place ", "player 0  place the "), "is no action"),
        (changed("legal        place", "legal        plaice"), "plaice"),
        (changed("1  player ", "1  player 4"), "says"),
        (changed("scores       ", "scores       1"), "scores"),
        (TEXT.split("scores")[0], "breaks off"),
        (TEXT.split("40  player")[0] + "end          0\n", "not over"),
        (TEXT + "nonsense\n", "cannot be read"),
    ],
)
def test_what_does_not_come_true_is_named(text: str, message: str) -> None:
    with pytest.raises(PlaythroughError, match=message):
        replay(text, begin())
