"""Linking of LLVM modules to a WebAssembly module: link, optimise, compile for wasm32, and finish with wasm-ld."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

import llvmlite.binding

# Its type information is incomplete.
_llvm: Any = llvmlite.binding

_TRIPLE: Final = "wasm32-unknown-unknown"
#: Features of every browser since 2023 (Safari 16.4 was the last).
_FEATURES: Final = "+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals"
#: Bytes of the stack. It comes first in memory, so an overflow traps instead of overwriting data.
_STACK: Final = 1 << 16
_LINKER_OPTIONS: Final = ("--no-entry", "--strip-all", "--gc-sections", "--stack-first", "-z", f"stack-size={_STACK}")
#: The math functions that LLVM calls; every operation in them is rounded as written.
LIBM: Final = Path(__file__).with_name("libm.c")
_C_OPTIONS: Final = (
    "-target", "wasm32-freestanding", "-O2", "-ffp-contract=off", "-fno-builtin", "-ffunction-sections",
)  # fmt: skip
#: Declarations that do not hold for a module: the machine, and numba's claim that signed integers never overflow.
#: Products of search keys do and must wrap (`agents.search.keys`).
_INVALID: Final = re.compile(r'^target (?:triple|datalayout) = ".*"$|(?<= )n[su]w (?=i\d|nsw|nuw)', flags=re.MULTILINE)
#: Replacement of a function of numba's C library: the strides of an array in another shape. It supports contiguous
#: arrays with one dimension only and returns 0 (which traps) for others.
_RESHAPE: Final = """
define i32 @numba_attempt_nocopy_reshape(i64 %nd, ptr %dims, ptr %strides, i64 %newnd, ptr %newdims, ptr %newstrides,
                                         i64 %itemsize, i32 %fortran) {
begin:
  %first = load i64, ptr %strides
  %dense = icmp eq i64 %first, %itemsize
  %flat = icmp eq i64 %nd, 1
  %easy = and i1 %dense, %flat
  br i1 %easy, label %next, label %refused
next:
  %left = phi i64 [ %newnd, %begin ], [ %k, %write ]
  %stride = phi i64 [ %itemsize, %begin ], [ %wider, %write ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %end, label %write
write:
  %k = sub i64 %left, 1
  %to = getelementptr i64, ptr %newstrides, i64 %k
  store i64 %stride, ptr %to
  %of = getelementptr i64, ptr %newdims, i64 %k
  %size = load i64, ptr %of
  %wider = mul i64 %stride, %size
  br label %next
end:
  ret i32 1
refused:
  ret i32 0
}
"""


def _machine() -> Any:
    _llvm.initialize_all_targets()
    _llvm.initialize_all_asmprinters()
    target = _llvm.Target.from_triple(_TRIPLE)
    return target.create_target_machine(features=_FEATURES, opt=3, reloc="static")


def _joined(texts: Sequence[str], exports: Collection[str], machine: Any) -> Any:
    """Return one module of all pieces; all functions but `exports` are internal."""
    whole = _llvm.parse_assembly("")
    for text in (*texts, _RESHAPE):
        piece = _llvm.parse_assembly(_INVALID.sub("", text))
        piece.triple, piece.data_layout = _TRIPLE, str(machine.target_data)
        for function in piece.functions:
            if not function.is_declaration and function.name not in exports:
                function.linkage = "linkonce_odr"
        whole.link_in(piece)
    for function in whole.functions:
        if not function.is_declaration and function.name not in exports:
            function.linkage = "internal"
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    return whole


def link(texts: Sequence[str], exports: Collection[str]) -> bytes:
    """Return the module of all pieces, with the exports `exports`, `memory` and `__heap_base`, the first free address.

    Raises:
        RuntimeError: ziglang, which provides the linker and a C compiler, is not installed, or a symbol is missing.
    """
    machine = _machine()
    whole = _joined(texts, exports, machine)
    whole.triple, whole.data_layout = _TRIPLE, str(machine.target_data)
    whole.verify()
    options = _llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = _llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(whole, builder)
    with tempfile.TemporaryDirectory() as folder:
        objects = [Path(folder, "kernel.o"), Path(folder, "libm.o")]
        objects[0].write_bytes(machine.emit_object(whole))
        _ziglang("cc", "-c", LIBM, "-o", objects[1], *_C_OPTIONS)
        target = Path(folder, "kernel.wasm")
        exported = [f"--export={name}" for name in (*sorted(exports), "__heap_base")]
        _ziglang("wasm-ld", *objects, "-o", target, *_LINKER_OPTIONS, *exported)
        return target.read_bytes()


def _ziglang(*command: Any) -> None:
    """Run one of the programs of ziglang."""
    words = [sys.executable, "-m", "ziglang", *map(str, command)]
    process = subprocess.run(words, capture_output=True, text=True, check=False)
    if process.returncode:
        raise RuntimeError(f"{command[0]}, of the package ziglang (pip install ziglang), failed:\n{process.stderr}")
