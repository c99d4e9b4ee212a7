"""Arrays at addresses of a module's memory."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import from_dtype
from numba.core import types as numba_types
from numba.extending import intrinsic
from numba.np import arrayobj as numba_arrayobj

from porta_nigra_env.core.compile.template import Replacements
from porta_nigra_env.core.game.contract import ConstantsArray, States
from porta_nigra_env.core.game.game import Game

# numba's own modules have little type information.
_arrayobj: Any = numba_arrayobj
_types: Any = numba_types


def _array_at(typing_context: Any, address: Any, dtype: Any, shape: Any) -> Any:
    """Return the array at an address, with a dtype and a shape (a tuple of integers)."""
    array = _types.Array(dtype.dtype, len(shape), "C")

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = _arrayobj.make_array(array)(context, builder)
        sizes = [
            context.cast(builder, length, kind, _types.intp)
            for length, kind in zip(_unpacked(builder, arguments[2], len(shape)), shape, strict=True)
        ]
        itemsize = context.get_constant(_types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
        if isinstance(array.dtype, _types.Record):
            itemsize = context.get_constant(_types.intp, array.dtype.size)
        strides = [itemsize]
        for size in reversed(sizes[1:]):
            strides.insert(0, builder.mul(strides[0], size))
        _arrayobj.populate_array(
            made,
            data=builder.inttoptr(arguments[0], made.data.type),
            shape=sizes,
            strides=strides,
            itemsize=itemsize,
            meminfo=None,
        )
        return made._getvalue()

    return array(address, dtype, shape), codegen


def _unpacked(builder: Any, pair: Any, count: int) -> list[Any]:
    return [builder.extract_value(pair, i) for i in range(count)]


array_at: Any = intrinsic(_array_at)

INT8: Final = np.dtype(np.int8)
INT32: Final = np.dtype(np.int32)
INT64: Final = np.dtype(np.int64)
UINT8: Final = np.dtype(np.uint8)
UINT16: Final = np.dtype(np.uint16)
UINT64: Final = np.dtype(np.uint64)
FLOAT32: Final = np.dtype(np.float32)
FLOAT64: Final = np.dtype(np.float64)


def constants_at(address: int) -> ConstantsArray:
    """Return the constants (1,) at an address: a placeholder, like the functions below (`layout_of`)."""
    raise NotImplementedError


def states_at(address: int, count: int) -> States:
    """Return the states (count,) at an address."""
    raise NotImplementedError


def state_bytes() -> int:
    """Return the size of a state."""
    raise NotImplementedError


def num_words() -> int:
    """Return the number of words in a set of legal actions."""
    raise NotImplementedError


def _located(dtype: np.dtype[Any], count: int | None = None) -> Any:
    """Return an intrinsic for records at an address: a compiled function without a runtime returns no new array."""
    record, shape = from_dtype(dtype), _types.UniTuple(_types.int64, 1)

    def located(typing_context: Any, address: Any, *sizes: Any) -> Any:
        made, fill = _array_at(typing_context, address, _types.DType(record), shape)

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            size = (
                context.get_constant(_types.int64, count)
                if count is not None
                else context.cast(builder, arguments[1], signature.args[1], _types.int64)
            )
            return fill(context, builder, made, (arguments[0], None, context.make_tuple(builder, shape, [size])))

        return made.return_type(address, *sizes), codegen

    if count is None:
        return intrinsic(lambda typing_context, address, size: located(typing_context, address, size))
    return intrinsic(lambda typing_context, address: located(typing_context, address))


def layout_of(game: Game) -> Replacements:
    """Return the game's replacements for the placeholders of this module."""
    size, words = game.dtype.itemsize, game.num_words
    return {
        constants_at: _located(game.constants.dtype, 1),
        states_at: _located(game.dtype),
        state_bytes: lambda: size,
        num_words: lambda: words,
    }
