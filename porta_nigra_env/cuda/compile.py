"""Compilation for a CUDA GPU; only this module depends on numba's internals for it.

A game's functions have the same source on the CPU and on a GPU. `device` turns a function into one that kernels on the
GPU may call, `kernel` turns a specialized function (`core.compile.template`) into a kernel. Results are identical bit
for bit, so products and sums are not contracted, which GPUs do by default.

With ``NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1`` numba simulates a GPU in plain Python, for tests without a GPU.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numba.core.config
import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.compile import rebuild, records
from porta_nigra_env.core.compile.cache import COMPILED, enable_cache, sources_digest
from porta_nigra_env.core.compile.cache_folders import cache_root
from porta_nigra_env.core.compile.identity import plain_function
from porta_nigra_env.core.compile.jit import CORE_SOURCES, widened
from porta_nigra_env.core.compile.rebuild import Rebuilding
from porta_nigra_env.core.game import record_kernel
from porta_nigra_env.core.game.record_kernel import sheet_record

_config: Any = numba.core.config
_numba: Any = numba

#: True if numba simulates a GPU.
SIMULATED: Final[bool] = bool(_config.ENABLE_CUDASIM)
#: The compute capability to compile for without a GPU: Hopper.
CAPABILITY: Final = (9, 0)
#: The sources that are part of every kernel.
SOURCES: Final = (
    *CORE_SOURCES,
    Path(rebuild.__file__),
    *(Path(__file__).with_name(f"{name}.py") for name in ("compile", "loops")),
)
#: Threads per block.
BLOCK: Final = 1 if SIMULATED else 64

if not SIMULATED and importlib.util.find_spec("numba_cuda") is None:
    raise ImportError("games on a GPU need numba-cuda: pip install 'porta-nigra-env[gpu]'")
if SIMULATED and COMPILED:
    raise ImportError("the simulated GPU (NUMBA_ENABLE_CUDASIM=1) needs NUMBA_DISABLE_JIT=1 as well")
if not SIMULATED and not COMPILED:
    raise ImportError("NUMBA_DISABLE_JIT=1 compiles nothing for a GPU; NUMBA_ENABLE_CUDASIM=1 simulates one")

from numba import cuda as numba_cuda  # noqa: E402  after the check that it is installed

cuda: Any = numba_cuda
if not SIMULATED:
    # Small batches leave most of a GPU idle; the warnings about it are noise.
    import_module("numba.cuda.core.config").CUDA_LOW_OCCUPANCY_WARNINGS = 0  # type: ignore[attr-defined]


# -- functions and kernels


def _score(constants: Any, states: Any, row: int, totals: Any) -> None:
    """`core.game.record_kernel.score` with a view for a column: numba's `reshape` calls a CPU-only library."""
    sheet_record(constants[0], states[row], totals[:, None])


def _lowest(word: Any) -> int:
    """Return the index of the lowest set bit like `core.arrays.bits.lowest`, which uses an instruction of the CPU."""
    return int(cuda.ffs(word)) - 1


def _copy_simulated(target: Any, row: int, source: Any, other: int) -> None:
    """Copy a row like `core.compile.records.copy_row`, for the simulated GPU, whose records cannot be assigned."""
    into, out_of = (vars(vars(record).get("_item", record))["_ary"] for record in (target, source))
    into[row] = out_of[other]


def _rebuilding() -> Rebuilding:
    """Return the converter from functions of the CPU to functions of the GPU."""
    replaced: dict[Any, Any] = {record_kernel.score.__code__: _score}
    if SIMULATED:
        return Rebuilding(lambda function: function, replaced | {records.copy_row: _copy_simulated})
    replaced[plain_function(bits.lowest).__code__] = _lowest
    names = ("cgutils", "types", "extending", "np.arrayobj")
    cgutils, types, extending, arrayobj = (import_module(f"numba.cuda.{name}") for name in names)

    def copy_row(typing_context: Any, target: Any, row: Any, source: Any, other: Any) -> Any:
        """Copy a record in words of eight bytes, its alignment, instead of byte by byte."""

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def pointer(k: int) -> Any:
                array = arrayobj.make_array(signature.args[k])(context, builder, arguments[k])
                at = cgutils.get_item_pointer(
                    context, builder, signature.args[k], array, [arguments[k + 1]], wraparound=False
                )
                return builder.bitcast(at, cgutils.voidptr_t)

            size = context.get_constant(types.intp, signature.args[0].dtype.size)
            cgutils.raw_memcpy(builder, pointer(0), pointer(2), size, 1, align=8)
            return context.get_dummy_value()

        return types.void(target, types.intp, source, types.intp), codegen

    return Rebuilding(_function, replaced | {records.copy_row: extending.intrinsic(copy_row)})


def _function(plain: Any) -> Any:
    """Return a function of the GPU with one version for integers of every width, as on the CPU (`core.compile.jit`).

    Kernel functions and policies are not inlined: inlined at every call site, as the GPU's compiler would do, a kernel
    takes minutes to compile.
    """
    made = cuda.jit(device=True)(plain)
    by_types = made.get_call_template
    made.get_call_template = lambda arguments, keywords: by_types(tuple(map(widened, arguments)), keywords)
    if plain.__code__.co_varnames[:3] != ("constants", "states", "row"):
        return made
    compile_alone = made.compile_device

    def compile_apart(arguments: Any, return_type: Any = None) -> Any:
        result = compile_alone(arguments, return_type)
        result.library.get_function(result.fndesc.llvm_func_name).attributes.add("noinline")
        return result

    made.compile_device = compile_apart
    return made


#: Converts a compiled or plain function, and all its callees, to functions that kernels may call.
device: Final = _rebuilding()


@contextmanager
def exactly(capability: tuple[int, int] | None = None) -> Iterator[None]:
    """Compile in this context with the rounding of the CPU; `capability`: of a GPU that need not be present."""
    names = ("core.compiler_lock", "cudadrv.nvvm", "compiler", "dispatcher")
    modules: list[Any] = [import_module(f"numba.cuda.{name}") for name in names]
    locks, nvvm, *users = modules
    compile_ir, originals = nvvm.compile_ir, [module.get_current_device for module in users]
    with locks.global_compiler_lock:
        nvvm.compile_ir = lambda code, **options: compile_ir(code, **{**options, "fma": False})
        if capability is not None:
            for module in users:
                vars(module)["get_current_device"] = lambda: SimpleNamespace(compute_capability=capability)
        try:
            yield
        finally:
            nvvm.compile_ir = compile_ir
            for module, original in zip(users, originals, strict=True):
                vars(module)["get_current_device"] = original


def cache_folder(*paths: Path) -> Path:
    """Return the cache folder of kernels built from the sources in `paths` and the sources of `core`."""
    return cache_root() / sources_digest((*SOURCES, *paths))


def kernel(function: Any, folder: Path | None = None) -> Any:
    """Compile a kernel of a specialized function (`core.compile.template`) and all its callees for the GPU.

    Args:
        function: the specialized function.
        folder: of the cache; None to recompile it in each process.
    """
    copy = device.copied(function)
    # Profilers show the name.
    copy.__name__ = copy.__qualname__
    if SIMULATED:
        return cuda.jit(copy)
    made = cuda.jit(copy, lto=False)
    if folder is not None and getattr(function, "is_exact", True):
        dispatcher: Any = import_module("numba.cuda.dispatcher")
        enable_cache(made, folder, classes=(dispatcher.CUDACache, dispatcher.CUDACacheImpl))
    compile_inexactly = made.compile

    def compile_exactly(signature: Any) -> Any:
        with exactly():
            return compile_inexactly(signature)

    made.compile = compile_exactly
    return made


def ptx(kernel: Any, arguments: Sequence[Any], capability: tuple[int, int] = CAPABILITY) -> str:
    """Return the PTX code of a kernel for arguments such as numpy arrays; no GPU is needed."""
    with exactly(capability):
        code, _ = cuda.compile_ptx(
            kernel.py_func, tuple(map(_numba.typeof, arguments)), device=False, cc=capability, abi="numba"
        )
    return str(code)


# -- the GPU, its memory and its streams


def check_gpu() -> None:
    """Raise RuntimeError if no GPU is usable."""
    if cuda.is_available():
        return
    from numba.cuda.cudadrv.error import CudaSupportError

    try:
        cuda.get_current_device()
    except CudaSupportError as error:
        reason = " ".join(str(error).split())
        raise RuntimeError(
            f"no GPU can be used: {reason} Without one, BatchEnv plays the same games on the CPU."
        ) from error


def of_states(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the GPU's dtype for a game's states, byte for byte the same; ValueError if impossible."""
    result = aligned(dtype)
    if result.itemsize != dtype.itemsize or dtype.itemsize % 8 or result.fields != dtype.fields:
        raise ValueError(
            f"states of {dtype.itemsize} bytes: on a GPU every field must be aligned to its width, in a "
            "record whose size divides by 8"
        )
    return result


def aligned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a structured dtype with every field at a multiple of its width.

    The compiler loads records of an unaligned dtype byte by byte, even if their fields happen to be aligned.
    """
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((aligned(base), shape))
    if dtype.names is None or dtype.fields is None:
        return dtype
    fields: list[Any] = [(name, aligned(dtype.fields[name][0])) for name in dtype.names]
    return np.dtype(fields, align=True)


def stream() -> Any:
    """Return the stream of kernels: torch's current stream if torch is in use, else numba's default stream."""
    torch: Any = sys.modules.get("torch")
    if SIMULATED or torch is None or not torch.cuda.is_available():
        return 0
    pointer = torch.cuda.current_stream().cuda_stream
    return _stream_at(pointer) if pointer else 0


@lru_cache
def _stream_at(pointer: int) -> Any:
    """Return numba's object for a stream, cached because launches are prepared again for every new object."""
    return cuda.external_stream(pointer)


def zeros(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Return an array of zeros on the GPU."""
    return cuda.to_device(np.zeros(shape, dtype))


def empty(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Return an uninitialized array on the GPU."""
    return cuda.device_array(shape, dtype)


def uploaded(array: Any) -> Any:
    """Return a copy on the GPU."""
    return cuda.to_device(np.ascontiguousarray(array), stream=stream())


def overwrite(target: Any, array: Any) -> None:
    """Copy an array of the same shape and dtype to an array on the GPU."""
    target.copy_to_device(np.ascontiguousarray(array, dtype=target.dtype), stream=stream())


def downloaded(array: Any) -> Any:
    """Return a numpy copy of an array on the GPU after all launched kernels are done."""
    where = stream()
    copy = array.copy_to_host(stream=where)
    if not isinstance(where, int):
        where.synchronize()
    return copy


def on_gpu(array: Any) -> Any:
    """Return an array on the GPU, such as a torch tensor, without a copy; None if it is not on a GPU."""
    if getattr(array, "__cuda_ndarray__", False):
        return array
    return cuda.as_cuda_array(array, sync=False) if hasattr(array, "__cuda_array_interface__") else None


def lent(tensor: Any) -> Any:
    """Return the memory of a torch tensor as an array for kernels, without a copy."""
    if not SIMULATED:
        return cuda.as_cuda_array(tensor, sync=False)
    return import_module("numba.cuda.simulator.cudadrv.devicearray").FakeCUDAArray(tensor.numpy())


def launch(kernel: Any, count: int, *arguments: Any) -> None:
    """Run a kernel with `count` threads; each reads its number with ``cuda.grid(1)``."""
    if count:
        kernel[(count + BLOCK - 1) // BLOCK, BLOCK, stream()](*arguments)
