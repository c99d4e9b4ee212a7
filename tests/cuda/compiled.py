"""Compile every kernel of the dice game for a simulated target GPU and print its origin: cache, compiler, or uncached.

Driver and GPU are mocked: kernels stay files of machine code and are never loaded.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import numba
import pytest

from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.cuda import compile as cuda
from tests.cuda import launches as launching
from tests.cuda.launches import launches
from tests.toys.dice.game import Dice


@numba.njit
def highest(constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any) -> int:
    """Choose an action; no digest covers the sources of this policy."""
    return 63 - int(words[0] == 0)


def mock_gpu(patch: pytest.MonkeyPatch) -> None:
    """Make numba detect a GPU of `cuda.CAPABILITY`."""
    codegen, dispatcher = import_module("numba.cuda.codegen"), import_module("numba.cuda.dispatcher")
    code: Any = vars(codegen)["CUDACodeLibrary"]
    patch.setattr(code, "_ensure_cc", lambda self, cc: cc or (*cuda.CAPABILITY, "a"))
    patch.setattr(vars(codegen)["JITCUDACodegen"], "magic_tuple", lambda self: ("none", cuda.CAPABILITY))
    patch.setattr(vars(dispatcher)["_Kernel"], "bind", lambda self: self._codelibrary.get_cubin())


def kernel_origins(game: Dice) -> dict[str, str]:
    """Return the origin of each kernel."""
    with pytest.MonkeyPatch.context() as patch:
        mock_gpu(patch)
        origins = {}
        for name, (kernel, arguments) in launches(game, patch).items():
            with cuda.exactly(cuda.CAPABILITY):
                kernel.compile(tuple(map(numba.typeof, arguments)))
            cached = kernel.stats.cache_path is not None
            origins[name] = ("cache" if sum(kernel.stats.cache_hits.values()) else "compiler") if cached else "not kept"
        return origins


def main() -> None:
    named = kernel_origins(Dice(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launching, "policies_of", lambda game: [Policy("own", highest)])
        unnamed = kernel_origins(Dice(2))
    print(json.dumps([named, unnamed]))


if __name__ == "__main__":
    main()
