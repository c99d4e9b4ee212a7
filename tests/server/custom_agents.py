"""Custom agents, as users bring them to the server by their import path; most of them are faulty.

They run in other processes than the tests, and share the folder of their option `folder` with them.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np

from agents.agent import Agent
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View


class Last(Agent):
    """Plays the last legal action."""

    def act(self, view: View) -> int:
        return int(view.legal_ids()[-1])


class Shared(Agent):
    """An agent with a folder."""

    def __init__(self, name: str, game: Game, seed: int, folder: str) -> None:
        super().__init__(name, game, seed)
        self.folder = Path(folder)


class Recording(Shared):
    """Writes down everything that it sees."""

    def act(self, view: View) -> int:
        seen = (
            view.game.name,
            view.player,
            *(part.tobytes() for part in (view.state, view.observation, view.action_mask)),
        )
        (self.folder / "seen").write_bytes(pickle.dumps(seen))
        return int(view.legal_ids()[0])


class Faulty(Shared):
    """Fails as often as the file `failures` says, then plays the first legal action."""

    def act(self, view: View) -> int:
        left = int((self.folder / "failures").read_text())
        if left:
            (self.folder / "failures").write_text(str(left - 1))
            (self.folder / "process").write_text(str(os.getpid()))
            return self.fail()
        return int(view.legal_ids()[0])

    def fail(self) -> int:
        raise RuntimeError("a secret of the seat")


class Exiting(Faulty):
    def fail(self) -> int:
        sys.exit("exits")


class Quitting(Faulty):
    def fail(self) -> int:
        os._exit(3)


class Illegal(Faulty):
    def fail(self) -> int:
        return -1


class Hanging(Faulty):
    def fail(self) -> int:
        while True:
            time.sleep(0.001)


class Looping(Faulty):
    """Hangs in compiled code that holds the lock of the interpreter."""

    def __init__(self, name: str, game: Game, seed: int, folder: str) -> None:
        super().__init__(name, game, seed, folder)

        @numba.njit("void(int64[:])", nogil=False)
        def loop(numbers: Any) -> None:
            while numbers[0] == 0:
                numbers[1] += 1

        self.loop = loop

    def fail(self) -> int:
        self.loop(np.zeros(2, dtype=np.int64))
        return 0


class ExitingConstructor(Last):
    def __init__(self, *arguments: Any) -> None:
        sys.exit("exits")


class QuittingConstructor(Last):
    def __init__(self, *arguments: Any) -> None:
        os._exit(3)


class HangingConstructor(Last):
    def __init__(self, *arguments: Any) -> None:
        while True:
            time.sleep(0.001)


class Slow(Shared):
    """Thinks until the file `release` is there; a file `running-PROCESS` is there meanwhile."""

    def act(self, view: View) -> int:
        mine, end = self.folder / f"running-{os.getpid()}", time.monotonic() + 60
        mine.touch(exist_ok=False)
        while not (self.folder / "release").exists() and time.monotonic() < end:
            time.sleep(0.005)
        mine.unlink()
        return int(view.legal_ids()[0])
