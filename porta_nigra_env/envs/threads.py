"""Threads that share the rows of a batch."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np

#: The calling thread takes so many rows more than each of the others: they start later, and when they are done before
#: it, nobody has to wait for anybody to wake up.
HEAD_START: Final = 96

#: Scratch of two threads lies so many slots apart: what they write must not lie in one cache line.
SLOTS_PER_THREAD: Final = 2


class Workers:
    """The calling thread and some more, each with a block of rows.

    One block for each: every further one would wait for the interpreter's lock, which takes as long as 200 rows.

    Args:
        rows: how many there are.
        threads: at most `rows`.
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
        """How many slots of scratch are needed."""
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
        waiting = [
            self._pool.submit(call, *self._blocks[thread], SLOTS_PER_THREAD * thread)
            for thread in range(1, self.threads)
        ]
        call(*self._blocks[0], 0)
        for one in waiting:
            one.result()

    def close(self) -> None:
        """Let the threads go; the next `spread` starts new ones."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies have threads of their own.
        return Workers, (self._blocks[-1][1], self.threads)
