"""Threads that share the rows of a batch."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np

#: Extra rows of the calling thread: the other threads start later, and if they finish first, no thread waits.
HEAD_START: Final = 96

#: Slots of scratch between two threads, which must not write to the same cache line.
SLOTS_PER_THREAD: Final = 2


class Threads:
    """The calling thread and a pool, each with one block of rows.

    Another block would wait for the interpreter's lock, which takes as long as 200 rows.

    Args:
        rows: number of rows.
        threads: number of threads, at most `rows`.
    """

    def __init__(self, rows: int, threads: int) -> None:
        self.threads: Final = threads
        own = min(rows - threads + 1, -(-(rows + HEAD_START * (threads - 1)) // threads))
        edges = np.linspace(own, rows, threads).astype(int).tolist()
        self._blocks = list(itertools.pairwise([0, *edges]))
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    @property
    def slots(self) -> int:
        """Number of slots of scratch."""
        return SLOTS_PER_THREAD * self.threads

    def spread(self, call: Callable[[int, int, int], Any]) -> None:
        """Run ``call(first, last, slot)`` over all rows."""
        if self.threads == 1:
            call(*self._blocks[0], 0)
            return
        # After a fork the child has the pool, but none of its threads.
        if self._pool is None or self._process != os.getpid():
            self._process = os.getpid()
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="batch")
        futures = [
            self._pool.submit(call, *self._blocks[thread], SLOTS_PER_THREAD * thread)
            for thread in range(1, self.threads)
        ]
        call(*self._blocks[0], 0)
        for future in futures:
            future.result()

    def close(self) -> None:
        """Stop the threads; the next `spread` starts new ones."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy starts its own pool.
        return Threads, (self._blocks[-1][1], self.threads)
