"""Rendering: text boards, pictures, and a window.

A game with a drawing (`core.drawing.draw_list`) is drawn; pictures of other games are pictures of their text boards.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import gymnasium
import numpy as np

from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.extras import imported

if TYPE_CHECKING:
    from porta_nigra_env.envs.raster import Picture

#: ansi: `render` returns the text board.  rgb_array: `render` returns a picture, uint8 (height, width, 3).  human:
#: every `reset`, `step` and `render` shows the game in a window; a game without a drawing is printed as text.
RENDER_MODES: Final = ("ansi", "human", "rgb_array")
#: Pictures per second of films and of the window.
RENDER_FPS: Final = 2

#: Pixels of a character of Pillow's built-in fixed-width font.
_WIDTH, _HEIGHT = 6, 11
#: Columns and lines of a picture of text; larger boards take a multiple, so that an episode has one picture size.
_COLUMNS, _LINES = 120, 48
_PAPER, _INK = (250, 248, 240), (30, 30, 30)


def check_render_mode(mode: object) -> str | None:
    """Return `mode` if it is valid, None or one of `RENDER_MODES`, else raise ValueError."""
    if mode is None or (isinstance(mode, str) and mode in RENDER_MODES):
        return mode
    raise ValueError(f"render_mode must be None or one of {', '.join(map(repr, RENDER_MODES))}, not {mode!r}")


class Rendering:
    """The methods of an environment that renders its boards."""

    render_mode: str | None

    def _boards(self, mode: str) -> Any:
        """Return the result of `render` in one of `RENDER_MODES`."""
        raise NotImplementedError

    def render(self) -> Any:
        """Render the boards in `render_mode`, see `RENDER_MODES`; None, with a warning, without one."""
        if self.render_mode is None:
            gymnasium.logger.warn("You are calling render method without specifying any render mode.")
            return None
        return self._boards(self.render_mode)

    def _show(self) -> None:
        """Update the window of "human"."""
        if self.render_mode == "human":
            self._boards("human")

    def _close_window(self) -> None:
        if self.render_mode == "human":
            WINDOW.close()


def render_boards(mode: str, game: Game, states: States, views: Sequence[int | None]) -> tuple[Any, ...]:
    """Return the result of `render` for each row of states: the text, a picture, or None after showing it.

    The window shows all rows in a grid.

    Args:
        mode: one of `RENDER_MODES`.
        views: for each row the seat whose information its board shows; None for the full state.
    """
    if mode == "rgb_array" or (mode == "human" and game.drawing() is not None):
        boards: tuple[Any, ...] = tuple(_picture(game, states, row, view) for row, view in enumerate(views))
    else:
        boards = tuple(game.board(states, row, view) for row, view in enumerate(views))
    if mode != "human":
        return boards
    if game.drawing() is None:
        print(*boards, sep="\n", flush=True)
    else:
        WINDOW.show(tiled(boards), game.name.replace("_", " ").title(), RENDER_FPS)
    return (None,) * len(views)


def _picture(game: Game, states: States, row: int, view: int | None) -> Picture:
    drawing = game.drawing()
    if drawing is None:
        return text_picture(game.board(states, row, view))
    from porta_nigra_env.core.drawing.svg import seen_rows
    from porta_nigra_env.envs.raster import painter

    return painter(drawing, game.num_players).paint(seen_rows(drawing, game, states, view, row))


def tiled(pictures: Sequence[Picture]) -> Picture:
    """Arrange pictures of one size in a grid close to a square."""
    across = int(np.ceil(np.sqrt(len(pictures))))
    missing = [np.zeros_like(pictures[0])] * (-len(pictures) % across)
    cells = [*pictures, *missing]
    lines = [np.concatenate(cells[start : start + across], axis=1) for start in range(0, len(cells), across)]
    return np.concatenate(lines, axis=0)


def text_picture(text: str) -> Picture:
    """Return a text in a fixed-width font, uint8 (height, width, 3); characters outside Latin-1 become "?"."""
    pillow = {name: imported(f"PIL.{name}", "render") for name in ("Image", "ImageDraw", "ImageFont")}
    lines = text.encode("latin-1", "replace").decode("latin-1").splitlines()
    columns = _COLUMNS * max(1, -(-max(map(len, lines), default=0) // _COLUMNS))
    image = pillow["Image"].new("RGB", (_WIDTH * columns, _HEIGHT * _LINES * max(1, -(-len(lines) // _LINES))), _PAPER)
    draw, font = pillow["ImageDraw"].Draw(image), pillow["ImageFont"].load_default_imagefont()
    for number, line in enumerate(lines):
        draw.text((0, _HEIGHT * number), line, font=font, fill=_INK)
    return np.asarray(image, dtype=np.uint8)


class Window:
    """The window of ``render_mode="human"``, made with pygame.

    It shows one picture after the other.  After a person has closed it, it stays closed until `close`.
    """

    def __init__(self) -> None:
        self._screen: Any = None
        self._clock: Any = None
        self._dismissed = False

    @property
    def is_open(self) -> bool:
        return self._screen is not None

    def show(self, picture: Picture, title: str, fps: int) -> None:
        """Show a picture, uint8 (height, width, 3), for 1 / fps seconds.

        RuntimeError if there is no screen.
        """
        if self._dismissed:
            return
        pygame = _pygame()
        size = picture.shape[1], picture.shape[0]
        if self._screen is None or self._screen.get_size() != size:
            try:
                pygame.display.init()
                self._screen = pygame.display.set_mode(size)
            except pygame.error as error:
                raise RuntimeError(f"{error}: there is no screen to show a game on; use render_mode='ansi'") from error
            pygame.display.set_caption(title)
            self._clock = pygame.time.Clock()
        self._screen.blit(pygame.image.frombuffer(picture.tobytes(), size, "RGB"), (0, 0))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            self._dismissed = True
            return
        self._clock.tick(fps)

    def close(self) -> None:
        """Close the window; the next picture opens it again."""
        if self._screen is not None:
            _pygame().display.quit()
        self._screen, self._dismissed = None, False


def _pygame() -> Any:
    # pygame prints a greeting to stdout, where programs write their results.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return imported("pygame", "render")


#: pygame has one window for each process.
WINDOW: Final = Window()
