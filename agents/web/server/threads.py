"""Work in threads that end with the process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class WorkError(Exception):
    """Work that ended its thread or process instead of returning."""


def in_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    """Return a future of `work()` in a new daemon thread, done only after the work has ended."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    # Reads the exception, so that asyncio does not report it again where no caller waits any longer.
    future.add_done_callback(lambda done: done.cancelled() or done.exception())

    def settle(set_outcome: Callable[[Any], None], outcome: object) -> None:
        if not future.done():
            set_outcome(outcome)

    def run() -> None:
        outcome: tuple[Callable[[Any], None], object]
        try:
            outcome = future.set_result, work()
        except BaseException as error:
            # A future refuses StopIteration, and a task that raises SystemExit ends the event loop.
            plain = isinstance(error, Exception) and not isinstance(error, StopIteration)
            wrapped = WorkError(f"{type(error).__name__}: {error}").with_traceback(error.__traceback__)
            outcome = future.set_exception, error if plain else wrapped
        # The loop may be closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=run, daemon=True, name="tables").start()
    return future
