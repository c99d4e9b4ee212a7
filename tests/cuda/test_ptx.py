"""Compile every kernel of every game to machine code of a GPU, with kernel functions, loops and policies; no GPU
needed.

Compilation takes minutes, so pytest's cache keeps the figures under a digest of all sources.
"""

from __future__ import annotations

import dis
import importlib.metadata
import re
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

from porta_nigra_env.core.compile import rebuild as rebuilding
from porta_nigra_env.core.compile.cache import sources_digest
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.cuda import compile as cuda
from porta_nigra_env.cuda.loops import CudaLoops
from porta_nigra_env.games import GAMES, make_game
from porta_nigra_env.wasm.lowering import functions_of
from tests.cuda import launches as launching
from tests.cuda.launches import launches, policies_of
from training.gpu import kernels as gpu_kernels
from training.run.trajectories import Estimates, Horizon, Trajectories

#: Kernels shared by all games.
SHARED = {f"{kernel}__all" for kernel in ("show_masks", "show_halves", "sample", "check")}


def assembler() -> Path:
    """Return the path of ptxas in the wheel nvidia-cuda-nvcc."""
    for folder in map(Path, sys.path):
        for file in folder.glob("nvidia/*/bin/ptxas"):
            return file
    raise FileNotFoundError("ptxas: pip install nvidia-cuda-nvcc, which `make test-gpu` does")


def measured(kernel: Any, arguments: Any, folder: Path) -> dict[str, int]:
    """Compile a kernel; count lines, registers, bytes of stack and spills, contracted operations, missing functions."""
    started = time.process_time()
    text = cuda.ptx(kernel, arguments)
    seconds = time.process_time() - started
    source = folder / "kernel.ptx"
    source.write_text(text)
    output = subprocess.run(
        [assembler(), "-arch=sm_90", "-v", "-o", folder / "kernel.cubin", source],
        capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip
    return {
        "lines": text.count("\n"),
        "registers": max(map(int, re.findall(r"Used (\d+) registers", output))),
        "stack": max(map(int, re.findall(r"(\d+) bytes stack frame", output))),
        "spilled": sum(map(int, re.findall(r"(\d+) bytes spill stores", output))),
        "contracted": len(re.findall(r"\bfma\.", text)),
        "lacking": text.count(".extern"),
        "seconds": round(seconds),
    }


def calls_library(game: Game, kernel: str) -> bool:
    """Return True if policies take part in a kernel and one of them calls a math function."""
    if not kernel.startswith(("begin_", "step_", "play_")):
        return False
    functions = {function for policy in policies_of(game) for function in functions_of(policy.choose)}
    return any(
        (instruction.opname == "BINARY_OP" and instruction.argrepr == "**")
        or instruction.argval in ("exp", "log", "pow")
        for function in functions
        for instruction in dis.get_instructions(getattr(function, "py_func", function))
    )


def test_products_and_sums_are_not_contracted() -> None:
    def add(numbers: Any) -> None:
        numbers[0] = numbers[0] * numbers[1] + numbers[2]

    assert "fma." not in cuda.ptx(SimpleNamespace(py_func=add), (np.zeros(3),))
    compiler: Any = import_module("numba.cuda")
    assert "fma." in compiler.compile_ptx(add, (numba.float64[:],), cc=cuda.CAPABILITY)[0]


def learning_kernels() -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """Return the kernels of learning, with arguments like those of their launches."""
    steps, n, seats, actions = 3, 4, 4, 7

    def zeros(*shape: int, dtype: Any = np.float32) -> Any:
        return np.zeros(shape, dtype=dtype)

    data = Trajectories(
        zeros(n, dtype=np.int8), zeros(steps, n, dtype=np.int8), zeros(steps, n, seats),
        zeros(steps, n, dtype=np.bool_), zeros(steps, n, seats),
    )  # fmt: skip
    estimates = Estimates(zeros(steps, n), zeros(steps, n, seats), zeros(steps, n, seats, dtype=np.int8))
    real = [zeros(n, seats, dtype=np.float64) for _ in range(3)]
    scratch = Horizon(real[0], real[1], real[2], zeros(n, seats, dtype=np.int8))
    drawn = zeros(n, dtype=np.float64), zeros(n, dtype=np.int64), zeros(n)
    kernels = gpu_kernels.kernels()
    return {
        "sample": (kernels.sample, (zeros(n, actions), zeros(n, actions, dtype=np.int8), *drawn)),
        "returns": (kernels.returns, (data, 1.0, 0.95, estimates, scratch)),
    }


def test_learning_kernels_compile_to_machine_code(tmp_path: Path) -> None:
    for name, (kernel, arguments) in learning_kernels().items():
        counted = measured(kernel, arguments, tmp_path)
        print(name, counted)
        assert counted["spilled"] == counted["lacking"] == 0, name
        # exp and log are contracted by NVIDIA; advantages consist of sums and products only.
        assert name == "sample" or counted["contracted"] == 0


@pytest.fixture(params=GAMES)
def table(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, int]]:
    """The figures by kernel."""
    game = make_game(request.param)
    sources = [path for policy in policies_of(game) for path in policy.sources]
    own = [Path(str(module.__file__)) for module in (cuda, rebuilding, launching, sys.modules[__name__])]
    own += [Path(str(sys.modules[CudaLoops.__module__].__file__))]
    versions = [importlib.metadata.version(name) for name in ("numba-cuda", "nvidia-nvvm")]
    digest = " ".join([sources_digest([*game.sources, *sources, *own]), numba.__version__, *versions])
    cached = request.config.cache.get(f"ptx/{game.name}", None)
    if cached is None or cached["digest"] != digest:
        recorded = launches(game, monkeypatch)
        cached = {"digest": digest, "table": {name: measured(*recorded[name], tmp_path) for name in recorded}}
        request.config.cache.set(f"ptx/{game.name}", cached)
    print(*(f"{name}: {counted}" for name, counted in cached["table"].items()), sep="\n")
    return dict(cached["table"])


def test_game_kernels_compile_to_machine_code(table: dict[str, dict[str, int]]) -> None:
    names = {re.sub(r"_[0-9a-f]{16}$", "", name) for name in table}
    game = next(name for name in GAMES if f"step__{name}" in names)
    assert names == {f"{kernel}__{game}" for kernel in CudaLoops._fields} | SHARED
    for name, counted in table.items():
        assert counted["registers"] <= 255, name
        assert counted["spilled"] == 0, name
        # NVIDIA's exp and pow contain contracted operations; no other code may.
        if not calls_library(make_game(game), name):
            assert counted["contracted"] == 0, f"{name}: products and sums would round differently from the CPU"
        assert counted["lacking"] == 0, f"{name} calls a function missing on a GPU"
