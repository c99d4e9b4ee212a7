"""Callees are optimised once, and not compiled to machine code.

A compiled function inlines the code of its callees, so their machine code is never called. numba generates it all the
same, which is a fifth of a cold start, and optimises it again in every caller. Only this module depends on these
internals: names with a leading underscore are private to numba and may change with its versions.
``PORTA_NIGRA_PLAIN_JIT=1`` disables both savings (`core.compile.cache.LEAN`), and a test compares the results.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

from numba.core import codegen, compiler

# numba has no type information on them.
_Compiler: Any = compiler.Compiler
_Library: Any = codegen.JITCodeLibrary
_compile_result: Any = compiler.compile_result
_llvm: Any = vars(codegen)["ll"]

#: Share of one callee's code in a function's code from which on the function is left to its callers: chains of short
#: functions around a long one would optimise the long one again at every level.
MOSTLY: Final = 0.75
#: Instructions of a function that is always inlined, at most.  Copies of longer ones would double the time of
#: compilation, and shorter limits slow down steps; LLVM decides about longer ones.
SHORT: Final = 800


def _is_short(function: Any) -> bool:
    """Return whether a function is inlined into all of its callers."""
    instructions = (instruction for block in function.blocks for instruction in block.instructions)
    return next(itertools.islice(instructions, SHORT, None), None) is None


class CalleeLibrary(_Library):  # type: ignore[misc]
    """The code of one callee, for inlining into its callers."""

    def _optimize_final_module(self) -> None:
        """Optimise the code, unless most of it is that of one callee, which is optimised already."""
        linked = [len(library._get_module_for_linking().as_bitcode()) for library in set(self._linking_libraries)]
        if max(linked, default=0) < MOSTLY * len(self._final_module.as_bitcode()):
            super()._optimize_final_module()
        for function in self._final_module.functions:
            if function.linkage == _llvm.Linkage.external and not function.is_declaration and _is_short(function):
                function.add_function_attribute("alwaysinline")

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return the cached form of the code: bitcode instead of machine code."""
        self._ensure_finalized()
        return self.name, "callee", self._get_module_for_linking().as_bitcode()


class CalleeCompiler(_Compiler):  # type: ignore[misc]
    """Compile to a `CalleeLibrary`."""

    def _compile_core(self) -> Any:
        state = self.state
        state.flags.no_compile = True
        state.library = CalleeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        # numba identifies a callee by its Python entry point; this one has none, so its name is the key.
        result = super()._compile_core()
        result = result._replace(entry_point=result.fndesc.mangled_name)
        state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


class EntryCompiler(_Compiler):  # type: ignore[misc]
    """Compile a function called from Python and register the exception environments of its callees."""

    def _compile_core(self) -> Any:
        result = super()._compile_core()
        for environment in result._find_referenced_environments():
            result.library.codegen.set_env(environment.env_name, environment)
        return result


def rebuilt(target_context: Any, payload: tuple[Any, ...]) -> Any:
    """Return the callee of a cache entry."""
    (name, _, code), fndesc, environment, signature, objectmode, lifted, annotation, reload_init, environments = payload
    library = CalleeLibrary(target_context.codegen(), name)
    library._final_module = library._shared_module = _llvm.parse_bitcode(code)
    library._finalize_final_module()
    return _compile_result(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=fndesc.mangled_name,
        type_annotation=annotation,
        library=library,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        fndesc=fndesc,
        environment=environment,
        reload_init=reload_init,
        referenced_envs=environments,
    )
