"""Worker threads that survive work that raises, exits or hangs."""

from __future__ import annotations

import asyncio
import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

#: Living threads with hanging work after which no more work is accepted.
_MOST_HANGING: Final = 16


class WorkError(Exception):
    """Work that ended its thread (SystemExit, KeyboardInterrupt) instead of returning."""


class WorkTimeoutError(TimeoutError):
    """Work that a thread did not finish in time; the thread still runs it."""


class _Job(Generic[T]):
    """A piece of work on its way through a thread; `lock` guards `finished` and `abandoned`."""

    def __init__(self, work: Callable[[], T], timeout: float | None) -> None:
        self.work, self.timeout = work, timeout
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[T] = self.loop.create_future()
        # Reads the exception, so that asyncio does not report it again where no caller waits any longer.
        self.future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.lock = threading.Lock()
        self.finished = self.abandoned = False

    def post(self, callback: Callable[..., object], *arguments: object) -> None:
        """Run a callback in the event loop, unless the loop is closed."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(callback, *arguments)

    def settle(self, set_outcome: Callable[[Any], None], outcome: object) -> None:
        if not self.future.done():
            set_outcome(outcome)


class WorkerThreads:
    """A fixed number of daemon threads.

    A thread whose work runs past its time limit is asked to stop, and another thread takes over. Daemon threads end
    with the process. A thread cannot be stopped inside compiled code or ``os._exit``.
    """

    def __init__(self, count: int) -> None:
        self._jobs: SimpleQueue[_Job[Any]] = SimpleQueue()
        self._hanging: list[threading.Thread] = []
        for _ in range(count):
            self._start()

    def submit(self, work: Callable[[], T], timeout: float | None = None) -> asyncio.Future[T]:
        """Return a future of `work()`, done only after the work has ended or was given up.

        Args:
            timeout: seconds from the moment a thread takes the work; then the future has a WorkTimeoutError.
        """
        job = _Job(work, timeout)
        self._hanging = [thread for thread in self._hanging if thread.is_alive()]
        if len(self._hanging) >= _MOST_HANGING:
            job.future.set_exception(WorkError(f"{len(self._hanging)} threads hang; restart the server"))
        else:
            self._jobs.put(job)
        return job.future

    def _start(self) -> None:
        threading.Thread(target=self._run, daemon=True, name="tables").start()

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            job.post(self._watch, job, threading.current_thread())
            outcome: tuple[Callable[[Any], None], object]
            try:
                outcome = job.future.set_result, job.work()
            except BaseException as error:
                # A future refuses StopIteration, and a task that raises SystemExit ends the event loop.
                plain = isinstance(error, Exception) and not isinstance(error, StopIteration)
                wrapped = WorkError(f"{type(error).__name__}: {error}").with_traceback(error.__traceback__)
                outcome = job.future.set_exception, error if plain else wrapped
            with job.lock:
                if job.abandoned:
                    return
                job.finished = True
            job.post(job.settle, *outcome)

    def _watch(self, job: _Job[Any], thread: threading.Thread) -> None:
        if job.timeout is not None:
            timer = job.loop.call_later(job.timeout, self._abandon, job, thread)
            job.future.add_done_callback(lambda _: timer.cancel())

    def _abandon(self, job: _Job[Any], thread: threading.Thread) -> None:
        """Replace a thread whose work has run out of time."""
        with job.lock:
            if job.finished:
                return
            job.abandoned = True
        self._hanging.append(thread)
        # Ends loops in Python at their next instruction.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit))
        self._start()
        job.settle(job.future.set_exception, WorkTimeoutError(f"no answer within {job.timeout:g} s"))
