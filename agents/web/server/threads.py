"""Threads for what takes its time, so that the server goes on answering."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Workers:
    """So many threads.  They end with the process, whatever they are at: a long search does not keep it waiting."""

    def __init__(self, count: int) -> None:
        self._waiting: SimpleQueue[Callable[[], None]] = SimpleQueue()
        for _ in range(count):
            threading.Thread(target=self._work, daemon=True, name="tables").start()

    async def do(self, work: Callable[[], T]) -> T:
        """What `work` answers or raises, done by one of the threads."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(set_it: Callable[[Any], None], what: object) -> None:
            if not future.done():
                set_it(what)

        def run() -> None:
            try:
                done: tuple[Callable[[Any], None], object] = (future.set_result, work())
            except Exception as error:
                done = (future.set_exception, error)
            with suppress(RuntimeError):  # the loop has been closed: nobody waits any longer
                loop.call_soon_threadsafe(settle, *done)

        self._waiting.put(run)
        return await future

    def _work(self) -> None:
        while True:
            self._waiting.get()()
