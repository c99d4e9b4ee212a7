"""Work on a GPU that is recorded once, as a CUDA graph, and replayed from then on: launches then cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch


class Recorded:
    """A piece of work that always reads and writes the same tensors; calling it does it.

    On a GPU the first call does it as it is, so that libraries prepare themselves, the second records it, and every
    later one replays what was recorded: what Python does in it counts no more, only what it asked the GPU to do.  On a
    processor, and where `records` is False, every call does it as it is.

    Args:
        work: nothing in it may wait for the GPU, or depend on anything but the tensors that it reads.
        device: torch's name of it.
        generators: torch's, that it draws from.
        records: whether anything is recorded.
    """

    def __init__(
        self,
        work: Callable[[], None],
        device: str,
        generators: Sequence[torch.Generator] = (),
        records: bool = True,
    ) -> None:
        self.work, self.generators = work, generators
        self._records = records and device != "cpu"
        self._graph: Any = None
        self._prepared = False

    def __call__(self) -> None:
        if not self._records:
            self.work()
        elif self._graph is not None:
            self._graph.replay()
        elif not self._prepared:
            self._aside()
        else:
            self._graph = self._record()
            self._graph.replay()

    def _aside(self) -> None:
        """Do it on a stream of its own, as recording will."""
        cuda: Any = torch.cuda  # it has hardly any type information
        here, side = cuda.current_stream(), cuda.Stream()
        side.wait_stream(here)
        with cuda.stream(side):
            self.work()
        here.wait_stream(side)
        self._prepared = True

    def _record(self) -> Any:
        cuda: Any = torch.cuda
        graph = cuda.CUDAGraph()
        for one in self.generators:
            graph.register_generator_state(one)
        with cuda.graph(graph):
            self.work()
        return graph
