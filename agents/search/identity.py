"""What a function does, as a name."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable
from typing import Any


def identity(function: Callable[..., Any]) -> str:
    """A hex digest of a function's name, code, constants and closure, the compiled ones of numba included.

    Two closures of one factory differ in what they enclose; the same function has the same digest in every process.
    """
    plain: Any = getattr(function, "py_func", function)
    enclosed = [cell.cell_contents for cell in plain.__closure__ or ()]
    parts = [plain.__module__, plain.__qualname__, _of_code(plain.__code__), *map(_of_value, enclosed)]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _of_code(code: types.CodeType) -> str:
    constants = [_of_code(one) if isinstance(one, types.CodeType) else repr(one) for one in code.co_consts]
    return hashlib.sha256(repr((code.co_code, code.co_names, constants)).encode()).hexdigest()


def _of_value(value: Any) -> str:
    if callable(value) and (hasattr(value, "py_func") or isinstance(value, types.FunctionType)):
        return identity(value)
    if hasattr(value, "tobytes"):  # an array, whose text would leave its middle out
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    return repr(value)
