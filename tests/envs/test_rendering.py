"""Text boards: as text, on the terminal, as pictures, in every environment."""

from __future__ import annotations

import builtins
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.envs import rendering
from porta_nigra_env.envs.rendering import picture

#: The faces that draw, with what a picture of them is asked from.
FACES: dict[str, Any] = {
    "env": lambda mode: porta_nigra_v0.env(render_mode=mode),
    "raw_env": lambda mode: porta_nigra_v0.raw_env(render_mode=mode),
    "seat_env": lambda mode: gymnasium.make("PortaNigra-v0", render_mode=mode),
    "vector_env": lambda mode: gymnasium.make_vec("PortaNigra-v0", num_envs=2, render_mode=mode),
}


def pictures(env: Any) -> list[Any]:
    """What `render` gives, as a list in every face."""
    found = env.render()
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("face", FACES)
def test_pictures_are_the_board_drawn(face: str) -> None:
    texts, drawn = (FACES[face](mode) for mode in ("ansi", "rgb_array"))
    for env in (texts, drawn):
        assert "rgb_array" in env.metadata["render_modes"]
        env.reset(seed=3)
    for board, image in zip(pictures(texts), pictures(drawn), strict=True):
        assert (image.dtype, image.ndim, image.shape[2]) == (np.uint8, 3, 3)
        assert np.array_equal(image, picture(board))
        # Ink stands where the board has characters, and nowhere else.
        inked = (image != image[-1, -1]).any(axis=2)
        lines = board.splitlines()
        assert inked.any(axis=1)[: 11 * len(lines)].sum() > 3 * len(lines)
        assert not inked[11 * len(lines) :].any()
        assert not inked[:, 6 * max(map(len, lines)) :].any()


@pytest.mark.parametrize("face", FACES)
def test_people_are_shown_every_position(face: str, capsys: pytest.CaptureFixture[str]) -> None:
    env, texts = (FACES[face](mode) for mode in ("human", "ansi"))
    for one in (env, texts):
        one.reset(seed=3)
    assert capsys.readouterr().out == "".join(f"{board}\n" for board in pictures(texts))
    assert set(pictures(env)) == {None}
    assert len(capsys.readouterr().out.splitlines()) > 10
    action = texts.unwrapped.legal_actions()[0] if hasattr(texts.unwrapped, "legal_actions") else None
    if face == "vector_env":
        action = env.unwrapped.action_masks().argmax(axis=1)
    elif action is None:
        action = int(env.unwrapped.action_masks().argmax())
    env.step(action)
    assert "PORTA NIGRA" in capsys.readouterr().out


def test_gymnasium_finds_nothing_to_warn_about_in_pictures() -> None:
    check_env(gymnasium.make("PortaNigra-v0", render_mode="rgb_array").unwrapped)


def test_pictures_of_all_boards_have_a_few_sizes() -> None:
    assert picture("").shape == picture("a\n" * 48).shape == picture("b" * 120).shape
    assert picture("a\n" * 49).shape[0] == 2 * picture("").shape[0]
    assert picture("\u2603").tolist() == picture("?").tolist(), "what the font has not is a question mark"


def test_without_pillow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "PIL":
            raise ImportError("No module named 'PIL'")
        return genuine(name, *arguments, **options)

    env = porta_nigra_v0.seat_env(render_mode="rgb_array")
    env.reset(seed=1)
    monkeypatch.setattr(builtins, "__import__", without)
    env.step(int(env.action_masks().argmax()))  # nothing is drawn, and nothing is missed
    with pytest.raises(ImportError, match=r"pip install 'porta-nigra-env\[render\]'"):
        env.render()


def test_pillow_is_loaded_for_pictures_only() -> None:
    program = (
        "import sys; from porta_nigra_env.envs import rendering; print('PIL' in sys.modules);"
        "rendering.picture('a'); print('PIL' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("mode", ["video", 3, ["ansi"]])
def test_other_modes_are_refused_by_every_face(mode: Any) -> None:
    for make in (porta_nigra_v0.raw_env, porta_nigra_v0.seat_env, porta_nigra_v0.vector_env):
        with pytest.raises(ValueError, match="render_mode must be None or one of 'ansi', 'human', 'rgb_array'"):
            make(render_mode=mode)
    assert rendering.check_render_mode(None) is None
