"""Golden games replay and record identically."""

from __future__ import annotations

import pytest

from porta_nigra_env.core.game.playthrough import replay
from porta_nigra_env.games import GAMES
from tests.golden.__main__ import main
from tests.golden.games import Golden, folders, golden_games

every_golden_game = pytest.mark.parametrize("golden", golden_games(), ids=str)


@every_golden_game
def test_a_golden_game_is_replayed_line_by_line(golden: Golden) -> None:
    assert replay(golden.file.read_text(encoding="utf-8"), golden.start.state()) > 1


@every_golden_game
def test_recording_repeats_itself(golden: Golden) -> None:
    # A replay ignores boards; a recording does not.
    assert golden.recorded() == golden.file.read_text(encoding="utf-8")


def test_every_golden_file_is_replayed() -> None:
    files = {path for folder in folders().values() for path in folder.glob("*.txt")}
    assert files == {golden.file for golden in golden_games()}


def test_every_game_has_golden_games() -> None:
    assert set(GAMES) <= set(folders())


def test_a_game_without_golden_games_is_refused() -> None:
    with pytest.raises(SystemExit, match="no golden games of 'chess'"):
        main(["--game", "chess"])
