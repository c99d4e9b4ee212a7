"""The lowest bit of a word, in one instruction of the processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from porta_nigra_env.core.compile.cache import COMPILED

#: For the digests of compiled functions that call this one.
SOURCE: Final = Path(__file__)


def plain_lowest_bit(word: Any) -> int:
    """Return the index of the lowest set bit of a nonzero uint64, int64."""
    return (int(word) & -int(word)).bit_length() - 1


def _lowest_bit(typing_context: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), codegen


lowest_bit: Any = intrinsic(_lowest_bit) if COMPILED else plain_lowest_bit
lowest_bit.__doc__ = plain_lowest_bit.__doc__
