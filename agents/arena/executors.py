"""Executors of this process, of other processes on this machine, and of a Ray cluster; and the choice among them."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, TypeVar

from agents.arena.executor import Executor, WorkerError
from porta_nigra_env.extras import install

__all__ = ["Executor", "Here", "Jobs", "Processes", "WorkerError"]

W = TypeVar("W")
R = TypeVar("R")


class Here(Executor[W]):
    """This process with its worker, one task after the other."""

    width = 1

    def __init__(self, worker: W) -> None:
        self.worker = worker

    def submit(self, work: Callable[..., R], task: object, *shared: object) -> Future[R]:
        """Do the work at once, and raise its errors here."""
        done: Future[R] = Future()
        done.set_result(work(self.worker, task, *shared))
        return done


@dataclass(frozen=True)
class _Unmade:
    """A worker that its process has yet to make."""

    make: Callable[[], Any]


#: The worker of a process of `Processes`.
_worker: Any = None


def _enter(worker: _Unmade) -> None:
    global _worker
    # A keyboard interrupt reaches all processes; this one ends without a message.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    _worker = worker


def _exit_with_parent() -> None:
    """End this process when its parent is killed: it would wait for tasks for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(work: Callable[..., R], task: object, *shared: object) -> R:
    global _worker
    # With the first task: an error in an initializer would break the pool without a message.
    if isinstance(_worker, _Unmade):
        _worker = _worker.make()
    return work(_worker, task, *shared)


class Processes(Executor[W]):
    """Spawned processes on this machine, which start without the modules that this one has loaded.

    Args:
        make: makes the worker of a process; a module-level function.
        count: number of processes.
    """

    def __init__(self, make: Callable[[], W], count: int) -> None:
        self.count = count
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(count, context, _enter, (_Unmade(make),))

    @property
    def width(self) -> int:
        """Two tasks for each process."""
        return 2 * self.count

    def submit(self, work: Callable[..., R], task: object, *shared: object) -> Future[R]:
        """Submit a task to the next idle process."""
        try:
            return self._pool.submit(_work, work, task, *shared)
        except BrokenProcessPool as error:
            raise _died() from error

    def result(self, future: Future[R]) -> R:
        try:
            return future.result()
        except BrokenProcessPool as error:
            raise _died() from error

    def close(self) -> None:
        """Wait for the running tasks, and end the processes."""
        self._pool.shutdown(cancel_futures=True)


def _died() -> WorkerError:
    return WorkerError("a process that played has died, for want of memory perhaps")


@dataclass(frozen=True)
class Jobs:
    """A choice of an executor.

    Attributes:
        count: number of processes, 1 for this one; on Ray the tasks at a time, 0 for as many as there are cores.
        ray: whether to use Ray.
        address: of a Ray cluster, e.g. auto; "" to start one on this machine for the duration of the work.
    """

    count: int = 1
    ray: bool = False
    address: str = ""

    @classmethod
    def of(cls, text: str | None, address: str | None = None, option: str = "--jobs") -> Jobs:
        """Parse an argument: N processes, ray, or ray:N for at most N tasks at a time; None for 1.

        Raises:
            ValueError: an invalid text, Ray is not installed, or an address without Ray.
        """
        text, address = "1" if text is None else text, address or ""
        name, colon, number = text.rpartition(":")
        on_ray = text == "ray" or (name == "ray" and bool(colon))
        if not on_ray and address:
            raise ValueError(f"--address is that of a Ray cluster; it needs {option} ray, not {option} {text}")
        count = 0
        if text != "ray":
            try:
                count = int(number if on_ray else text)
            except ValueError:
                raise ValueError(f"{option} must be N, ray or ray:N, not {text!r}") from None
            if count < 1:
                raise ValueError(f"{option} must be at least 1, not {count}")
        if on_ray and importlib.util.find_spec("ray") is None:
            raise ValueError(f"{option} {text}: Ray is not installed: {install('ray')}")
        return cls(count, on_ray, address)

    def executor(self, make: Callable[[], W]) -> Executor[W]:
        """Start the executor; `make` makes each worker, and is a module-level function unless there is one process.

        Raises:
            WorkerError: the Ray cluster cannot be reached.
        """
        if self.ray:
            # Ray is an optional dependency.
            from agents.arena.ray_executor import OnRay

            return OnRay(make, self.count, self.address)
        return Here(make()) if self.count == 1 else Processes(make, self.count)

    def __str__(self) -> str:
        return f"Ray at {self.address or 'this machine'}" if self.ray else f"{self.count} processes"
