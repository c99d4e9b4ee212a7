"""The window that ``render_mode="human"`` shows drawn games in: pygame's, one for a process."""

from __future__ import annotations

import os
from typing import Any

from porta_nigra_env.envs.raster import Picture


class Window:
    """A window that shows one picture after the other; once a person has closed it, it stays closed until `close`."""

    def __init__(self) -> None:
        self._screen: Any = None
        self._clock: Any = None
        self._dismissed = False

    @property
    def is_open(self) -> bool:
        return self._screen is not None

    def show(self, picture: Picture, title: str, fps: int) -> None:
        """Show a picture, uint8 (height, width, 3), and keep it for as long as `fps` pictures a second ask for.

        Raises:
            ImportError: pygame is not installed; the message says how to.
            RuntimeError: there is no screen.
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
    # It greets on stdout, where programs write their results.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise ImportError(
            f"{error}: games are shown in a window of pygame; pip install 'porta-nigra-env[render]'"
        ) from error
    return pygame


#: pygame has one window for each process.
WINDOW = Window()
