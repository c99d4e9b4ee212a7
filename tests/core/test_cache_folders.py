"""The cache of compiled code for users: its messages, its cleanup and its command line."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from filelock import FileLock

from porta_nigra_env import cache
from porta_nigra_env.core.compile import cache_folders
from porta_nigra_env.core.compile.cache_folders import KEPT, SPARED, cache_root, folders, prune
from tests.core.test_jit import CALLEE, CALLER, ROOT, run, start

# Compile a function, lose its folders, and compile another one in the same folder.
ROBBED = """
from callee import answer, jit
from porta_nigra_env.core.compile.cache_folders import cache_root, prune
print(answer(1))
assert len(prune(cache_root(), 0, 0.0)) > 0
@jit
def twice(x):
    return 2 * answer(x)
print(twice(1))
"""
# Play through every environment API; print the number of compiled functions.
PLAYS = """
import numba.core.event
class Compilations(numba.core.event.Listener):
    count = 0
    def on_start(self, event):
        self.count += 1
    def on_end(self, event):
        pass
compilations = Compilations()
numba.core.event.register("numba:compile", compilations)
import gymnasium
from porta_nigra_env import State, porta_nigra_v0
state = State.new(3, seed=1)
state.apply(state.legal_actions()[0]).view().sample(1)
state.rollout(1).returns()
env = porta_nigra_v0.env()
env.reset(seed=1)
env.step(int(env.last()[0]["action_mask"].argmax()))
for made in (gymnasium.make("PortaNigra-v0"), gymnasium.make("PortaNigra-v0", opponents="random", reward="points")):
    _, info = made.reset(seed=1)
    made.step(int(info["action_mask"].argmax()))
many = gymnasium.make_vec("PortaNigra-v0", num_envs=4, num_players=4, seat="rotate")
many.reset(seed=1)
many.step(many.unwrapped.action_masks().argmax(axis=1))
batch = porta_nigra_v0.batch_env(4)
batch.reset(seed=1)
batch.step(batch.random_actions())
batch.privileged()
batch.views()
print(compilations.count)
"""


def make_old_folder(root: Path, number: int, hours: float) -> Path:
    """Make a cache folder with machine code that was last used some hours ago."""
    folder = root / f"{number:024x}"
    folder.mkdir(parents=True)
    for name in (".module.f.lock", "module.f-1.py311.nbi", "module.f-1.py311.1.nbc", "module.f-1.py311.2.nbc.tmp.123"):
        (folder / name).write_bytes(b"code")
    then = time.time() - 3600 * hours
    os.utime(folder, (then, then))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "callee.py").write_text(CALLEE.format(value=10))
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "robbed.py").write_text(ROBBED)
    return tmp_path


def test_compilation_prints_one_line_and_loading_none(folder: Path) -> None:
    out, error = start(folder, "caller.py").communicate()
    assert out.strip() == "22"
    assert error.count("\n") == 1
    assert error.startswith(f"porta_nigra_env: compiling into {folder / 'cache'}, once")
    assert "later starts" in error
    assert start(folder, "caller.py").communicate() == ("22\n", "")


def test_a_process_that_waits_for_another_prints_a_line(folder: Path) -> None:
    run(folder, "caller.py")
    locks = [FileLock(file) for entry in folders(folder / "cache") for file in entry.path.glob(".*.lock")]
    assert locks
    for lock in locks:
        lock.acquire()
    saved = [(file, file.rename(folder / file.name)) for file in (folder / "cache").rglob("*.nb?")]
    process = start(folder, "caller.py")
    assert process.stderr is not None
    assert process.stderr.readline().startswith("porta_nigra_env: waiting for another process that compiles into")
    for file, elsewhere in saved:
        elsewhere.rename(file)
    for lock in locks:
        lock.release()
    assert process.communicate() == ("22\n", "")


def test_recently_used_folders_are_kept(tmp_path: Path) -> None:
    made = [make_old_folder(tmp_path, number, hours=2 + number) for number in range(8)]
    fresh = make_old_folder(tmp_path, 99, hours=0.5)
    assert [entry.path for entry in folders(tmp_path)] == [fresh, *made]
    assert folders(tmp_path)[0].size == 16
    removed = prune(tmp_path, keep=4)
    assert [entry.path for entry in removed] == made[3:]
    assert [entry.path for entry in folders(tmp_path)] == [fresh, *made[:3]]
    assert prune(tmp_path, keep=0, spared=SPARED) != []
    assert [entry.path for entry in folders(tmp_path)] == [fresh], "used within the hour"
    assert prune(tmp_path / "nowhere") == []


def test_foreign_files_are_kept(tmp_path: Path) -> None:
    notes = make_old_folder(tmp_path, 1, hours=90) / "notes.txt"
    notes.write_text("mine")
    others = [tmp_path / "0123456789abcdef01234567.txt", tmp_path / "projects" / "code.nbi", tmp_path / ("f" * 23)]
    for other in others:
        other.parent.mkdir(exist_ok=True)
        other.write_text("mine")
    assert prune(tmp_path, keep=0, spared=0.0) == []
    assert [path.read_text() for path in (notes, *others)] == ["mine"] * 4
    busy = make_old_folder(tmp_path, 2, hours=90)
    with FileLock(busy / ".module.f.lock"):
        assert prune(tmp_path, keep=0) == [], "another process compiles there"
    assert len(list(busy.iterdir())) == 4


def test_compilation_removes_old_folders(folder: Path) -> None:
    made = [make_old_folder(folder / "cache", number, hours=2 + number) for number in range(KEPT + 5)]
    run(folder, "caller.py")
    assert [path.exists() for path in (made[0], *made[-5:])] == [True, *[False] * 5]
    make_old_folder(folder / "cache", 1000, hours=99)
    run(folder, "caller.py")
    assert (folder / "cache" / f"{1000:024x}").exists(), "nothing was compiled"


def test_a_process_survives_the_loss_of_a_folder(folder: Path) -> None:
    assert run(folder, "robbed.py").split() == ["11", "22"]
    assert run(folder, "caller.py") == "22"


def test_a_load_updates_the_time_of_use(folder: Path) -> None:
    run(folder, "caller.py")
    for entry in folders(folder / "cache"):
        os.utime(entry.path, (1e9, 1e9))
    run(folder, "caller.py")
    assert all(time.time() - entry.used < SPARED for entry in folders(folder / "cache"))


# ------------------------------------------------------------------------------------------------ unusual conditions

# Two functions that each call the other's namesake; the first argument names the one that is called.
CROSSED = """
import sys, time
from numba import types
from numba.extending import overload
from porta_nigra_env.core.compile import cache
from callee import jit
cache._PATIENCE, cache._LONGEST_WAIT = 0.1, 0.5
def pause():
    pass
@overload(pause)
def _pause():  # while the caller is compiled, hold its lock
    time.sleep(3)
    return lambda: None
def make(name, callee):
    def function(x):
        pause()
        return callee(x) + 1
    function.__qualname__, function.is_exact = name, True
    return jit(function)
@jit
def start(x):
    return x
first, second = make("first", make("second", start)), make("second", make("first", start))
print({"first": first, "second": second}[sys.argv[1]](1))
"""
# The child of a process in which another thread compiles.
FORKS = """
import os, threading, time
from callee import answer, jit
from numba.core.compiler_lock import global_compiler_lock
begun = threading.Event()
def compile_slowly():
    with global_compiler_lock:  # as during a compilation
        begun.set()
        time.sleep(1)
threading.Thread(target=compile_slowly).start()
begun.wait()
child = os.fork()
if child == 0:
    os._exit(answer(1))
deadline = time.monotonic() + 20
while time.monotonic() < deadline:
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        print(os.waitstatus_to_exitcode(status))
        break
    time.sleep(0.1)
else:
    os.kill(child, 9)
    print("hangs")
"""
# Root may write everywhere, so the first folder only appears to be read-only; the second is the temporary folder.
READ_ONLY = """
import builtins, os, sys, tempfile
shared, tempfile.tempdir, access, real_open = *sys.argv[1:], os.access, builtins.open
os.access = lambda path, mode: not (str(path).startswith(shared) and mode & os.W_OK) and access(path, mode)
def guarded(file, mode="r", *arguments, **options):
    if str(file).startswith(shared) and set(mode) & set("wax+"):
        raise PermissionError(13, "read-only", str(file))
    return real_open(file, mode, *arguments, **options)
builtins.open = guarded
import caller
print(sum(caller.twice.stats.cache_misses.values()))
"""
# No file can become larger than some bytes, as on a full disk.
FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
import caller
"""


def write(folder: Path, program: str) -> str:
    (folder / "program.py").write_text(program)
    return "program.py"


def test_processes_that_wait_for_each_other_continue(folder: Path) -> None:
    program = write(folder, CROSSED)
    processes = [start(folder, program, name) for name in ("first", "second")]
    try:
        outputs = [process.communicate(timeout=60)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert outputs == ["3\n", "3\n"]


def test_a_child_forked_during_a_compilation_compiles(folder: Path) -> None:
    assert run(folder, write(folder, FORKS)) == "11"


@pytest.mark.parametrize("is_writable_elsewhere", [True, False])
def test_code_in_a_read_only_cache_is_loaded(folder: Path, is_writable_elsewhere: bool) -> None:
    program = write(folder, READ_ONLY)
    assert run(folder, program, "/nowhere", str(folder)).split() == ["22", "1"]
    fallback = str(folder) if is_writable_elsewhere else "/proc"
    out, error = start(folder, program, str(folder / "cache"), fallback).communicate()
    assert (out.split(), error) == (["22", "0"], "")


def test_a_full_disk_does_not_stop_a_program(folder: Path) -> None:
    out, error = start(folder, write(folder, FULL)).communicate()
    assert out == "22\n"
    assert "compiled code cannot be saved in" in error
    assert error.count("\n") == 2


# ------------------------------------------------------------------------------------------------ where code is kept


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of the fallback, in a temporary folder; no other cache can be written to."""
    monkeypatch.setenv("PORTA_NIGRA_CACHE_DIR", "/proc/nowhere")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cache_folders._process_root.cache_clear()
    return tmp_path / f"porta_nigra_env_{os.getuid()}"


def test_the_fallback_is_private(temporary: Path) -> None:
    assert cache_root() == temporary
    assert temporary.stat().st_mode & 0o777 == 0o700
    temporary.chmod(0o755)
    assert cache_root() == temporary
    assert temporary.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("trap", ["writable", "link", "foreign", "file"])
def test_a_planted_fallback_is_not_used(temporary: Path, trap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of a cache is a pickle: a user who can write it can run code here."""
    planted = temporary.with_name("planted")
    planted.mkdir()
    if trap == "link":
        temporary.symlink_to(planted)
    elif trap == "file":
        temporary.write_text("a file")
    else:
        temporary.mkdir()
        temporary.chmod(0o777 if trap == "writable" else 0o755)
    if trap == "foreign":
        os.chown(temporary, 12345, 12345) if os.getuid() == 0 else monkeypatch.setattr(os, "getuid", lambda: 12345)
    root = cache_root()
    assert root not in (temporary, planted)
    assert root == cache_root()
    assert root.stat().st_mode & 0o777 == 0o700
    assert root.parent == temporary.parent


def test_without_any_writable_folder_the_first_is_named(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc")
    assert cache_root() == Path("/proc/nowhere")


def test_there_is_a_cache_without_a_home_folder(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container with a numeric user has no entry in the list of users and no HOME."""

    def no_home(*_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    for name in ("PORTA_NIGRA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache_root() == temporary
    monkeypatch.setenv("PORTA_NIGRA_CACHE_DIR", str(temporary / "named"))
    assert cache_root() == temporary / "named"


# ------------------------------------------------------------------------------------------------ command line


def test_folders_are_shown_and_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORTA_NIGRA_CACHE_DIR", str(tmp_path))
    for number in range(3):
        make_old_folder(tmp_path, number, hours=2 + number)
    assert cache.main(["show"]) == 0
    shown = capsys.readouterr().out
    assert f"{tmp_path}:" in shown
    assert "2.0 h ago" in shown
    assert "3 folders" in shown
    assert cache.main(["prune", "--keep", "1"]) == 0
    assert "2 folders" in capsys.readouterr().out
    assert len(folders(tmp_path)) == 1
    assert cache.main(["prune", "--keep", "-1"]) == 2
    assert "--keep and --hours must not be negative" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["warm", "--game", "noughts"], ["bake"]])
def test_invalid_arguments_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = cache.main(arguments)
    except SystemExit as stopped:
        code = stopped.code
    assert code == 2
    assert capsys.readouterr().err or not arguments


def test_a_warm_cache_needs_no_compilation(capsys: pytest.CaptureFixture[str]) -> None:
    assert cache.main(["warm", "--game", "porta_nigra"]) == 0
    assert cache.main(["warm", "--game", "porta_nigra"]) == 0
    shown = capsys.readouterr()
    assert "nothing to compile" in shown.out
    lines = shown.err.splitlines()
    assert "porta_nigra: many games, 0 functions compiled" in lines
    assert len(lines) <= 2 * len(cache.STEPS) + 1, "a log gets a line for each step"
    done = subprocess.run([sys.executable, "-c", PLAYS], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == ["0"], done.stdout
    assert "compiling" not in done.stderr
