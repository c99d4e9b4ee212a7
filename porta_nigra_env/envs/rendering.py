"""How environments are looked at: the text board, on the terminal or as a picture of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from porta_nigra_env.envs.batch import BatchEnv

#: ansi: `render` returns the text board.  human: every `reset` and `step` prints it to stdout, and `render` does so
#: once more.  rgb_array: `render` returns it as a picture, uint8 (height, width, 3); nothing is drawn before.
RENDER_MODES: Final = ("ansi", "human", "rgb_array")

#: Pixels of a character of Pillow's own font, which is of fixed width.
_WIDTH, _HEIGHT = 6, 11
#: A picture holds so many columns and lines, or a multiple of them where a board needs more: all pictures of an
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


def rendered(mode: str, board: str) -> Any:
    """What `render` answers with in one of `RENDER_MODES`: the text, None after printing it, or a picture."""
    if mode == "human":
        print(board, flush=True)
        return None
    return picture(board) if mode == "rgb_array" else board


def all_rendered(mode: str, games: BatchEnv) -> tuple[Any, ...]:
    """`rendered` for every game of a batch, as its learner sees it."""
    return tuple(rendered(mode, games.board(row, seat)) for row, seat in enumerate(games.learners.tolist()))


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
