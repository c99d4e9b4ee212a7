"""Rendering in every environment: text, pictures and a window."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordVideo

from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.core.drawing.svg import document, seen_rows
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs import render as rendering
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.raster import Painter, merged, painter, rasterised
from porta_nigra_env.envs.render import text_picture, tiled
from tests.toys.kuhn.game import Kuhn

#: Factories of the environments that render.
APIS: dict[str, Any] = {
    "env": lambda mode: porta_nigra_v0.env(render_mode=mode),
    "raw_env": lambda mode: porta_nigra_v0.raw_env(render_mode=mode),
    "seat_env": lambda mode: gymnasium.make("PortaNigra-v0", render_mode=mode),
    "vector_env": lambda mode: gymnasium.make_vec("PortaNigra-v0", num_envs=2, render_mode=mode),
}


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use an invisible window without delays."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(rendering, "RENDER_FPS", 1000)
    yield
    rendering.WINDOW.close()


def pictures(env: Any) -> list[Any]:
    """Return the results of `render` as a list in every API."""
    found = env.render()
    return list(found) if isinstance(found, tuple) else [found]


def near(one: Any, other: Any) -> bool:
    """Return True if two pictures are equal up to rounding at edges."""
    return bool(one.shape == other.shape and np.abs(one.astype(int) - other.astype(int)).mean() < 0.5)


@pytest.mark.parametrize("api", APIS)
def test_pictures_show_the_same_as_text_boards(api: str) -> None:
    texts, drawn = (APIS[api](mode) for mode in ("ansi", "rgb_array"))
    for env in (texts, drawn):
        assert "rgb_array" in env.metadata["render_modes"]
        env.reset(seed=3)
    games = drawn.unwrapped
    states, game = (games.games.states, games.games.game) if api == "vector_env" else (games.states, games.game)
    drawing = game.drawing()
    for row, (board, image) in enumerate(zip(pictures(texts), pictures(drawn), strict=True)):
        assert (image.dtype, image.shape) == (np.uint8, (*drawing.sizes[2][::-1], 3))
        assert board.startswith("PORTA NIGRA")
        view = next(view for view in range(2) if game.board(states, row, view) == board)
        assert np.array_equal(image, painter(drawing, 2).paint(seen_rows(drawing, game, states, view, row)))
        image[:] = 0  # it belongs to the caller
    assert pictures(drawn)[0].any()


@pytest.mark.parametrize("api", APIS)
@pytest.mark.usefixtures("no_screen")
def test_the_window_shows_every_position(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    genuine = rendering.WINDOW.show

    def show(*given: Any) -> None:
        shown.append(given)
        genuine(*given)

    monkeypatch.setattr(rendering.WINDOW, "show", show)
    env, drawn = (APIS[api](mode) for mode in ("human", "rgb_array"))
    for one in (env, drawn):
        one.reset(seed=3)
    assert rendering.WINDOW.is_open
    assert len(shown) == 1
    assert np.array_equal(shown[0][0], tiled(pictures(drawn)))
    assert shown[0][1] == "Porta Nigra"
    assert set(pictures(env)) == {None}
    masks = env.unwrapped.action_masks() if api == "vector_env" else None
    if masks is not None:
        env.step(masks.argmax(axis=1))
    else:
        env.step(int(np.flatnonzero(env.unwrapped.action_masks())[0]) if api == "seat_env" else first_action(env))
    assert len(shown) == 3
    env.close()
    assert not rendering.WINDOW.is_open


def first_action(env: Any) -> int:
    """The first legal action of an AEC environment."""
    return int(np.flatnonzero(env.last()[0]["action_mask"])[0])


@pytest.mark.usefixtures("no_screen")
def test_a_window_that_a_person_closes_stays_closed() -> None:
    import pygame

    one = rendering.Window()
    image = np.zeros((20, 30, 3), dtype=np.uint8)
    one.show(image, "a", 1000)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    one.show(image, "a", 1000)
    assert not one.is_open
    one.show(image, "a", 1000)
    assert not one.is_open
    one.close()
    one.show(image, "a", 1000)
    assert one.is_open
    one.close()


def test_games_without_a_drawing_are_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    texts, drawn = (GameAEC(Kuhn(), render_mode=mode) for mode in ("ansi", "rgb_array"))
    for env in (texts, drawn):
        env.reset(seed=3)
    assert np.array_equal(drawn.render(), text_picture(texts.render()))
    people = GameAEC(Kuhn(), render_mode="human")
    people.reset(seed=3)
    assert people.render() is None
    assert capsys.readouterr().out == f"{texts.render()}\n" * 2
    with pytest.raises(ValueError, match="is not drawn"):
        State(Kuhn(), Kuhn().new_states(1)).svg()
    assert State(Kuhn(), Kuhn().new_states(1))._repr_svg_() is None


def test_gymnasium_finds_nothing_to_warn_about_in_pictures() -> None:
    check_env(gymnasium.make("PortaNigra-v0", render_mode="rgb_array").unwrapped)


def test_gymnasium_records_films(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    films: list[list[Any]] = []

    class Clip:
        """In the place of MoviePy's, which would run an encoder."""

        def __init__(self, frames: list[Any], fps: int) -> None:
            assert fps == rendering.RENDER_FPS
            films.append(frames)

        def write_videofile(self, path: str, logger: object) -> None:
            assert path.startswith(str(tmp_path))

    for name in ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setattr(sys.modules["moviepy.video.io.ImageSequenceClip"], "ImageSequenceClip", Clip, raising=False)
    env: Any = RecordVideo(gymnasium.make("PortaNigra-v0", render_mode="rgb_array"), str(tmp_path / "films"))
    env.reset(seed=1)
    for _ in range(5):
        env.step(int(np.flatnonzero(env.unwrapped.action_masks())[0]))
    env.close()
    assert len(films) == 1
    assert len(films[0]) == 6
    assert len({frame.tobytes() for frame in films[0]}) > 1
    assert {frame.shape for frame in films[0]} == {(862, 960, 3)}


def test_a_picture_is_what_resvg_makes_of_the_whole_document() -> None:
    state = porta_nigra_v0.State.new(num_players=4, seed=2)
    drawing, size = state.game.drawing(), state.game.drawing().sizes[4]
    for theme in ("light", "dark"):
        one = Painter(drawing, 4, theme)
        for _ in range(30):
            rows = seen_rows(drawing, state.game, state.states)
            image = one.paint(rows)
            state.apply_id(state.legal_ids()[-1])
        svg = document(drawing, rows, size, theme).replace("<svg ", f'<svg width="{size[0]}" height="{size[1]}" ', 1)
        assert near(image, np.asarray(rasterised(svg).convert("RGB")))
        # Repainted boxes equal a picture of a new painter.
        assert near(image, Painter(drawing, 4, theme).paint(rows))
    small = Painter(drawing, 4, width=480).paint(rows)
    assert small.shape == (541, 480, 3)


def test_boxes_that_overlap_become_one() -> None:
    assert merged([(0, 0, 2, 2), (5, 5, 6, 6), (1, 1, 3, 3)]) == [(5, 5, 6, 6), (0, 0, 3, 3)]


def test_pictures_of_all_boards_have_a_few_sizes() -> None:
    assert text_picture("").shape == text_picture("a\n" * 48).shape == text_picture("b" * 120).shape
    assert text_picture("a\n" * 49).shape[0] == 2 * text_picture("").shape[0]
    assert text_picture("\u2603").tolist() == text_picture("?").tolist(), "what the font has not is a question mark"


@pytest.mark.parametrize("missing", ["PIL.Image", "resvg_py"])
def test_without_a_library_the_error_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = porta_nigra_v0.seat_env(render_mode="rgb_array")
    env.reset(seed=1)
    painter.cache_clear()
    monkeypatch.setitem(sys.modules, missing, None)
    env.step(int(env.action_masks().argmax()))  # nothing is drawn
    with pytest.raises(ImportError, match=r"pip install 'porta-nigra-env\[render\]'"):
        env.render()


def test_without_pygame_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"pip install 'porta-nigra-env\[render\]'"):
        rendering.Window().show(np.zeros((2, 2, 3), dtype=np.uint8), "a", 1)


def test_drawing_modules_are_loaded_only_for_pictures() -> None:
    program = (
        "import sys, porta_nigra_env; from porta_nigra_env import State, porta_nigra_v0\n"
        "env = porta_nigra_v0.raw_env(render_mode='rgb_array'); env.reset(seed=1)\n"
        "heavy = ['PIL', 'resvg_py', 'pygame',\n"
        "         'porta_nigra_env.core.drawing.draw_list', 'porta_nigra_env.core.drawing.svg',\n"
        "         'porta_nigra_env.core.drawing.lettering', 'porta_nigra_env.envs.raster',\n"
        "         'porta_nigra_env.games.porta_nigra.drawing']\n"
        "print([name for name in heavy if name in sys.modules]); env.render(); print('PIL' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "True"]


@pytest.mark.parametrize("mode", ["video", 3, ["ansi"]])
def test_other_modes_are_refused_by_every_api(mode: Any) -> None:
    for make in (porta_nigra_v0.raw_env, porta_nigra_v0.seat_env, porta_nigra_v0.vector_env):
        with pytest.raises(ValueError, match="render_mode must be None or one of 'ansi', 'human', 'rgb_array'"):
            make(render_mode=mode)
    assert rendering.check_render_mode(None) is None
