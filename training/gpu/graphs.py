"""Work recorded once as a CUDA graph and then replayed, which removes the cost of kernel launches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch


class Recorded:
    """A callable that always reads and writes the same tensors.

    On a GPU the first call runs it, so that libraries initialize, the second records it, and later calls replay the
    recording: only GPU operations are repeated, not Python code.  On a CPU, or without `record`, every call runs it.

    Args:
        work: may neither wait for the GPU nor depend on anything but tensors.
        device: torch device.
        generators: torch generators that it draws from.
        record: whether to record.
    """

    def __init__(
        self, work: Callable[[], None], device: str, generators: Sequence[torch.Generator] = (), record: bool = True
    ) -> None:
        self.work, self.generators = work, generators
        self._records = record and device != "cpu"
        self._graph: Any = None
        self._prepared = False

    def __call__(self) -> None:
        if not self._records:
            self.work()
        elif self._graph is not None:
            self._graph.replay()
        elif not self._prepared:
            self._warm_up()
        else:
            self._graph = self._record()
            self._graph.replay()

    def _warm_up(self) -> None:
        """Run it on a side stream, as recording will."""
        cuda: Any = torch.cuda  # hardly typed
        here, side = cuda.current_stream(), cuda.Stream()
        side.wait_stream(here)
        with cuda.stream(side):
            self.work()
        here.wait_stream(side)
        self._prepared = True

    def _record(self) -> Any:
        cuda: Any = torch.cuda
        graph = cuda.CUDAGraph()
        for generator in self.generators:
            graph.register_generator_state(generator)
        with cuda.graph(graph):
            self.work()
        return graph
