"""Custom agents, as users bring them to the server by their import path; most of them are faulty."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, ClassVar

from agents.agent import Agent
from porta_nigra_env.core.game.view import View


class Last(Agent):
    """Plays the last legal action."""

    def act(self, view: View) -> int:
        return int(view.legal_ids()[-1])


class Faulty(Agent):
    """Fails at the first `failures` calls, then plays the first legal action."""

    failures: ClassVar[int] = 0

    def act(self, view: View) -> int:
        if type(self).failures > 0:
            type(self).failures -= 1
            return self.fail()
        return int(view.legal_ids()[0])

    def fail(self) -> int:
        raise RuntimeError("a secret of the seat")


class Exiting(Faulty):
    def fail(self) -> int:
        sys.exit("exits")


class Illegal(Faulty):
    def fail(self) -> int:
        return -1


class Hanging(Faulty):
    def fail(self) -> int:
        while True:
            time.sleep(0.001)


class ExitingConstructor(Last):
    def __init__(self, *arguments: Any) -> None:
        sys.exit("exits")


class HangingConstructor(Last):
    def __init__(self, *arguments: Any) -> None:
        while True:
            time.sleep(0.001)


class Slow(Agent):
    """Thinks until it is released."""

    release: ClassVar[threading.Event] = threading.Event()
    asked: ClassVar[threading.Event] = threading.Event()
    running: ClassVar[int] = 0
    overlaps: ClassVar[int] = 0

    @classmethod
    def reset(cls) -> None:
        cls.release, cls.asked = threading.Event(), threading.Event()
        cls.running = cls.overlaps = 0

    def act(self, view: View) -> int:
        cls = type(self)
        cls.asked.set()
        cls.running += 1
        cls.overlaps += cls.running > 1
        cls.release.wait(60)
        cls.running -= 1
        return int(view.legal_ids()[0])
