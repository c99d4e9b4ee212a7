"""Try the distributions of a release: ``python -m tests.package dist``.

Each wheel is installed into an empty environment of every Python named, without torch.  There every game takes its
first steps through the AEC, Gymnasium and batch APIs.  A list of the contents and a bill of materials (CycloneDX) of
the environment are written next to the wheel.

``--code`` first adds a wheel with machine code (`core.compile.prebuilt`) for each Python.  Such a wheel must take its
first steps without compiling, and play the same games as code that is compiled there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import tyro

from porta_nigra_env.core.files import write_whole

#: The largest wheel that a package index and a slow connection take without complaint, in bytes.
LARGEST: Final = 12_000_000

#: Levels of the code in wheels: those of CPUs since about 2009. Code for x86-64-v4 is not faster (docs/speed.md).
LEVELS: Final = ("x86-64-v2", "x86-64-v3")

FIRST_STEPS: Final = """
import importlib.util
import gymnasium
import porta_nigra_env
from porta_nigra_env import aquileia_v0, gloria_mundi_v0, porta_nigra_v0

assert importlib.util.find_spec("torch") is None
for module, name in ((porta_nigra_v0, "PortaNigra"), (aquileia_v0, "Aquileia"), (gloria_mundi_v0, "GloriaMundi")):
    aec = module.env()
    aec.reset(seed=1)
    aec.step(int(aec.last()[0]["action_mask"].argmax()))
    single = gymnasium.make(f"{name}-v0", opponents="network")
    single.step(int(single.reset(seed=1)[1]["action_mask"].argmax()))
    batch = module.batch_env(64)
    batch.reset(seed=1)
    batch.step(batch.random_actions())
print(porta_nigra_env.__version__, porta_nigra_env.__file__)
"""
#: Before `FIRST_STEPS`: fails at the first compilation.
COMPILES_NOTHING: Final = """
import numba.core.event
class Refusal(numba.core.event.Listener):
    def on_start(self, event):
        raise AssertionError(f"compiled: {event.data}")
    def on_end(self, event):
        pass
numba.core.event.register("numba:compile", Refusal())
"""
#: Prints a digest of 10**5 rows of each game.
DIGEST: Final = """
import hashlib
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import GAMES, make_game
digest = hashlib.sha256()
for name in GAMES:
    with BatchEnv(make_game(name), 1000) as batch:
        batch.reset(seed=1)
        for _ in range(100):
            batch.step(batch.random_actions())
            for array in (batch.observations, batch.action_masks, batch.rewards):
                digest.update(array.tobytes())
print(digest.hexdigest())
"""


@dataclass(frozen=True)
class Options:
    """Install every wheel of a folder into empty environments and play first steps of all games."""

    folder: Annotated[Path, tyro.conf.Positional]
    """Folder of the wheels."""
    python: tuple[str, ...] = (sys.executable,)
    """Interpreters to try."""
    code: bool = False
    """First add a wheel with machine code for each interpreter."""


def contents(wheel: Path) -> str:
    """Return the sizes and names of a wheel's files, the largest first; ValueError for a wheel that is too large."""
    size = wheel.stat().st_size
    if size > LARGEST:
        raise ValueError(f"{wheel}: {size:,} bytes, at most {LARGEST:,} are allowed")
    with zipfile.ZipFile(wheel) as file:
        entries = sorted(file.infolist(), key=lambda entry: -entry.compress_size)
    lines = [f"{entry.compress_size:>10,}  {entry.filename}" for entry in entries]
    return "\n".join([f"{wheel.name}: {size:,} bytes, {len(entries)} files", *lines, ""])


@contextmanager
def installed(wheel: Path, python: str) -> Iterator[tuple[Path, str]]:
    """An empty environment with a wheel: its folder and its interpreter. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        inside = f"{folder}/env/bin/python"
        subprocess.run([python, "-m", "venv", "--without-pip", f"{folder}/env"], check=True)
        pip = [sys.executable, "-m", "pip", "--python", inside, "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", wheel], check=True)
        yield Path(folder), inside


def output(python: str, folder: Path, program: str, **environment: str) -> str:
    """Run a program with an empty cache; return its output. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as cache:
        return subprocess.run(
            [python, "-c", program], cwd=folder, check=True, stdout=subprocess.PIPE, text=True,
            env={"PATH": "/usr/bin:/bin", "PORTA_NIGRA_CACHE_DIR": cache, **environment},
        ).stdout.strip()  # fmt: skip


def tag(python: str) -> str:
    """Return the wheel tag of an interpreter."""
    return output(python, Path.cwd(), "import sys; print('cp%d%d' % sys.version_info[:2])")


def add_code(wheel: Path, python: str) -> Path:
    """Write a wheel with machine code for an interpreter next to a wheel without; return it.

    Raises:
        CalledProcessError: a step failed; its output is shown.
    """
    with installed(wheel, python) as (folder, inside):
        subprocess.run([inside, "-m", "porta_nigra_env.cache", "build", "--level", *LEVELS], check=True, cwd=folder)
        built = output(inside, folder, "from porta_nigra_env.core.compile.prebuilt import ARCHIVES; print(ARCHIVES)")
        tools = [sys.executable, "-m", "wheel"]
        subprocess.run([*tools, "unpack", wheel, "--dest", folder / "unpacked"], check=True)
        (unpacked,) = (folder / "unpacked").iterdir()
        shutil.copytree(built, unpacked / "porta_nigra_env" / "prebuilt")
        subprocess.run([*tools, "pack", unpacked, "--dest-dir", folder], check=True)
        # The code calls nothing outside numba: any Linux that numba runs on will do.
        tags = ["--python-tag", tag(python), "--abi-tag", "none", "--platform-tag", "manylinux_2_17_x86_64"]
        done = subprocess.run(
            [*tools, "tags", *tags, folder / wheel.name], check=True, stdout=subprocess.PIPE, text=True
        )
        return Path(shutil.copy(folder / done.stdout.strip(), wheel.parent))


def materials(python: str) -> str:
    """Return the bill of materials of an interpreter's environment. Raises CalledProcessError."""
    command = [sys.executable, "-m", "cyclonedx_py", "environment", python]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def try_out(wheel: Path, python: str) -> str:
    """Install a wheel into an empty environment, play, and write its bill of materials; return version and path.

    Raises:
        CalledProcessError: a step failed; its output is shown.
        ValueError: machine code of the wheel plays other games than code that is compiled there.
    """
    with installed(wheel, python) as (folder, inside):
        is_prebuilt = not wheel.stem.endswith("-any")
        played = output(inside, folder, COMPILES_NOTHING * is_prebuilt + FIRST_STEPS)
        if is_prebuilt:
            digests = {level: output(inside, folder, DIGEST, PORTA_NIGRA_PREBUILT=level) for level in ("0", *LEVELS)}
            if len(set(digests.values())) > 1:
                raise ValueError(f"games differ: {digests}")
        write_whole(wheel.with_suffix(".cdx.json"), materials(inside))
    return played


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if a wheel fails."""
    options = tyro.cli(Options, args=argv, prog="python -m tests.package", description=Options.__doc__)
    wheels = sorted(options.folder.glob("*.whl"))
    if not wheels:
        print(f"{options.folder}: there is no wheel", file=sys.stderr)
        return 1
    wheel = wheels[0]
    try:
        if options.code:
            wheels += [add_code(wheel.resolve(), python) for python in options.python]
        for wheel in wheels:
            listed = contents(wheel)
            write_whole(wheel.with_suffix(".contents.txt"), listed)
            print(listed.partition("\n")[0])
            for python in options.python:
                if wheel.stem.endswith("-any") or f"-{tag(python)}-" in wheel.name:
                    print(f"  {python}: {try_out(wheel.resolve(), python)}", flush=True)
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"{wheel}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
