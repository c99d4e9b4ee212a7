"""Specialized copies are found in the cache by all that they call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from porta_nigra_env.core.compile.identity import UnidentifiedError, global_names, identity, names_of
from porta_nigra_env.core.compile.source_digest import source_digest
from porta_nigra_env.core.compile.template import Template, copy_function
from porta_nigra_env.core.game import contract
from tests.core.test_jit import run as run_file

IMPORTS = """
import sys
from pathlib import Path
import numpy as np
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
jit = compiler(*CORE_SOURCES, Path(__file__))
nothing = np.zeros(1, dtype=np.int64)
"""
#: Two value functions of one game in one file.
VALUATIONS = """
from porta_nigra_env.core.batch.valuation import Valuation
@jit
def lowest(t, s, player, action, prepared, w):
    return -float(action)
@jit
def highest(t, s, player, action, prepared, w):
    return float(action)
def answer(name):
    policy = Valuation("toy", [("weight", 1.0, "")], globals()[name], (), jit).policy("p", [1.0])
    words, rng = np.array([7], dtype=np.uint64), np.zeros(3, dtype=np.int64)
    return policy.choose(nothing, nothing, 0, 0, words, policy.parameters, rng)
print(*map(answer, sys.argv[1:]))
"""
#: Two games of one name in one file, which differ in `rank`.
RANKS = """
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.envs.play import play_games
from tests.toys.nim.game import Nim
def game(last):
    @jit
    def rank(constants, states, row, totals, places):
        for seat in range(places.shape[0]):
            places[seat] = 1 + (seat == last)
    class Ranked(Nim):
        kernel = Nim.kernel._replace(rank=rank)
        sources = (*Nim.sources, Path(__file__))
    return Ranked()
for last in sys.argv[1:]:
    print(*play_games(game(int(last)), [RANDOM, RANDOM], [1]).places[0])
"""
#: Policies of one factory in one chain: their names are the same, their answers are not.
FACTORY = """
from porta_nigra_env.core.batch.policy import Policy, chain
def policy(action):
    def choose(constants, states, row, player, words, parameters, policy_rng):
        return action + player
    return Policy("factory", jit(choose))
policies = [policy(int(action)) for action in sys.argv[1:]]
choose = chain("toy", policies, jit)
print(*(choose(i, nothing, nothing, 0, 0, nothing, nothing, nothing) for i in range(len(policies))))
"""


def run(folder: Path, program: str, *arguments: str) -> str:
    """Run a program with its own cache in `folder`; returns its output."""
    (folder / "program.py").write_text(IMPORTS + program)
    return run_file(folder, "program.py", *arguments)


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "answers"),
    [(VALUATIONS, {"lowest": "0", "highest": "2"}), (RANKS, {"0": "2 1", "1": "1 2"}), (FACTORY, {"3": "3", "5": "5"})],
    ids=["valuation", "rank", "factory"],
)
def test_functions_of_one_file_never_share_machine_code(program: str, answers: dict[str, str], tmp_path: Path) -> None:
    for name, answer in answers.items():
        assert run(tmp_path, program, name) == answer
    # All of them in one process, from the cache.
    assert run(tmp_path, program, *answers).split() == " ".join(answers.values()).split()


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclasses.dataclass(frozen=True)
class Item:
    value: Any


def close_over(value: Any) -> Callable[[], Any]:
    """Return a function that encloses a value."""
    return lambda: value


def with_global(value: Any) -> Callable[[], Any]:
    """Return a function that names a global of this value."""
    function = FunctionType(compile("lambda: VALUE", __file__, "eval").co_consts[0], {"VALUE": value}, "named")
    function.__module__ = __name__
    return function


def with_default(value: Any) -> Callable[[], Any]:
    """Return a function with a default of this value."""

    def function(default: Any = value) -> Any:
        return default

    return function


def call(function: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that calls an enclosed one."""
    return lambda: function()


def with_module(value: Any) -> Callable[[], Any]:
    """Return a function that names an attribute of a module."""
    module = ModuleType("settings")
    vars(module)["VALUE"] = value
    function = FunctionType(compile("lambda: m.VALUE", __file__, "eval").co_consts[0], {"m": module}, "attribute")
    function.__module__ = __name__
    return function


#: Ways to make a function of a value, which may itself hold functions.
HOLDERS: dict[str, Callable[[Any], Callable[[], Any]]] = {
    "closure": close_over,
    "global": with_global,
    "default": with_default,
    "module": with_module,
    "call": lambda value: call(close_over(value)),
    "tuple": lambda value: close_over((value, 1)),
    "named tuple": lambda value: with_global(Pair(0, value)),
    "dataclass": lambda value: with_default(Item(value)),
}

arrays = st.builds(
    lambda values, dtype: np.array(values, dtype=dtype),
    st.lists(st.integers(0, 3), max_size=4),
    st.sampled_from(["int8", "int64", "float32"]),
)
scalars = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.sampled_from("ab")
    | st.sampled_from([np.int8(1), np.int64(1), np.float32(1), np.dtype([("a", np.int8)]), np.dtype(np.int8)])
    | st.sampled_from([numba.int64, numba.uint64, numba.float64])
)  # fmt: skip
values = st.recursive(
    scalars | arrays,
    lambda inner: (
        st.tuples(inner) | st.tuples(inner, inner) | st.lists(inner, max_size=2) | st.builds(Pair, inner, inner)
        | st.builds(Item, inner) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=4,
)  # fmt: skip


def exactly(value: Any) -> Any:
    """Return something that is equal for equal values of equal types only."""
    kind = type(value)
    if isinstance(value, np.ndarray | np.generic):
        return kind, value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.dtype):
        return kind, str(value)
    if isinstance(value, float):
        return kind, value.hex()
    if isinstance(value, tuple | list):
        return kind, tuple(map(exactly, value))
    if isinstance(value, dict):
        return kind, tuple((key, exactly(inner)) for key, inner in value.items())
    return (kind, exactly(value.value)) if isinstance(value, Item) else (kind, value)


#: Functions as nested descriptions: a way to hold a value, and the value or another function.
described = st.recursive(
    st.tuples(st.sampled_from(list(HOLDERS)), values.map(Item)),
    lambda inner: st.tuples(st.sampled_from(list(HOLDERS)), inner),
    max_leaves=4,
)


def build(description: Any) -> Callable[[], Any]:
    """Return a new function of a description."""
    holder, held = description
    return HOLDERS[holder](held.value if isinstance(held, Item) else build(held))


@given(first=described, other=described, is_same=st.booleans())
def test_identities_are_equal_exactly_for_equal_functions(first: Any, other: Any, is_same: bool) -> None:
    second = first if is_same else other
    equal = exactly(first) == exactly(second)
    assert (identity(build(first)) == identity(build(second))) == equal
    # Template copies are named by everything they call, in this process and in the next one.
    template = Template()
    template(calls_rank)
    names = {
        template.specialize("toy", {contract.rank: build(description)}, lambda copy: copy)[calls_rank].__qualname__
        for description in (first, second)
    }
    assert len(names) == 2 - equal


def calls_rank() -> Any:
    return contract.rank


def test_long_arrays_have_different_identities() -> None:
    """`repr` cuts and rounds arrays."""
    weights = [np.zeros(2000), np.zeros(2000)]
    weights[1][1000] = 1e-12
    for hold in HOLDERS.values():
        assert identity(hold(weights[0])) != identity(hold(weights[1]))
        assert identity(hold(weights[0])) == identity(hold(weights[0].copy()))


def test_names_after_an_extended_argument_are_loaded() -> None:
    """An index above 255 needs a prefix in the byte code."""
    names = [f"name_{i}" for i in range(600)]
    code = compile(f"lambda: ({', '.join(names)}, attribute.of_a_name)", __file__, "eval").co_consts[0]
    assert global_names(code) == {*names, "attribute"}
    assert names_of(code) == {*names, "attribute", "of_a_name"}


@pytest.mark.parametrize(
    ("text", "other", "is_equal"),
    [
        ("import lowest as pick", "import highest as pick", False),
        ("from a import lowest as pick", "from a import highest as pick", False),
        ("from a import pick", "from b import pick", False),
        ("from .a import pick", "from a import pick", False),
        ("def f():\n    from a import pick", "def f():\n    from b import pick", False),
        ("def f(x): return x + 1", "def f(x): return x + 2", False),
        ("def f(x): return x", 'def f(x):\n    """Return it."""\n    return  x  # the same', True),
        ("def f(x): pass", 'def f(x):\n    """Do nothing."""', True),
        ("x = 1", '"""Doc."""\nfrom __future__ import annotations\nx = 1', True),
    ],
)
def test_source_digests_are_equal_exactly_for_equal_behaviour(text: str, other: str, is_equal: bool) -> None:
    assert (source_digest(text) == source_digest(other)) == is_equal


def test_functions_that_call_each_other_have_an_identity() -> None:
    def pair(value: int) -> Any:
        def even() -> Any:
            return odd() + value

        def odd() -> Any:
            return even()

        return even

    assert identity(pair(1)) == identity(pair(1)) != identity(pair(2))


class Opaque:
    pass


@pytest.mark.parametrize("value", [Opaque(), (1, Opaque()), np.array([Opaque()], dtype=object), Item(iter(()))])
def test_an_unknown_value_has_no_identity(value: Any) -> None:
    for hold in HOLDERS.values():
        with pytest.raises(UnidentifiedError):
            identity(hold(value))


def test_what_cannot_be_identified_is_compiled_in_the_process_only() -> None:
    template = Template()

    @template
    def function() -> Any:
        return contract.rank

    made = []
    for _ in range(2):
        copies = template.specialize("toy", {contract.rank: close_over(Opaque())}, lambda copy: copy)
        made.append(copies[function])
    assert [copy.is_exact for copy in made] == [False, False]
    assert made[0].__qualname__ != made[1].__qualname__


def test_a_copy_names_replaced_globals_members_and_enclosed_values() -> None:
    def replacement() -> str:
        return "replaced"

    def original() -> str:
        return "original"

    def function() -> Any:
        return original(), contract.rounds, run

    copy = copy_function(function, lambda value: replacement if value in (original, contract.rounds, run) else value)
    assert copy() == ("replaced", replacement, replacement)
    assert function() == ("original", contract.rounds, run)
