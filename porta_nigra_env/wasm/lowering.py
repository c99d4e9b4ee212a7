"""Lowering of functions that numba compiles to portable LLVM code.

numba compiles for the machine it runs on, but its LLVM code is nearly portable. Integers have explicit widths, indices
have 64 bits, and only the data layout defines the width of an address. Here every function is recompiled into a library
that keeps this initial code (`Pieces`), and `porta_nigra_env.wasm.linking` links the pieces to a module. Like
`core.compile.callees`, this module depends on numba's internals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numba
import numba.core.types
from numba.core import cgutils, codegen, compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from porta_nigra_env.core.compile.jit import widened
from porta_nigra_env.core.compile.rebuild import Rebuilding

# numba has no type information on them.
_Compiler: Any = compiler.Compiler
_Library: Any = codegen.JITCodeLibrary
_cgutils: Any = cgutils
_njit: Any = numba.njit
_types: Any = numba.core.types
_ir: Any = _cgutils.ir

#: Compiler options, the same as in `core.compile.jit`: no reference-counting runtime, no Python entry points.
_OPTIONS: Final = {
    "nogil": True, "error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
}  # fmt: skip
#: The argument and result types of an entry, by annotation.
_KINDS: Final = {"int": _types.int64, "float": _types.float64, "None": _types.none}


class Pieces(_Library):  # type: ignore[misc]
    """A library that keeps the LLVM code of its functions instead of generating machine code."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.texts: list[str] = []

    def add_ir_module(self, ir_module: Any) -> None:
        self._raise_if_finalized()
        self.texts.append(_cgutils.normalize_ir_text(str(ir_module)))

    def finalize(self) -> None:
        self._finalized = True

    def walk(self, seen: dict[int, Pieces]) -> None:
        """Add this library and all its callees to `seen`, callees first."""
        if id(self) in seen:
            return
        for library in self._linking_libraries:
            if not isinstance(library, Pieces):
                raise RuntimeError(f"{library.name} is already machine code: build modules in a separate process")
            library.walk(seen)
        seen[id(self)] = self


class _PieceCompiler(_Compiler):  # type: ignore[misc]
    """Compile to `Pieces`."""

    def _compile_core(self) -> Any:
        state = self.state
        state.flags.no_compile = True
        state.library = Pieces(state.targetctx.codegen(), state.func_id.func_qualname)
        result = super()._compile_core()
        # numba identifies a callee by its Python entry point; this one has none, so its name is the key.
        result = result._replace(entry_point=result.fndesc.mangled_name)
        state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


@contextmanager
def _only_pieces() -> Iterator[None]:
    """Compile numba's own functions to `Pieces`, too, and generate no machine code."""
    context: Any = cpu_target.target_context
    context.codegen()._library_class = Pieces
    # A dummy by which numba identifies the function; it must be a builtin.
    context.get_executable = lambda library, fndesc, environment: [fndesc.mangled_name].copy
    try:
        with global_compiler_lock:
            yield
    finally:
        del context.codegen()._library_class, context.get_executable


class Lowering:
    """Compiles functions and all their callees.

    Functions may be plain or already compiled (`core.compile.jit`); both may call both. They are limited to numba's
    language and cannot create arrays.
    """

    def __init__(self) -> None:
        #: Returns a dispatcher that compiles a function, and the functions it refers to, to `Pieces`.
        self.twin: Final = Rebuilding(_piece)

    def lower(self, entries: dict[str, Callable[..., Any]]) -> list[str]:
        """Return the LLVM modules of all pieces of entries, given by name; callers come before callees.

        An entry's arguments and result are annotated as "int" (32 bits outside, 64 within), "float" (64 bits), or
        "None" for no result.
        """
        pieces: dict[int, Pieces] = {}
        with _only_pieces():
            for name, function in entries.items():
                self._enter(name, function).walk(pieces)
        return [text for piece in reversed(pieces.values()) for text in piece.texts]

    def _enter(self, name: str, function: Callable[..., Any]) -> Pieces:
        """Return the library of an entry: a function `name` that calls the compiled one and traps on its error."""
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
        entry = _ir.Function(module, _ir.FunctionType(outside(result), [outside(kind) for kind in given]), name)
        builder = _ir.IRBuilder(entry.append_basic_block())
        wide = [
            builder.sext(argument, _ir.IntType(64)) if kind == _types.int64 else argument
            for argument, kind in zip(entry.args, given, strict=True)
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


def _piece(plain: Any) -> Any:
    """Return a dispatcher to `Pieces`, with one version for all integers (`core.compile.jit`)."""
    dispatcher = _njit(plain, **_OPTIONS, pipeline_class=_PieceCompiler)
    by_types = dispatcher.get_call_template
    dispatcher.add_overload = lambda result: dispatcher.overloads.update({tuple(result.signature.args): result})

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        _, folded = dispatcher.fold_argument_types(arguments, keywords)
        return by_types(tuple(map(widened, folded)), {})

    dispatcher.get_call_template = get_call_template
    return dispatcher


def functions_of(function: Callable[..., Any]) -> list[Any]:
    """Return the plain function and all its direct and indirect callees; nothing is compiled."""
    twin = Lowering().twin
    twin(function)
    return list(twin.made)
