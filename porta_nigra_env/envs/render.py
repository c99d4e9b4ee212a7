"""How environments are looked at: as text, as pictures, in a window.

A game that has a drawing (`core.drawing.draw_list`) is drawn; pictures of other games are pictures of their text boards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game, States

if TYPE_CHECKING:
    from porta_nigra_env.envs.batch import BatchEnv

#: ansi: `render` returns the text board.  rgb_array: `render` returns a picture, uint8 (height, width, 3); nothing is
#: drawn before.  human: every `reset` and `step` shows the game in a window, and `render` does so once more; a game
#: without a drawing is printed as text.
RENDER_MODES: Final = ("ansi", "human", "rgb_array")
#: Pictures a second of films, and of the window.
RENDER_FPS: Final = 2

#: Pixels of a character of Pillow's own font, which is of fixed width.
_WIDTH, _HEIGHT = 6, 11
#: A picture of text holds so many columns and lines, or a multiple of them where a board needs more: all pictures of an
#: episode have one size, as those who make films of them want it.
_COLUMNS, _LINES = 120, 48
_PAPER, _INK = (250, 248, 240), (30, 30, 30)


def check_render_mode(mode: object) -> str | None:
    """`mode` as one of `RENDER_MODES`, or None; ValueError for whatever is none."""
    if mode is None or (isinstance(mode, str) and mode in RENDER_MODES):
        return mode
    raise ValueError(f"render_mode must be None or one of {', '.join(map(repr, RENDER_MODES))}, not {mode!r}")


def warn_without_mode() -> None:
    """Gymnasium's warning for a `render` without a render mode."""
    gymnasium.logger.warn("You are calling render method without specifying any render mode.")


def rendered(mode: str, game: Game, states: States, row: int = 0, view: int | None = None) -> Any:
    """What `render` answers with in one of `RENDER_MODES`: the text, None after showing it, or a picture.

    With a view, only what that seat may see is shown.
    """
    if mode == "ansi":
        return game.board(states, row, view)
    if mode == "rgb_array":
        return _picture(game, states, row, view)
    if game.drawing() is None:
        print(game.board(states, row, view), flush=True)
    else:
        _show(game, [_picture(game, states, row, view)])
    return None


def all_rendered(mode: str, games: BatchEnv) -> tuple[Any, ...]:
    """`rendered` for every game of a batch, as its learner sees it; a window has all of them beside each other."""
    game, states, views = games.game, games.states, games.learners.tolist()
    if mode == "human" and game.drawing() is not None:
        _show(game, [_picture(game, states, row, view) for row, view in enumerate(views)])
        return (None,) * len(views)
    return tuple(rendered(mode, game, states, row, view) for row, view in enumerate(views))


def close_window() -> None:
    """Close the window of "human", if there is one."""
    from porta_nigra_env.envs.window import WINDOW

    WINDOW.close()


def _picture(game: Game, states: States, row: int, view: int | None) -> npt.NDArray[np.uint8]:
    drawing = game.drawing()
    if drawing is None:
        return picture(game.board(states, row, view))
    from porta_nigra_env.core.drawing.draw_list import seen_rows
    from porta_nigra_env.envs.raster import painter

    return painter(drawing, game.num_players).paint(seen_rows(drawing, game, states, view, row))


def _show(game: Game, pictures: list[npt.NDArray[np.uint8]]) -> None:
    from porta_nigra_env.envs.window import WINDOW

    WINDOW.show(tiled(pictures), game.name.replace("_", " ").title(), RENDER_FPS)


def tiled(pictures: list[npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    """Pictures of one size beside and below each other, in a square as near as may be."""
    across = int(np.ceil(np.sqrt(len(pictures))))
    missing = [np.zeros_like(pictures[0])] * (-len(pictures) % across)
    cells = [*pictures, *missing]
    lines = [np.concatenate(cells[start : start + across], axis=1) for start in range(0, len(cells), across)]
    return np.concatenate(lines, axis=0)


def picture(text: str) -> npt.NDArray[np.uint8]:
    """A text in a font of fixed width, uint8 (height, width, 3); what is not in Latin-1 becomes a question mark.

    Raises:
        ImportError: Pillow is not installed; the message says how to.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise ImportError(f"{error}: pictures are drawn with Pillow; pip install 'porta-nigra-env[render]'") from error
    lines = text.encode("latin-1", "replace").decode("latin-1").splitlines()
    columns = _COLUMNS * max(1, -(-max(map(len, lines), default=0) // _COLUMNS))
    image = Image.new("RGB", (_WIDTH * columns, _HEIGHT * _LINES * max(1, -(-len(lines) // _LINES))), _PAPER)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default_imagefont()
    for number, line in enumerate(lines):
        draw.text((0, _HEIGHT * number), line, font=font, fill=_INK)
    return np.asarray(image, dtype=np.uint8)
