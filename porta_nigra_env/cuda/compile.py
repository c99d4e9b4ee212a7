"""Compiling for a CUDA GPU: the one module that knows how numba does so.

A game's functions are the same source on the processor and on a GPU.  `device` makes of one of them a function that
kernels on the GPU may call, and `kernel` a kernel of a specialized function (`core.compile.template`).  Results are the same bit for bit, so products and sums are not contracted, as they are on a
GPU by default.

With ``NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1`` numba simulates a GPU: everything runs as plain Python, which is
what tests without a GPU do.
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

from porta_nigra_env.core.compile import records
from porta_nigra_env.core.compile.cache import COMPILED, cache_of, cache_root, compile_once, sources_digest
from porta_nigra_env.core.compile.jit import CORE_SOURCES
from porta_nigra_env.core.compile.jit import _widened as widened
from porta_nigra_env.core.game import record_kernel
from porta_nigra_env.core.game.record_kernel import sheet_record
from porta_nigra_env.cuda.rebuild import Rebuilding

_config: Any = numba.core.config
_numba: Any = numba

#: Whether numba simulates a GPU.
SIMULATED: Final[bool] = bool(_config.ENABLE_CUDASIM)
#: What is compiled for where no GPU is asked: Hopper.
CAPABILITY: Final = (9, 0)
#: The sources that go into every kernel.
SOURCES: Final = (
    *CORE_SOURCES,
    *(Path(__file__).with_name(f"{name}.py") for name in ("compile", "loops", "rebuild")),
)
#: Threads of a block.
BLOCK: Final = 1 if SIMULATED else 64

if not SIMULATED and importlib.util.find_spec("numba_cuda") is None:
    raise ImportError("games on a GPU need numba-cuda: pip install 'porta-nigra-env[gpu]'")
if SIMULATED and COMPILED:
    raise ImportError("the simulated GPU (NUMBA_ENABLE_CUDASIM=1) needs NUMBA_DISABLE_JIT=1 as well")
if not SIMULATED and not COMPILED:
    raise ImportError("NUMBA_DISABLE_JIT=1 compiles nothing for a GPU; NUMBA_ENABLE_CUDASIM=1 simulates one")

from numba import cuda as numba_cuda  # noqa: E402  that it is there was looked at first

cuda: Any = numba_cuda
if not SIMULATED:
    # Small batches leave most of a GPU idle, which whoever asks for one knows.
    import_module("numba.cuda.core.config").CUDA_LOW_OCCUPANCY_WARNINGS = 0  # type: ignore[attr-defined]


# -- functions and kernels


def _score(constants: Any, states: Any, row: int, totals: Any) -> None:
    """`core.game.record_kernel.score` with a view for a column: numba's `reshape` calls a library that a GPU has not."""
    sheet_record(constants[0], states[row], totals[:, None])


def _copy_simulated(target: Any, row: int, source: Any, other: int) -> None:
    """`core.compile.records.copy_row` of the simulated GPU's arrays, whose records cannot be assigned."""
    into, out_of = (vars(vars(one).get("_item", one))["_ary"] for one in (target, source))
    into[row] = out_of[other]


def _rebuilding() -> Rebuilding:
    """What makes functions of the processor into functions of the GPU."""
    replaced: dict[Any, Any] = {record_kernel.score.__code__: _score}
    if SIMULATED:
        return Rebuilding(lambda function: function, replaced | {records.copy_row: _copy_simulated})
    names = ("cgutils", "types", "extending", "np.arrayobj")
    cgutils, types, extending, arrayobj = (import_module(f"numba.cuda.{name}") for name in names)

    def copy_row(typing_context: Any, target: Any, row: Any, source: Any, other: Any) -> Any:
        """Records lie at multiples of eight bytes, and are copied in words of eight instead of byte by byte."""

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
    """A function of the GPU, with one version for integers of every width, as on the processor (`core.compile.jit`).

    Verbs and policies stay functions, called from several places: taken into all of them, as the GPU's compiler would,
    a kernel takes minutes to compile.
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


#: A function that kernels may call, of a compiled or plain one and all that it calls.
device: Final = _rebuilding()


@contextmanager
def exactly(capability: tuple[int, int] | None = None) -> Iterator[None]:
    """Within it, what is compiled rounds as on the processor; `capability`: of a GPU that need not be there."""
    names = ("core.compiler_lock", "cudadrv.nvvm", "compiler", "dispatcher")
    modules: list[Any] = [import_module(f"numba.cuda.{name}") for name in names]
    locks, nvvm, *places = modules
    compile_ir, found = nvvm.compile_ir, [place.get_current_device for place in places]
    with locks.global_compiler_lock:
        nvvm.compile_ir = lambda code, **options: compile_ir(code, **{**options, "fma": False})
        if capability is not None:
            for place in places:
                vars(place)["get_current_device"] = lambda: SimpleNamespace(compute_capability=capability)
        try:
            yield
        finally:
            nvvm.compile_ir = compile_ir
            for place, one in zip(places, found, strict=True):
                vars(place)["get_current_device"] = one


def cache_folder(*paths: Path) -> Path:
    """Where the machine code of kernels lies that are made of the sources in `paths` and of the core's own."""
    return cache_root() / sources_digest((*SOURCES, *paths))


def kernel(function: Any, folder: Path | None = None) -> Any:
    """Compile a kernel of a specialized function (`core.compile.template`), and all that it calls for the GPU.

    Args:
        function: the specialized function.
        folder: of the cache; None to compile it again in each process.
    """
    copy = device.copied(function)
    # Profilers show the name.
    copy.__name__ = copy.__qualname__
    if SIMULATED:
        return cuda.jit(copy)
    made = cuda.jit(copy, lto=False)
    if folder is not None and getattr(function, "is_exact", True):
        dispatcher: Any = import_module("numba.cuda.dispatcher")
        made._cache = cache_of(copy, folder, classes=(dispatcher.CUDACache, dispatcher.CUDACacheImpl))
        compile_once(made, folder)
    compile_inexactly = made.compile

    def compile_exactly(signature: Any) -> Any:
        with exactly():
            return compile_inexactly(signature)

    made.compile = compile_exactly
    return made


def ptx(kernel: Any, arguments: Sequence[Any], capability: tuple[int, int] = CAPABILITY) -> str:
    """The text of a kernel for arguments like these, numpy arrays among them; no GPU is needed."""
    with exactly(capability):
        code, _ = cuda.compile_ptx(
            kernel.py_func, tuple(map(_numba.typeof, arguments)), device=False, cc=capability, abi="numba"
        )
    return str(code)


# -- the GPU, its memory and its streams


def check_gpu() -> None:
    """RuntimeError where there is no GPU that could be used."""
    if cuda.is_available():
        return
    from numba.cuda.cudadrv.error import CudaSupportError

    try:
        cuda.get_current_device()
    except CudaSupportError as error:
        reason = " ".join(str(error).split())
        raise RuntimeError(
            f"no GPU can be used: {reason} Without one, BatchEnv plays the same games on the processor."
        ) from error


def of_states(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of a game's states as the GPU wants it, byte for byte the same; ValueError if there is none."""
    found = aligned(dtype)
    if found.itemsize != dtype.itemsize or dtype.itemsize % 8 or found.fields != dtype.fields:
        raise ValueError(
            f"states of {dtype.itemsize} bytes: on a GPU every field must stand at a multiple of its width, in a "
            "record whose size divides by 8"
        )
    return found


def aligned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A structured dtype as the GPU wants it: every field at a multiple of its width.

    One that is not known as such would be loaded byte by byte, however its fields lie.
    """
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((aligned(base), shape))
    if dtype.names is None or dtype.fields is None:
        return dtype
    fields: list[Any] = [(name, aligned(dtype.fields[name][0])) for name in dtype.names]
    return np.dtype(fields, align=True)


def stream() -> Any:
    """Where kernels run: torch's current stream where torch is in use, else numba's default one."""
    torch: Any = sys.modules.get("torch")
    if SIMULATED or torch is None or not torch.cuda.is_available():
        return 0
    pointer = torch.cuda.current_stream().cuda_stream
    return _stream_at(pointer) if pointer else 0


@lru_cache
def _stream_at(pointer: int) -> Any:
    """numba's object for a stream, one for each: launches are prepared anew for every other object."""
    return cuda.external_stream(pointer)


def zeros(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """An array of zeros on the GPU."""
    return cuda.to_device(np.zeros(shape, dtype))


def empty(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """An array on the GPU in which nothing has been written yet."""
    return cuda.device_array(shape, dtype)


def uploaded(array: Any) -> Any:
    """A copy on the GPU."""
    return cuda.to_device(np.ascontiguousarray(array), stream=stream())


def overwrite(target: Any, array: Any) -> None:
    """Copy to an array on the GPU what stands in one of the same shape and dtype."""
    target.copy_to_device(np.ascontiguousarray(array, dtype=target.dtype), stream=stream())


def downloaded(array: Any) -> Any:
    """A numpy array of what stands on the GPU when everything launched so far is done."""
    where = stream()
    found = array.copy_to_host(stream=where)
    if not isinstance(where, int):
        where.synchronize()
    return found


def on_gpu(array: Any) -> Any:
    """An array that lies on the GPU, torch's among them, without a copy; None for whatever lies elsewhere."""
    if getattr(array, "__cuda_ndarray__", False):
        return array
    return cuda.as_cuda_array(array, sync=False) if hasattr(array, "__cuda_array_interface__") else None


def lent(tensor: Any) -> Any:
    """The memory of a tensor of torch's as an array that kernels take, without a copy."""
    if not SIMULATED:
        return cuda.as_cuda_array(tensor, sync=False)
    return import_module("numba.cuda.simulator.cudadrv.devicearray").FakeCUDAArray(tensor.numpy())


def launch(kernel: Any, count: int, *arguments: Any) -> None:
    """Run a kernel with `count` threads, each of which knows its number as ``cuda.grid(1)``."""
    if count:
        kernel[(count + BLOCK - 1) // BLOCK, BLOCK, stream()](*arguments)
