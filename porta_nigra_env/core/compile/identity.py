"""Exact identities of functions, by which specialized copies and closures are named and cached."""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import itertools
import opcode
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.types import Number
from numba.extending import _Intrinsic  # type: ignore[attr-defined]


class UnidentifiedError(ValueError):
    """A function holds a value that cannot be told apart exactly from all others."""


#: Packages whose functions are identified by name: their code is not part of ours.
_LIBRARIES: Final = frozenset({"builtins", "math", "numba", "numba_cuda", "numpy"})
_PLAIN: Final = frozenset({type(None), type(...), bool, int, float, complex, str, bytes})
#: Opcodes that load a global, with the shift of their argument to an index of `co_names`.
_LOADS: Final = {opcode.opmap["LOAD_GLOBAL"]: 1, opcode.opmap["LOAD_NAME"]: 0}
_DESCRIBED: Final[WeakKeyDictionary[Any, tuple[bytes, tuple[Any, ...]]]] = WeakKeyDictionary()
_NUMBERS: Final = itertools.count()


def plain_function(function: Callable[..., Any]) -> Any:
    """Return the Python function of a compiled one."""
    return getattr(function, "py_func", function)


def names_of(code: types.CodeType) -> set[str]:
    """Return the global and attribute names in a code object and in the code objects nested in it."""
    nested = (names_of(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*nested)


@functools.cache
def global_names(code: types.CodeType) -> frozenset[str]:
    """Return the names of the globals that a code object loads, or a code object nested in it."""
    nested = (global_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return frozenset(_loaded_names(code)).union(*nested)


def _loaded_names(code: types.CodeType) -> Iterator[str]:
    """Yield the loaded names of one code object; `dis` gives the same in ten times the time."""
    opcodes, arguments = code.co_code[::2], code.co_code[1::2]
    for load, shift in _LOADS.items():
        at = opcodes.find(load)
        while at >= 0:
            index, before = arguments[at], at - 1
            while before >= 0 and opcodes[before] == opcode.EXTENDED_ARG:
                index |= arguments[before] << 8 * (at - before)
                before -= 1
            yield code.co_names[index >> shift]
            at = opcodes.find(load, at + 1)


def named_values(function: Callable[..., Any]) -> Iterator[Any]:
    """Yield the globals a function names, the named attributes of modules among them, and its enclosed values."""
    plain = plain_function(function)
    names = names_of(plain.__code__)
    for name in global_names(plain.__code__) & plain.__globals__.keys():
        value = plain.__globals__[name]
        yield value
        if isinstance(value, types.ModuleType):
            yield from (getattr(value, attribute) for attribute in names if hasattr(value, attribute))
    for cell in plain.__closure__ or ():
        yield cell.cell_contents


def identity(function: Callable[..., Any]) -> str:
    """Return a name that no other function has: module, qualified name and a digest, the same in every process.

    The digest covers code, defaults, enclosed values and named globals, and those of all functions reached from there.

    Raises:
        UnidentifiedError: one of these values cannot be identified exactly.
    """
    plain = plain_function(function)
    order = {plain: 0}
    digest = hashlib.sha256()
    queue = [plain]
    for current in queue:
        description, references = _describe_function(current)
        digest.update(description)
        for reference in references:
            if reference not in order:
                order[reference] = len(order)
                queue.append(reference)
            digest.update(order[reference].to_bytes(4, "little"))
    return f"{plain.__module__}.{plain.__qualname__}.{digest.hexdigest()[:16]}"


def name_exactly(function: types.FunctionType) -> None:
    """Append a function's digest to its qualified name and set `is_exact`.

    A function that cannot be identified gets a number instead; `is_exact` is then False and it must not be cached.
    """
    try:
        suffix, is_exact = identity(function).rpartition(".")[2], True
    except UnidentifiedError:
        suffix, is_exact = str(next(_NUMBERS)), False
    function.__qualname__ = f"{function.__qualname__}_{suffix}"
    vars(function)["is_exact"] = is_exact


def _describe_function(plain: Any) -> tuple[bytes, tuple[Any, ...]]:
    """Return the digest of a function without the functions it names, and these in a fixed order."""
    if plain not in _DESCRIBED:
        _DESCRIBED[plain] = _Description().describe_function(plain)
    return _DESCRIBED[plain]


def _pack(kind: str, *parts: bytes) -> bytes:
    """Join descriptions such that different sequences give different bytes."""
    return b"".join([kind.encode(), *(f"({len(part)}".encode() + b":" + part for part in parts), b")"])


def _name(value: Any) -> bytes:
    return f"{value.__module__}.{value.__qualname__}".encode()


class _Description:
    """A description of the values that a function holds; functions among them become references."""

    def __init__(self) -> None:
        self._references: list[Any] = []
        self._modules: set[str] = set()

    def describe_function(self, plain: Any) -> tuple[bytes, tuple[Any, ...]]:
        code = plain.__code__
        names = names_of(code)
        held = [_name(plain), self._code(code), self(plain.__defaults__, names), self(plain.__kwdefaults__, names)]
        for cell in plain.__closure__ or ():
            try:
                contents = cell.cell_contents
            except ValueError as error:
                raise UnidentifiedError(f"{plain.__qualname__} encloses a name without a value") from error
            held.append(self(contents, names))
        for name in sorted(global_names(code) & plain.__globals__.keys()):
            held += [name.encode(), self(plain.__globals__[name], names)]
        return hashlib.sha256(_pack("function", *held)).digest(), tuple(self._references)

    def _code(self, code: types.CodeType) -> bytes:
        shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        return _pack("code", code.co_code, self((shape, names, code.co_consts), set()))

    def __call__(self, value: Any, names: set[str]) -> bytes:
        """Describe a value; `names` are the attributes of modules that count."""
        kind = type(value)
        if kind in _PLAIN:
            return _pack(kind.__name__, repr(value).encode())
        if kind is tuple and _PLAIN.issuperset(map(type, value)):  # most values
            return _pack("plain", repr(value).encode())
        if isinstance(value, Dispatcher | types.FunctionType):
            return self._function(value)
        if isinstance(value, types.CodeType):
            return self._code(value)
        if isinstance(value, types.ModuleType):
            return self._module(value, names)
        if isinstance(value, type):
            return self._class(value, names)
        if isinstance(value, enum.Enum):
            return _pack("enum", self._class(kind, names), value.name.encode(), self(value.value, names))
        if isinstance(value, np.ndarray | np.generic | np.dtype):
            return self._numpy(value, names)
        if isinstance(value, tuple | list):
            return _pack("sequence", self._class(kind, names), *(self(item, names) for item in value))
        if isinstance(value, dict | types.MappingProxyType):
            return _pack("mapping", self(tuple(value.items()), names))
        if isinstance(value, set | frozenset):
            return _pack("set", self._class(kind, names), *sorted(self(item, names) for item in value))
        if dataclasses.is_dataclass(value):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return _pack("dataclass", self._class(kind, names), self(fields, names))
        if isinstance(value, Path):
            return _pack("path", str(value).encode())
        if isinstance(value, Number):  # a type of numbers, as in the module `numba.cuda`
            return _pack("number", value.name.encode())
        if isinstance(value, _Intrinsic) and value._defn.__closure__ is None:
            return _pack("intrinsic", _name(value._defn), self._code(value._defn.__code__))
        if _is_library(value):
            return _pack("library", _library_name(value))
        raise UnidentifiedError(f"a value of {kind.__module__}.{kind.__qualname__} cannot be identified exactly")

    def _function(self, value: Any) -> bytes:
        if isinstance(value, types.FunctionType) and _is_library(value):
            return _pack("library", _library_name(value))
        self._references.append(plain_function(value))
        return _pack("reference", _name(plain_function(value)))

    def _module(self, value: types.ModuleType, names: set[str]) -> bytes:
        if value.__name__ in self._modules:
            return _pack("module", value.__name__.encode())
        self._modules.add(value.__name__)
        members = sorted(name for name in names if hasattr(value, name))
        held = [_pack(name, self(getattr(value, name), names)) for name in members]
        self._modules.discard(value.__name__)
        return _pack("module", value.__name__.encode(), *held)

    def _class(self, value: type, names: set[str]) -> bytes:
        fields = getattr(value, "_fields", None) if issubclass(value, tuple) else None
        if "<locals>" in value.__qualname__ and fields is None:
            raise UnidentifiedError(f"the class {value.__qualname__} is made in a function")
        defaults = getattr(value, "_field_defaults", None) if fields else None
        return _pack("class", _name(value), self(fields, names), self(defaults, names))

    def _numpy(self, value: Any, names: set[str]) -> bytes:
        if isinstance(value, np.dtype):
            return _pack("dtype", self(value.__reduce__()[1:], names))
        if value.dtype.hasobject:
            raise UnidentifiedError("an array of Python objects cannot be identified exactly")
        form = (type(value).__name__, value.shape, getattr(value, "strides", ()), bool(value.flags.writeable))
        return _pack("array", self(value.dtype, names), self(form, names), value.tobytes())


def _is_library(value: Any) -> bool:
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    named = hasattr(value, "__qualname__") or hasattr(value, "__name__")
    return named and str(module).partition(".")[0] in _LIBRARIES


def _library_name(value: Any) -> bytes:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', None) or value.__name__}".encode()
