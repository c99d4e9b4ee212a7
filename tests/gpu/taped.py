"""A placeholder for CUDA graphs without a GPU: it records the operations of torch and kernels and replays them.

Like a graph, a tape contains memory and operations only. Python's decisions during the recording are fixed. Operations
that return a number to Python would wait for a real GPU and are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from porta_nigra_env.cuda import batch as gpu
from porta_nigra_env.cuda import compile as cuda
from training.gpu import kernels as gpu_kernels
from training.gpu.graphs import Recorded

#: Operations that return values to Python, or with shapes known only to the GPU.
WAITING: Final = ("_local_scalar_dense", "nonzero", "equal", "is_nonzero", "unique", "masked_select", "item")


class Tape(TorchDispatchMode):
    """Records every operation while it is entered; `replay` repeats them, with results in the same memory."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._steps: list[Callable[[], None]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.overloadpacket.__name__ in WAITING:
            raise AssertionError(f"{func} waits for the GPU")
        kwargs = kwargs or {}
        result = func(*args, **kwargs)

        def repeat() -> None:
            for old, new in zip(tree_leaves(result), tree_leaves(func(*args, **kwargs)), strict=True):
                if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
                    old.copy_(new)

        self._steps.append(repeat)
        return result

    def launch(self, kernel: Any, count: int, *arguments: Any) -> None:
        """`cuda.compile.launch`, taped."""
        LAUNCH(kernel, count, *arguments)
        self._steps.append(lambda: LAUNCH(kernel, count, *arguments))

    def replay(self) -> None:
        with torch.no_grad():
            for step in self._steps:
                step()


LAUNCH: Final = cuda.launch


class Taped(Recorded):
    """Records on the CPU with a tape. Recording a graph does not execute it; recording a tape does."""

    def __call__(self) -> None:
        if self._graph is not None:
            self._graph.replay()
        elif self._prepared:
            self._graph = self._record()
        else:
            self.work()
            self._prepared = True

    def _record(self) -> Tape:
        tape, modules = Tape(), (cuda, gpu, gpu_kernels)
        with ExitStack() as stack:
            for module in modules:
                stack.enter_context(mock.patch.object(module, "launch", tape.launch))
            stack.enter_context(tape)
            self.work()
        return tape
