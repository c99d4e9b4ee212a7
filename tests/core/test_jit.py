"""Compiled code from the cache always matches its sources."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from porta_nigra_env.core.compile.cache import sources_digest

ROOT = Path(__file__).parents[2]

CALLEE = """
from pathlib import Path
from porta_nigra_env.core.compile.jit import compiler
jit = compiler(Path(__file__).parent)
@jit
def answer(x):
    return x + {value}
"""
CALLER = """
from callee import answer, jit
@jit
def twice(x):
    return 2 * answer(x)
print(twice(1))
"""
TWO_GAMES = """
from pathlib import Path
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.template import Template
from callee import answer, jit
template = Template()
def placeholder(x):
    raise NotImplementedError
@template
def call(x):
    return placeholder(x)
@jit
def other(x):
    return x * 100
first = template.specialize("first", {placeholder: answer}, jit)[call]
second = template.specialize("second", {placeholder: other}, jit)[call]
print(first(1), second(1))
"""
# A foreign policy in a loop of the package: from an unlisted file and from a notebook cell.
STRANGE = """
from pathlib import Path
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.template import Template
from callee import jit
import elsewhere
template = Template()
def placeholder(x):
    raise NotImplementedError
@template
def call(x):
    return placeholder(x)
cell = {"jit": jit}
exec(compile("@jit" + chr(10) + "def function(x): return x + 1000 * %d" % elsewhere.VALUE, "<cell>", "exec"), cell)
@jit
def direct(x):
    return 3 * elsewhere.other(x)
ours = compiler(Path(__file__))
for name, function in (("file", elsewhere.other), ("cell", cell["function"])):
    for _ in range(2):
        function = template.specialize(name, {placeholder: function}, ours)[call]
    print(function(1), end=" ")
print(direct(1))
"""
ELSEWHERE = """
import numba
VALUE = {value}
@numba.njit{how}
def other(x):
    return x + {value}
"""
# Two policies of one factory in a chain: equal names, different behaviour.
FACTORY = """
import sys
from pathlib import Path
import numpy as np
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.batch.policy import Policy, chain
jit = compiler(Path(__file__))
def made(action):
    def choose(constants, states, row, player, words, parameters, policy_rng):
        return action
    return jit(choose)
def asked(action):
    policy = Policy("made", made(action))
    nothing = np.zeros(1, dtype=np.int64)
    return chain("toy", [policy], jit)(0, nothing, nothing, 0, 0, nothing, nothing, nothing)
print(*(asked(int(action)) for action in sys.argv[1:]))
"""
# A function of a module and one of a factory, which the second process unpickles.
PICKLED = """
import pickle, sys
from pathlib import Path
from callee import answer, jit
def make(value):
    def added(x):
        return answer(x) + value
    return jit(added)
file = Path(sys.argv[1])
if not file.exists():
    functions = answer, make(5)
    file.write_bytes(pickle.dumps(functions))
    assert pickle.loads(file.read_bytes()) == functions
functions = pickle.loads(file.read_bytes())
print(*(function(1) for function in functions), sum(sum(f.stats.cache_misses.values()) for f in functions))
"""
SLOW = """
import sys
from callee import jit
@jit
def total(x):
    found = 0
    for i in range(x):
        found += i
    return found
total(10)
print(sum(total.stats.cache_misses.values()))
"""
LEAN = """
from pathlib import Path
from typing import NamedTuple
import numpy as np
from porta_nigra_env.core.compile import jit as module
jit = module.compiler(Path(__file__))
class Arrays(NamedTuple):
    a: object
    b: object
@jit
def inner(arrays, i):
    return arrays.a[i] + arrays.b[i]
@jit
def outer(arrays):
    return inner(arrays, 1) + inner(arrays, 2)
print(outer(Arrays(np.arange(3), np.arange(3))), any("NRT_incref" in text for text in outer.inspect_llvm().values()))
"""
# A callee two levels down raises a constant of its environment; `last` is compiled later, from cached callees.
RAISES = """
import sys
from pathlib import Path
from porta_nigra_env.core.compile.jit import compiler
jit = compiler(Path(__file__))
@jit
def inner(x):
    if x < 0:
        raise ValueError("less than nothing", 7)
    return x + 1
@jit
def middle(x):
    return 2 * inner(x)
@jit
def outer(x):
    return middle(x) + inner(x)
@jit
def last(x):
    return middle(x) - inner(x)
function = outer if sys.argv[1] == "outer" else last
try:
    function(-1)
except ValueError as error:
    print(function(1), *error.args)
"""


def start(folder: Path, program: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    clean.update(PORTA_NIGRA_CACHE_DIR=str(folder / "cache"), PYTHONPATH=f"{folder}{os.pathsep}{ROOT}")
    # Bytecode identifies its source by length and whole second, so an edit right after a run would be missed.
    clean.update(PYTHONDONTWRITEBYTECODE="1")
    clean.update(environment)
    return subprocess.Popen(
        [sys.executable, str(folder / program), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean,
    )  # fmt: skip


def run(folder: Path, program: str, *arguments: str, **environment: str) -> str:
    process = start(folder, program, *arguments, **environment)
    out, error = process.communicate()
    assert process.returncode == 0, error
    return out.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "callee.py").write_text(CALLEE.format(value=10))
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "games.py").write_text(TWO_GAMES)
    return tmp_path


def test_an_edit_in_a_callee_recompiles(folder: Path) -> None:
    # The cache of numba checks caller.py only, which does not change.
    assert run(folder, "caller.py") == "22"
    assert run(folder, "caller.py") == "22"
    (folder / "callee.py").write_text(CALLEE.format(value=20))
    assert run(folder, "caller.py") == "42"


def test_a_second_process_compiles_nothing(folder: Path) -> None:
    run(folder, "caller.py")
    files = {path: path.stat().st_mtime_ns for path in (folder / "cache").rglob("*.nb?")}
    assert files
    run(folder, "caller.py")
    assert {path: path.stat().st_mtime_ns for path in (folder / "cache").rglob("*.nb?")} == files


def test_two_games_of_one_template_do_not_share_code(folder: Path) -> None:
    for _ in range(2):  # compiled, then from the cache
        assert run(folder, "games.py") == "11 100"


@pytest.mark.parametrize("how", ["", "(cache=True)"])
def test_code_from_unlisted_files_is_never_stale(folder: Path, how: str) -> None:
    """numba links a callee's machine code into its caller's cache, so the caller must not be cached either."""
    (folder / "strange.py").write_text(STRANGE)
    for value in (1, 1, 2):
        (folder / "elsewhere.py").write_text(ELSEWHERE.format(value=value, how=how))
        assert run(folder, "strange.py") == f"{1 + value} {1 + 1000 * value} {3 * (1 + value)}"


@pytest.mark.long
def test_callees_without_machine_code_are_inlined(folder: Path) -> None:
    (folder / "raises.py").write_text(RAISES)
    for function, value in (("outer", 6), ("outer", 6), ("last", 2), ("last", 2)):
        assert run(folder, "raises.py", function) == f"{value} less than nothing 7"
        assert run(folder, "raises.py", function, PORTA_NIGRA_PLAIN_JIT="1") == f"{value} less than nothing 7"
    machine_code = {path.name: b"ELF" in path.read_bytes() for path in (folder / "cache").rglob("*middle*.nbc")}
    assert not any(is_there for name, is_there in machine_code.items() if ".callee." in name)
    assert any(".callee." in name for name in machine_code)


@pytest.mark.long
def test_policies_of_one_factory_do_not_share_code(folder: Path) -> None:
    (folder / "factory.py").write_text(FACTORY)
    assert run(folder, "factory.py", "3", "5") == "3 5"
    assert run(folder, "factory.py", "5") == "5"
    assert run(folder, "factory.py", "7", "3") == "7 3"


def test_unpickled_functions_are_loaded_from_the_cache(folder: Path) -> None:
    (folder / "pickled.py").write_text(PICKLED)
    assert run(folder, "pickled.py", str(folder / "functions")) == "11 16 2"
    for _ in range(2):
        assert run(folder, "pickled.py", str(folder / "functions")) == "11 16 0"


def test_equal_sources_in_another_folder_share_their_code(folder: Path, tmp_path: Path) -> None:
    run(folder, "caller.py")
    twin = tmp_path / "twin"
    twin.mkdir()
    for name in ("callee.py", "caller.py", "games.py"):
        (twin / name).write_text((folder / name).read_text())
    files = sorted((folder / "cache").rglob("*.nb?"))
    # Both folders hold the same files, so the digests are equal and nothing is compiled.
    assert run(twin, "caller.py", PORTA_NIGRA_CACHE_DIR=str(folder / "cache")) == "22"
    assert sorted((folder / "cache").rglob("*.nb?")) == files


def test_only_one_of_several_cold_starts_compiles(folder: Path) -> None:
    (folder / "slow.py").write_text(SLOW)
    processes = [start(folder, "slow.py") for _ in range(4)]
    outputs = [process.communicate() for process in processes]
    assert all(process.returncode == 0 for process in processes), outputs
    assert sorted(int(out) for out, _ in outputs) == [0, 0, 0, 1]


@pytest.mark.long
def test_tuples_of_arrays_are_passed_without_reference_counting(folder: Path) -> None:
    (folder / "lean.py").write_text(LEAN)
    assert run(folder, "lean.py") == "6 False"
    assert run(folder, "lean.py", PORTA_NIGRA_PLAIN_JIT="1").split()[0] == "6"


def test_flags_and_names_change_the_digest(folder: Path) -> None:
    before = sources_digest([folder])
    assert sources_digest([folder / "callee.py"]) != before
    (folder / "callee.py").rename(folder / "called.py")
    assert sources_digest([folder]) != before
    program = (
        "import sys; from pathlib import Path; from porta_nigra_env.core.compile.cache import sources_digest;"
        "print(sources_digest([Path(sys.argv[0]).parent / 'caller.py']))"
    )
    (folder / "digest.py").write_text(program)
    assert run(folder, "digest.py") != run(folder, "digest.py", NUMBA_BOUNDSCHECK="1")


def test_a_cache_that_cannot_be_written_falls_back(folder: Path) -> None:
    (folder / "cache").write_text("a file where the folder should be")
    assert run(folder, "caller.py", TMPDIR=str(folder)) == "22"
    assert list(folder.glob("porta_nigra_env_*"))
