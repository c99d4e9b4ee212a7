"""Bits of words and of records, in few instructions of the processor."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.compile.records import pointer_to

#: Bits of a word.
_WORD: Final = 64
#: Bytes that are compared at once: as many as a register holds, and for the rest of a record fewer.
_BLOCKS: Final = (32, 16, 8)


def plain_lowest_bit(word: Any) -> int:
    """Return the index of the lowest set bit of a nonzero uint64, int64."""
    return (int(word) & -int(word)).bit_length() - 1


def _lowest_bit(typing_context: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), codegen


def plain_changed_bytes(changed: Any, old: Any, row: int, new: Any, other: int) -> None:
    """Write to `changed`, uint64 (k,), the set of bytes that differ between ``old[row]`` and ``new[other]``.

    old, new: arrays (n,) of one structured dtype, whose size is a multiple of 8 bytes and at most 64 * k.
    """
    differs = old[row : row + 1].view(np.uint8) != new[other : other + 1].view(np.uint8)
    changed[:] = 0
    changed.view(np.uint8)[: len(differs) // 8] = np.packbits(differs, bitorder="little")


def _changed_bytes(typing_context: Any, changed: Any, old: Any, row: Any, new: Any, other: Any) -> Any:
    size = old.dtype.size

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def offset(number: int) -> Any:
            return context.get_constant(types.intp, number)

        records = [pointer_to(context, builder, signature, arguments, k) for k in (1, 3)]
        word_type, place = ir.IntType(_WORD), 0
        words = pointer_to(context, builder, signature, arguments, 0, offset(0))
        words = builder.bitcast(words, word_type.as_pointer())
        for first in range(0, size, _WORD):
            found = ir.Constant(word_type, 0)
            while place < min(first + _WORD, size):
                block = next(block for block in _BLOCKS if place + block <= size)
                vector = ir.VectorType(ir.IntType(8), block).as_pointer()
                loaded = [
                    builder.load(builder.bitcast(builder.gep(record, [offset(place)]), vector), align=1)
                    for record in records
                ]
                differs = builder.bitcast(builder.icmp_unsigned("!=", *loaded), ir.IntType(block))
                shifted = builder.shl(builder.zext(differs, word_type), ir.Constant(word_type, place - first))
                found, place = builder.or_(found, shifted), place + block
            builder.store(found, builder.gep(words, [offset(first // _WORD)]))
        return context.get_dummy_value()

    return types.void(changed, old, types.intp, new, types.intp), codegen


def plain_fetch(array: Any, item: int) -> None:
    """Begin to load the cache line of an item of an array (n,), without waiting for it."""


def _fetch(typing_context: Any, array: Any, item: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer(), number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", (ir.IntType(8).as_pointer(),), kind)
        # To write, to keep in all caches, data.
        options = [ir.Constant(number, value) for value in (1, 3, 1)]
        builder.call(prefetch, [pointer_to(context, builder, signature, arguments, 0), *options])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


lowest_bit: Any = intrinsic(_lowest_bit) if COMPILED else plain_lowest_bit
lowest_bit.__doc__ = plain_lowest_bit.__doc__
changed_bytes: Any = intrinsic(_changed_bytes) if COMPILED else plain_changed_bytes
changed_bytes.__doc__ = plain_changed_bytes.__doc__
fetch: Any = intrinsic(_fetch) if COMPILED else plain_fetch
fetch.__doc__ = plain_fetch.__doc__
