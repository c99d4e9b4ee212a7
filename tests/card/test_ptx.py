"""Every kernel of every game, its verbs, loops and policies with it, becomes machine code of a card; none is needed.

Compiling takes minutes, so what was found is kept by pytest's cache, under a digest of all sources that go into it.
"""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import pytest

from porta_nigra_env.core import cuda, rebuilding
from porta_nigra_env.core.cache import sources_digest
from porta_nigra_env.core.cuda_loops import CudaLoops
from porta_nigra_env.games import GAMES, make_game
from tests.card import launches as launching
from tests.card.launches import launches, policies_of

#: Kernels that no game takes part in.
SHARED = {"show_masks_", "show_bytes_", "show_halves_", "sample_", "check_"}


def assembler() -> Path:
    """ptxas of the wheel nvidia-cuda-nvcc."""
    for folder in map(Path, sys.path):
        for file in folder.glob("nvidia/*/bin/ptxas"):
            return file
    raise FileNotFoundError("ptxas: pip install nvidia-cuda-nvcc, which `make test-gpu` does")


def measured(kernel: Any, arguments: Any, folder: Path) -> dict[str, int]:
    """Compile a kernel; count lines, registers, bytes of stack and spills, contracted operations, what is lacking."""
    begun = time.process_time()
    text = cuda.ptx(kernel, arguments)
    seconds = time.process_time() - begun
    source = folder / "kernel.ptx"
    source.write_text(text)
    told = subprocess.run(
        [assembler(), "-arch=sm_90", "-v", "-o", folder / "kernel.cubin", source],
        capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip
    return {
        "lines": text.count("\n"),
        "registers": max(map(int, re.findall(r"Used (\d+) registers", told))),
        "stack": max(map(int, re.findall(r"(\d+) bytes stack frame", told))),
        "spilled": sum(map(int, re.findall(r"(\d+) bytes spill stores", told))),
        "contracted": len(re.findall(r"\bfma\.", text)),
        "lacking": text.count(".extern"),
        "seconds": round(seconds),
    }


@pytest.fixture(params=GAMES)
def table(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, int]]:
    """What was counted, by kernel."""
    game = make_game(request.param)
    sources = [path for one in policies_of(game) for path in one.sources]
    own = [Path(str(module.__file__)) for module in (cuda, rebuilding, launching, sys.modules[__name__])]
    own += [Path(str(sys.modules[CudaLoops.__module__].__file__))]
    versions = [importlib.metadata.version(name) for name in ("numba-cuda", "nvidia-nvvm")]
    digest = " ".join([sources_digest([*game.sources, *sources, *own]), numba.__version__, *versions])
    kept = request.config.cache.get(f"ptx/{game.name}", None)
    if kept is None or kept["digest"] != digest:
        found = launches(game, monkeypatch)
        kept = {"digest": digest, "table": {name: measured(*found[name], tmp_path) for name in found}}
        request.config.cache.set(f"ptx/{game.name}", kept)
    print(*(f"{name}: {counted}" for name, counted in kept["table"].items()), sep="\n")
    return dict(kept["table"])


def test_kernels_become_machine_code(table: dict[str, dict[str, int]]) -> None:
    names = {re.sub(r"_[0-9a-f]{8}$", "", name) for name in table}
    game = next(one for one in GAMES if f"step_{one}" in names)
    assert names == {f"{one}_{game}" for one in CudaLoops._fields} | SHARED
    for name, counted in table.items():
        assert counted["registers"] <= 255, name
        assert counted["spilled"] == 0, name
        assert counted["contracted"] == 0, f"{name}: products and sums would round otherwise than on the processor"
        assert counted["lacking"] == 0, f"{name} calls what a card has not"
