"""Agents of one's own, as somebody brings them to the server by their import path."""

from __future__ import annotations

import threading
from typing import ClassVar

from agents.agent import Agent
from porta_nigra_env.core.game.view import View


class Last(Agent):
    """Takes the last legal action."""

    def act(self, view: View) -> int:
        return int(view.legal_ids()[-1])


class Failing(Agent):
    """Fails at first, with a text that nobody at the table may read; then it plays."""

    failures: ClassVar[int] = 0

    def act(self, view: View) -> int:
        type(self).failures += 1
        if self.failures == 1:
            raise RuntimeError("a secret of the seat")
        return int(view.legal_ids()[0])


class Wrong(Agent):
    """Answers with what is no action."""

    def act(self, view: View) -> int:
        return -1


class Slow(Agent):
    """Thinks until it is let go."""

    let_go: ClassVar[threading.Event] = threading.Event()
    asked: ClassVar[threading.Event] = threading.Event()

    def act(self, view: View) -> int:
        self.asked.set()
        self.let_go.wait(60)
        return int(view.legal_ids()[0])
