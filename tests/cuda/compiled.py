"""Compile every kernel of the dice as for a GPU that is there, and print whence each came: cache, compiler, or a
compiler whose work nobody keeps.

Driver and GPU are stood in for: what is loaded on the GPU stays a file of machine code.
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
    """A policy whose sources nobody names."""
    return 63 - int(words[0] == 0)


def stand_in(patch: pytest.MonkeyPatch) -> None:
    """Let numba believe that there is a GPU of `cuda.CAPABILITY`."""
    codegen, dispatcher = import_module("numba.cuda.codegen"), import_module("numba.cuda.dispatcher")
    code: Any = vars(codegen)["CUDACodeLibrary"]
    patch.setattr(code, "_ensure_cc", lambda self, cc: cc or (*cuda.CAPABILITY, "a"))
    patch.setattr(vars(codegen)["JITCUDACodegen"], "magic_tuple", lambda self: ("none", cuda.CAPABILITY))
    patch.setattr(vars(dispatcher)["_Kernel"], "bind", lambda self: self._codelibrary.get_cubin())


def whence(game: Dice) -> dict[str, str]:
    """By kernel."""
    with pytest.MonkeyPatch.context() as patch:
        stand_in(patch)
        found = launches(game, patch)
        told = {}
        for name, (kernel, arguments) in found.items():
            with cuda.exactly(cuda.CAPABILITY):
                kernel.compile(tuple(map(numba.typeof, arguments)))
            kept = kernel.stats.cache_path is not None
            told[name] = ("cache" if sum(kernel.stats.cache_hits.values()) else "compiler") if kept else "not kept"
        return told


def main() -> None:
    told = whence(Dice(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launching, "policies_of", lambda game: [Policy("own", highest)])
        strange = whence(Dice(2))
    print(json.dumps([told, strange]))


if __name__ == "__main__":
    main()
