"""Where work is done: in this process, in others on this machine, or on a Ray cluster.

Work is a function of a place, a task and what all tasks share.  A *place* is what a process makes once and keeps:
games, agents, a network.  The answer has to follow from task and shared objects alone, so that it does not matter
where, how often and beside what else it is worked out: a task whose process has died is simply done again.
"""

from __future__ import annotations

import importlib.util
import itertools
import multiprocessing
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Final, Generic, Self, TypeVar

P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")

INSTALL: Final = "pip install --group ray"


class WorkerError(RuntimeError):
    """A process has died over its work, as often as that is put up with."""


class Executor(ABC, Generic[P]):
    """Processes with a place each; a context manager, since they have to be closed."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Tasks that are handed out at a time: enough to keep everybody busy, few enough to stop soon."""

    @abstractmethod
    def submit(self, work: Callable[..., Any], task: object, *shared: object) -> Any:
        """Begin ``work(place, task, *shared)``, of what `share` gave, somewhere; returns what stands for it."""

    def share(self, one: object) -> object:
        """What to hand to `submit` for an object that many tasks read, so that each machine is sent it once."""
        return one

    def ready(self, running: Collection[Any]) -> Collection[Any]:
        """Those of what `submit` gave that are done; waits for the first."""
        return wait(running, return_when=FIRST_COMPLETED).done

    def result(self, one: Any) -> Any:
        """Of one that is done: what came of it, or the error of the work; WorkerError if its process died."""
        return one.result()

    def close(self) -> None:
        """End the processes; tasks that have not begun are dropped."""
        return

    def spread(self, work: Callable[..., R], tasks: Iterable[Any], *shared: object) -> Iterator[tuple[int, R]]:
        """Do ``work(place, task, *shared)`` for all tasks.

        Yields:
            the number of a task, and what came of it, as they are ready; with several processes in any order.

        Raises:
            WorkerError: a process died over a task.  Errors of the work come as they are.  In both cases what has been
                done is yielded first, and tasks that have not begun are not done any more.
        """
        given = [self.share(one) for one in shared]
        waiting = enumerate(tasks)
        running: dict[Any, int] = {}
        while True:
            for number, task in itertools.islice(waiting, max(0, self.width - len(running))):
                running[self.submit(work, task, *given)] = number
            if not running:
                return
            errors: list[Exception] = []
            for one in self.ready(running):
                number = running.pop(one)
                try:
                    found = self.result(one)
                except Exception as error:
                    errors.append(error)
                else:
                    yield number, found
            if errors:
                raise errors[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Here(Executor[P]):
    """This process and its own place, one task after the other."""

    width = 1

    def __init__(self, place: P) -> None:
        self.place = place

    def submit(self, work: Callable[..., R], task: object, *shared: object) -> Future[R]:
        """Do it at once; errors come from here."""
        done: Future[R] = Future()
        done.set_result(work(self.place, task, *shared))
        return done


@dataclass(frozen=True)
class _Unmade:
    """A place that its process has yet to make."""

    make: Callable[[], Any]


#: The place of a worker process of `Processes`.
_place: Any = None


def _enter(place: _Unmade) -> None:
    global _place
    # An interrupt from the keyboard reaches all processes; this one has nothing to say about it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    _place = place


def _leave_with_parent() -> None:
    """End this process when the one that started it is killed: it would wait for tasks for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(work: Callable[..., R], task: object, *shared: object) -> R:
    global _place
    # With the first task: an error in an initializer would break the pool without a word about it.
    if isinstance(_place, _Unmade):
        _place = _place.make()
    return work(_place, task, *shared)


class Processes(Executor[P]):
    """Processes on this machine, of the kind `spawn`, which begin without what this one has loaded.

    Args:
        make: makes the place of a process; a function of a module.
        count: how many there are.
    """

    def __init__(self, make: Callable[[], P], count: int) -> None:
        self.count = count
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(count, context, _enter, (_Unmade(make),))

    @property
    def width(self) -> int:
        """Two tasks for each process."""
        return 2 * self.count

    def submit(self, work: Callable[..., R], task: object, *shared: object) -> Future[R]:
        """Hand it to the next process that has nothing to do."""
        try:
            return self._pool.submit(_work, work, task, *shared)
        except BrokenProcessPool as error:
            raise _died() from error

    def result(self, future: Future[R]) -> R:
        """As of `Executor.result`."""
        try:
            return future.result()
        except BrokenProcessPool as error:
            raise _died() from error

    def close(self) -> None:
        """Wait for tasks that have begun, and end the processes."""
        self._pool.shutdown(cancel_futures=True)


def _died() -> WorkerError:
    return WorkerError("a process that played has died, for want of memory perhaps")


@dataclass(frozen=True)
class Jobs:
    """Where work is asked to be done.

    Attributes:
        count: processes, of which 1 is this one; on Ray how many tasks at a time, 0 for as many as there are cores.
        ray: whether on Ray.
        address: of a Ray cluster, e.g. auto; "" to start one on this machine for as long as it is needed.
    """

    count: int = 1
    ray: bool = False
    address: str = ""

    @classmethod
    def of(cls, text: str | None, address: str | None = None, option: str = "--jobs") -> Jobs:
        """Of an argument: N for so many processes, ray, or ray:N for at most so many tasks at a time; None for 1.

        Raises:
            ValueError: it is none of these, Ray is not installed, or an address is given without it.
        """
        text, address = "1" if text is None else text, address or ""
        name, colon, number = text.rpartition(":")
        on_ray = text == "ray" or (name == "ray" and bool(colon))
        if not on_ray and address:
            raise ValueError(f"--address is that of a Ray cluster; it needs {option} ray, not {option} {text}")
        if text == "ray":
            count = 0
        else:
            try:
                count = int(number if on_ray else text)
            except ValueError:
                raise ValueError(f"{option} must be N, ray or ray:N, not {text!r}") from None
            if count < 1:
                raise ValueError(f"{option} must be at least 1, not {count}")
        if on_ray and importlib.util.find_spec("ray") is None:
            raise ValueError(f"{option} {text}: Ray is not installed; `{INSTALL}` in the checkout installs it")
        return cls(count, on_ray, address)

    def executor(self, make: Callable[[], P]) -> Executor[P]:
        """The processes; `make` makes the place of each and is a function of a module unless this is the only one.

        Raises:
            WorkerError: the Ray cluster cannot be reached.
        """
        if self.ray:
            # Only who asks for it has it.
            from agents.arena.ray_executor import OnRay

            return OnRay(make, self.count, self.address)
        return Here(make()) if self.count == 1 else Processes(make, self.count)

    def __str__(self) -> str:
        return f"Ray at {self.address or 'this machine'}" if self.ray else f"{self.count} processes"
