"""Machine code built in advance: used where it fits, compiled otherwise, with equal results."""

from __future__ import annotations

import json
import lzma
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from porta_nigra_env import cache
from porta_nigra_env.core.compile import prebuilt
from porta_nigra_env.core.compile.prebuilt import LEVELS, SHARED, supported_levels, usable_levels, write_archives
from tests.core.test_jit import start

#: The one level that every machine has.
LEVEL = "x86-64-v2"
COMPILE = {"NUMBA_CPU_NAME": LEVEL, "NUMBA_CPU_FEATURES": ""}
LIBRARY = """
from pathlib import Path
import numpy as np
from porta_nigra_env.core.compile import prebuilt
from porta_nigra_env.core.compile.jit import compiler
prebuilt.ARCHIVES = Path(__file__).parent / "archives"
jit = compiler(Path(__file__))
@jit
def inner(x):
    if x[0] > 9:
        raise ValueError("too large")
    return x[0] + x[1]
@jit
def outer(x):
    return 2 * inner(x)
"""
USER = """
import sys
import numpy as np
from library import outer, prebuilt
for changed in sys.argv[1:]:
    exec(changed)
results = [float(outer(np.ones(2, dtype=kind))) for kind in ("float32", "int8")]
try:
    outer(np.full(2, 10, dtype="int8"))
except ValueError as error:
    results.append(str(error))
print(results, sum(outer.stats.cache_misses.values()))
"""
FROM_ARCHIVE, COMPILED = "[4.0, 4.0, 'too large'] 0", "[4.0, 4.0, 'too large'] 2"


def use(folder: Path, *changes: str, **environment: str) -> tuple[str, str]:
    """Run the program with an empty cache and changes of the prebuilt module; return output and errors."""
    cached = folder / "empty"
    out, error = start(
        folder, "user.py", *changes, **({"PORTA_NIGRA_CACHE_DIR": str(cached)} | environment)
    ).communicate()
    return out.strip(), error


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with archives of its functions for `LEVEL`."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "library.py").write_text(LIBRARY)
    (folder / "user.py").write_text(USER)
    start(folder, "user.py", **COMPILE).communicate()
    write_archives({"small": folder / "cache"}, LEVEL, folder / "archives")
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A copy; the place of the sources does not matter."""
    return shutil.copytree(built, tmp_path / "copy")


def test_nothing_is_compiled_and_nothing_written(folder: Path) -> None:
    assert use(folder) == (FROM_ARCHIVE, "")
    assert not list((folder / "empty").rglob("*.nb?"))
    names = {path.name for path in (folder / "archives").iterdir()}
    assert names == {f"small.{LEVEL}.xz", f"{LEVEL}.json"}


WARM = """
from porta_nigra_env import cache
outer(np.ones(2, dtype="int8"))
cache.warm(())
"""


def test_warm_names_the_folder_of_the_code(folder: Path) -> None:
    archives = f"the code is in {folder / 'archives'}"
    assert use(folder, WARM)[0].splitlines()[0].endswith(archives)
    assert use(folder, f"outer(np.ones(2))\n{WARM}")[0].splitlines()[0].endswith(f"{archives} and {folder / 'empty'}")
    compiled = use(folder, WARM, PORTA_NIGRA_PREBUILT="0")[0]
    assert compiled.splitlines()[0].endswith(f"the code is in {folder / 'empty'}")


PYTHON_3_99 = """
import importlib
sys.version_info = (3, 99)
outer = importlib.reload(sys.modules["library"]).outer
"""
OWN = """
import numba
outer(np.ones(2))
print(numba.njit(lambda x: outer(x) + 1)(np.ones(2)))
"""
#: Conditions in which archives do not fit: changes in the process, and its environment.
UNUSED: dict[str, tuple[list[str], dict[str, str]]] = {
    "a CPU without its features": (["prebuilt._binding.get_host_cpu_features = lambda: {'sse3': True}"], {}),
    "a CPU without names of features": (["prebuilt._binding.get_host_cpu_features = dict"], {}),
    "another system": (["prebuilt._binding.get_process_triple = lambda: 'x86_64-apple-darwin'"], {}),
    "no archives": (["prebuilt.ARCHIVES = prebuilt.ARCHIVES / 'nowhere'"], {}),
    "another version of Python": ([PYTHON_3_99], {}),
    "switched off": ([], {"PORTA_NIGRA_PREBUILT": "0"}),
    "a named CPU": ([], COMPILE),
    "without features": ([], {"NUMBA_CPU_FEATURES": ""}),
    "bounds checks": ([], {"NUMBA_BOUNDSCHECK": "1"}),
}  # fmt: skip


@pytest.mark.parametrize("condition", UNUSED)
def test_what_does_not_fit_is_compiled(folder: Path, condition: str) -> None:
    changes, environment = UNUSED[condition]
    out, error = use(folder, *changes, **environment)
    assert out == COMPILED
    assert error.count("\n") == 1
    assert "compiling into" in error


def test_another_version_of_numba_compiles(folder: Path) -> None:
    text = (folder / "library.py").read_text()
    (folder / "library.py").write_text('import numba\nnumba.__version__ = "0.99.0"\n' + text)
    assert use(folder)[0] == COMPILED


def test_edited_sources_compile(folder: Path) -> None:
    text = (folder / "library.py").read_text()
    (folder / "library.py").write_text(text.replace("2 * inner", "3 * inner"))
    assert use(folder)[0] == "[6.0, 6.0, 'too large'] 2"


def test_own_functions_call_stored_ones(folder: Path) -> None:
    assert use(folder, OWN)[0].splitlines()[0] == "5.0"


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


#: Damage of an archive.
DAMAGE: dict[str, Callable[[Path], object]] = {
    "one bit": flipped,
    "the end is missing": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "empty": lambda path: path.write_bytes(b""),
    "another format": lambda path: path.write_bytes(lzma.compress(b"not a pickle", check=lzma.CHECK_SHA256)),
    "missing": lambda path: path.unlink(),
    "all may write": lambda path: path.chmod(0o666),
    "all may write the folder": lambda path: path.parent.chmod(0o777),
    "a broken index": lambda path: path.with_name(f"{LEVEL}.json").write_text("{"),
    "an index of others": lambda path: path.with_name(f"{LEVEL}.json").write_text("{}"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_reported_once_and_compiled(folder: Path, damage: str) -> None:
    DAMAGE[damage](folder / "archives" / f"small.{LEVEL}.xz")
    out, error = use(folder)
    assert out == COMPILED
    warnings = [line for line in error.splitlines() if "compiling into" not in line]
    assert len(warnings) == 1, error
    assert "reinstall the package" in warnings[0]


def test_functions_of_several_archives_are_shared(folder: Path) -> None:
    caches = {"first": folder / "cache", "second": folder / "cache"}
    (archive,) = write_archives(caches, LEVEL, folder / "archives")
    assert archive.name == f"{SHARED}.{LEVEL}.xz"
    assert set(json.loads((folder / "archives" / f"{LEVEL}.json").read_text())["folders"].values()) == {SHARED}
    assert use(folder) == (FROM_ARCHIVE, "")


def test_code_for_another_cpu_is_not_archived(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"compiled for x86-64-v2 .*, not for x86-64-v3"):
        write_archives({"small": folder / "cache"}, "x86-64-v3", folder / "archives")
    assert use(folder) == (FROM_ARCHIVE, ""), "nothing has changed"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("", ["x86-64-v4", "x86-64-v3", "x86-64-v2"]),
        ("1", ["x86-64-v4", "x86-64-v3", "x86-64-v2"]),
        ("x86-64-v3", ["x86-64-v3", "x86-64-v2"]),
        ("x86-64-v2", ["x86-64-v2"]),
        ("0", []),
    ],
)
def test_a_level_limits_what_is_used(wanted: str, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTA_NIGRA_PREBUILT", wanted)
    monkeypatch.setattr(prebuilt._config, "CPU_NAME", None)
    monkeypatch.setattr(prebuilt._config, "CPU_FEATURES", None)
    monkeypatch.setattr(prebuilt._binding, "get_host_cpu_features", lambda: dict.fromkeys(LEVELS["x86-64-v4"], True))
    assert usable_levels.__wrapped__() == found


def test_a_wrong_level_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTA_NIGRA_PREBUILT", "v3")
    with pytest.raises(ValueError, match=r"PORTA_NIGRA_PREBUILT: 'v3' is not one of 0, 1, x86-64-v4"):
        usable_levels.__wrapped__()


def test_levels_of_other_machines_are_not_built(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prebuilt._binding, "get_host_cpu_features", lambda: dict.fromkeys(LEVELS["x86-64-v3"], True))
    assert supported_levels() == ["x86-64-v3", "x86-64-v2"]
    assert cache.main(["build", "--level", "x86-64-v4"]) == 2
    assert "this CPU does not run x86-64-v4" in capsys.readouterr().err
