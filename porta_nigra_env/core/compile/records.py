"""Copies of records between compiled functions."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils as numba_cgutils
from numba.core import types
from numba.extending import intrinsic
from numba.np import arrayobj as numba_arrayobj

from porta_nigra_env.core.compile.cache import COMPILED

# numba's own modules have little type information.
cgutils: Any = numba_cgutils
arrayobj: Any = numba_arrayobj


def plain_copy(target: Any, row: int, source: Any, other: int) -> None:
    """Copy ``source[other]`` to ``target[row]`` for arrays (n,) of one structured dtype.

    numba would copy a record byte by byte, which takes 0.3 s to compile at every call site.
    """
    target[row] = source[other]


def pointer_to(context: Any, builder: Any, signature: Any, arguments: Any, k: int, place: Any = None) -> Any:
    """Return a pointer to a byte: of the item of argument `k`, an array, at `place`, or at the argument after it."""
    array = arrayobj.make_array(signature.args[k])(context, builder, arguments[k])
    index = [arguments[k + 1] if place is None else place]
    at = cgutils.get_item_pointer(context, builder, signature.args[k], array, index, wraparound=False)
    return builder.bitcast(at, cgutils.voidptr_t)


def _copy(typing_context: Any, target: Any, row: Any, source: Any, other: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointers = [pointer_to(context, builder, signature, arguments, k) for k in (0, 2)]
        size = context.get_constant(types.intp, signature.args[0].dtype.size)
        cgutils.raw_memcpy(builder, *pointers, size, 1)
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp), codegen


copy_row: Any = intrinsic(_copy) if COMPILED else plain_copy
copy_row.__doc__ = plain_copy.__doc__
