"""Games as moving pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from agents.web import film
from porta_nigra_env.games import DEFAULT_GAME, state_class


def test_a_film_has_a_picture_of_every_position(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The beginning of a game is as good as a whole one.
    genuine = film.play_steps
    monkeypatch.setattr(
        film, "play_steps", lambda *given: (one for one, _ in zip(genuine(*given), range(5), strict=False))
    )
    out = tmp_path / "film.webp"
    assert film.main(["random", "--width", "240", "--milliseconds", "50", "--out", str(out)]) == 0
    with Image.open(out) as made:
        assert made.format == "WEBP"
        assert 2 <= getattr(made, "n_frames", 1) <= 6  # pictures that are the same are shown longer
        assert made.size[0] == 240
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_one_position_stands_still(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"table.{ending}"
    assert film.main(["random", "--at", "3", "--view", "0", "--theme", "dark", "--out", str(out)]) == 0
    if ending == "svg":
        state = state_class(DEFAULT_GAME).new(seed=1)
        game = film.play_steps(state, ["random"], 1)
        for _ in range(4):
            next(game)
        assert out.read_text(encoding="utf-8") == state.svg(0, "dark")
    else:
        with Image.open(out) as made:
            assert (made.format, made.size[0], getattr(made, "n_frames", 1)) == ("PNG", 480, 1)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (["--theme", "blue"], "theme must be None or one of 'light', 'dark'"),
        (["--view", "7"], "player must be a seat"),
        (["--width", "0"], "--width must be at least 1"),
        (["--at", "100000", "--seed", "1"], "the game is over before step 100000"),
        (["random", "random", "random"], "name one for all seats, or 2, not 3"),
        (["--out", "nowhere/film.webp"], "--out: there is no folder nowhere"),
        (["--out", "film.gif"], "--out: the name must end with one of .webp, .png, not 'film.gif'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    wrong: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        film.main(["--out", str(tmp_path / "film.webp"), *wrong])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert not Path("film.gif").exists()
