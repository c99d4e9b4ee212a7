"""The interface of executors: processes that work on tasks.

Work is a function of a worker, a task and shared objects.  A *worker* is an object that each process makes once: games,
agents, a network.  The result must follow from the task and the shared objects alone.  It is then irrelevant where, how
often and with which other tasks it is computed, and a task whose process died can be repeated.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from typing import Any, Generic, Self, TypeVar

W = TypeVar("W")
R = TypeVar("R")


class WorkerError(RuntimeError):
    """A process died during a task, after all retries."""


class Executor(ABC, Generic[W]):
    """Processes with a worker each; a context manager that closes them."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of submitted tasks at a time: enough to keep all processes busy, few enough to stop soon."""

    @abstractmethod
    def submit(self, work: Callable[..., Any], task: object, *shared: object) -> Any:
        """Start ``work(worker, task, *shared)``, with the objects that `share` returned; return a future."""

    def share(self, value: object) -> object:
        """Return the argument of `submit` for an object that many tasks read; each machine gets it once."""
        return value

    def ready(self, running: Collection[Any]) -> Collection[Any]:
        """Wait for the first future that is done, and return all of these."""
        return wait(running, return_when=FIRST_COMPLETED).done

    def result(self, future: Any) -> Any:
        """Return the result of a future that is done, or raise its error; WorkerError if its process died."""
        return future.result()

    def close(self) -> None:
        """End the processes; tasks that have not started are dropped."""
        return

    def spread(self, work: Callable[..., R], tasks: Iterable[Any], *shared: object) -> Iterator[tuple[int, R]]:
        """Call ``work(worker, task, *shared)`` for all tasks.

        Yields:
            The index of a task and its result, in order of completion.

        Raises:
            WorkerError: a process died during a task.  Errors of the work are raised as they are.  In both cases the
                finished results come first, and tasks that have not started are dropped.
        """
        references = [self.share(value) for value in shared]
        waiting = enumerate(tasks)
        running: dict[Any, int] = {}
        while True:
            for index, task in itertools.islice(waiting, max(0, self.width - len(running))):
                running[self.submit(work, task, *references)] = index
            if not running:
                return
            errors: list[Exception] = []
            for future in self.ready(running):
                index = running.pop(future)
                try:
                    result = self.result(future)
                except Exception as error:
                    errors.append(error)
                else:
                    yield index, result
            if errors:
                raise errors[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
