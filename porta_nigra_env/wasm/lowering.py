"""From functions that numba compiles to LLVM's code for any machine, before anything is made of it for this one.

Numba compiles for the machine it runs on.  What it hands to LLVM is nearly portable, though: integers have their own
widths, indices have 64 bits, and how wide an address is only the data layout says.  Here every function is compiled
anew into a library that keeps that first text (`Piece`), and `porta_nigra_env.wasm.linking` makes a module of the
pieces.  Like `core.compile.callees` this module knows how numba works inside.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numba
import numba.core.types
from numba.core import cgutils, codegen, compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

from porta_nigra_env.core.compile.template import copy_function

# Numba has no type information on them.
_Compiler: Any = compiler.Compiler
_Library: Any = codegen.JITCodeLibrary
_cgutils: Any = cgutils
_njit: Any = numba.njit
_types: Any = numba.core.types
_ir: Any = _cgutils.ir

#: How functions are compiled, as in `core.compile.jit`: no runtime for references, no ways in from Python.
_OPTIONS: Final = {
    "nogil": True, "error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
}  # fmt: skip
#: What an entry may take and give, by its annotations.
_KINDS: Final = {"int": _types.int64, "float": _types.float64, "None": _types.none}


class Pieces(_Library):  # type: ignore[misc]
    """A library that keeps the texts of its functions instead of making machine code."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.texts: list[str] = []

    def add_ir_module(self, ir_module: Any) -> None:
        self._raise_if_finalized()
        self.texts.append(_cgutils.normalize_ir_text(str(ir_module)))

    def finalize(self) -> None:
        self._finalized = True

    def walk(self, seen: dict[int, Pieces]) -> None:
        """This library and all it calls into `seen`, callees first."""
        if id(self) in seen:
            return
        for library in self._linking_libraries:
            if not isinstance(library, Pieces):
                raise RuntimeError(f"{library.name} is machine code already: build modules in a process of their own")
            library.walk(seen)
        seen[id(self)] = self


class _PieceCompiler(_Compiler):  # type: ignore[misc]
    """Compiles to `Pieces`."""

    def _compile_core(self) -> Any:
        state = self.state
        state.flags.no_compile = True
        state.library = Pieces(state.targetctx.codegen(), state.func_id.func_qualname)
        result = super()._compile_core()
        # Numba knows a callee by its function for Python, which this one has not: its name is as good a key.
        result = result._replace(entry_point=result.fndesc.mangled_name)
        state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


@contextmanager
def _only_pieces() -> Iterator[None]:
    """Numba's own functions, too, are compiled to `Pieces`, and nothing is asked for its machine code."""
    context: Any = cpu_target.target_context
    context.codegen()._library_class = Pieces
    # Something in its place, for numba to know the function by; it insists on a builtin.
    context.get_executable = lambda library, fndesc, environment: [fndesc.mangled_name].copy
    try:
        with global_compiler_lock:
            yield
    finally:
        del context.codegen()._library_class, context.get_executable


def _widened(argument: Any) -> Any:
    """An argument's type in a call: signed integers, constants too, all as int64 (`core.compile.jit`)."""
    argument = _types.unliteral(argument)
    return _types.int64 if isinstance(argument, _types.Integer) and argument.signed else argument


class Lowering:
    """Compiles functions and all they call.

    A function may be compiled already (`core.compile.jit`) or plain; both may call both.  Only what the language of numba has
    is understood, and nothing that makes arrays.
    """

    def __init__(self) -> None:
        self._twins: dict[Any, Any] = {}

    def twin(self, function: Callable[..., Any]) -> Any:
        """A dispatcher that compiles `function` to `Pieces`, and the functions it names as well."""
        plain: Any = getattr(function, "py_func", function)
        if plain not in self._twins:
            self._twins[plain] = None
            self._twins[plain] = self._made(plain)
        if self._twins[plain] is None:
            raise ValueError(f"{plain.__qualname__} calls itself, which is not supported")
        return self._twins[plain]

    def _made(self, plain: Any) -> Any:
        copy = copy_function(plain, lambda value: self.twin(value) if _is_ours(value) else value)
        dispatcher = _njit(copy, **_OPTIONS, pipeline_class=_PieceCompiler)
        by_types = dispatcher.get_call_template
        dispatcher.add_overload = lambda result: dispatcher.overloads.update({tuple(result.signature.args): result})

        def get_call_template(arguments: Any, keywords: Any) -> Any:
            _, folded = dispatcher.fold_argument_types(arguments, keywords)
            return by_types(tuple(map(_widened, folded)), {})

        dispatcher.get_call_template = get_call_template
        return dispatcher

    def lower(self, entries: dict[str, Callable[..., Any]]) -> list[str]:
        """The texts of all pieces of entries by their names, each a module of LLVM, callers before callees.

        An entry's arguments and result are annotated as "int", 32 bits outside and 64 within, "float", 64 bits, or
        "None" for no result.
        """
        pieces: dict[int, Pieces] = {}
        with _only_pieces():
            for name, function in entries.items():
                self._enter(name, function).walk(pieces)
        return [text for piece in reversed(pieces.values()) for text in piece.texts]

    def _enter(self, name: str, function: Callable[..., Any]) -> Pieces:
        """The library of an entry: a function of the name `name` that calls the compiled one and traps on its error."""
        dispatcher = self.twin(function)
        given = [_KINDS[str(kind)] for part, kind in dispatcher.py_func.__annotations__.items() if part != "return"]
        dispatcher.compile(tuple(given))
        compiled = dispatcher.overloads[tuple(given)]
        context: Any = cpu_target.target_context
        library = Pieces(context.codegen(), name)
        module = library.create_ir_module(name)

        def outside(kind: Any) -> Any:
            if kind == _types.none:
                return _ir.VoidType()
            return _ir.IntType(32) if isinstance(kind, _types.Integer | _types.Boolean) else _ir.DoubleType()

        result = compiled.signature.return_type
        entry = _ir.Function(module, _ir.FunctionType(outside(result), [outside(one) for one in given]), name)
        builder = _ir.IRBuilder(entry.append_basic_block())
        wide = [
            builder.sext(one, _ir.IntType(64)) if kind == _types.int64 else one
            for one, kind in zip(entry.args, given, strict=True)
        ]
        callee = context.declare_function(module, compiled.fndesc)
        status, answer = context.call_conv.call_function(builder, callee, result, tuple(given), wide)
        with builder.if_then(status.is_error, likely=False):
            builder.call(builder.module.declare_intrinsic("llvm.trap", (), _ir.FunctionType(_ir.VoidType(), [])), [])
            builder.unreachable()
        if result == _types.none:
            builder.ret_void()
        elif isinstance(result, _types.Integer | _types.Boolean):
            builder.ret(context.cast(builder, answer, result, _types.int32))
        else:
            builder.ret(answer)
        library.add_ir_module(module)
        library.add_linking_library(compiled.library)
        library.finalize()
        return library


def functions_of(function: Callable[..., Any]) -> list[Any]:
    """The plain function and all that it calls, directly or not; nothing is compiled."""
    lowering = Lowering()
    lowering.twin(function)
    return list(lowering._twins)


def _is_ours(value: Any) -> bool:
    return isinstance(value, Dispatcher) or (isinstance(value, types.FunctionType) and not _is_known(value))


def _is_known(function: Any) -> bool:
    """Whether a plain function is one that numba has its own code for, or will never be asked to compile."""
    return str(function.__module__).partition(".")[0] in ("numba", "numpy")
