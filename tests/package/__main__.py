"""Try the distributions of a release: ``python -m tests.package dist``.

Each wheel is installed into an empty environment of every Python named, without torch.  There every game takes its
first steps through the AEC, Gymnasium and batch APIs.  A list of the contents and a bill of materials (CycloneDX) of
the environment are written next to the wheel.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import tyro

from porta_nigra_env.core.files import write_whole

#: The largest wheel that a package index and a slow connection take without complaint, in bytes.
LARGEST: Final = 12_000_000

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


@dataclass(frozen=True)
class Options:
    """Install every wheel of a folder into empty environments and play first steps of all games."""

    folder: Annotated[Path, tyro.conf.Positional]
    """Folder of the wheels."""
    python: tuple[str, ...] = (sys.executable,)
    """Interpreters to try."""


def contents(wheel: Path) -> str:
    """Return the sizes and names of a wheel's files, the largest first; ValueError for a wheel that is too large."""
    size = wheel.stat().st_size
    if size > LARGEST:
        raise ValueError(f"{wheel}: {size:,} bytes, at most {LARGEST:,} are allowed")
    with zipfile.ZipFile(wheel) as file:
        entries = sorted(file.infolist(), key=lambda entry: -entry.compress_size)
    lines = [f"{entry.compress_size:>10,}  {entry.filename}" for entry in entries]
    return "\n".join([f"{wheel.name}: {size:,} bytes, {len(entries)} files", *lines, ""])


def try_out(wheel: Path, python: str) -> str:
    """Install a wheel into an empty environment, play, and write its bill of materials; return version and path.

    Raises:
        CalledProcessError: a step failed; its output is shown.
    """
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", f"{folder}/env"], check=True)
        inside = f"{folder}/env/bin/python"
        subprocess.run([inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel], check=True)
        played = subprocess.run(
            [inside, "-c", FIRST_STEPS], cwd=folder, check=True, stdout=subprocess.PIPE, text=True,
            env={"PATH": "/usr/bin:/bin", "PORTA_NIGRA_CACHE_DIR": f"{folder}/cache"},
        ).stdout.strip()  # fmt: skip
        materials = subprocess.run(
            [sys.executable, "-m", "cyclonedx_py", "environment", inside], check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    write_whole(wheel.with_suffix(".cdx.json"), materials)
    return played


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if a wheel fails."""
    options = tyro.cli(Options, args=argv, prog="python -m tests.package", description=Options.__doc__)
    wheels = sorted(options.folder.glob("*.whl"))
    if not wheels:
        print(f"{options.folder}: there is no wheel", file=sys.stderr)
        return 1
    for wheel in wheels:
        try:
            listed = contents(wheel)
            write_whole(wheel.with_suffix(".contents.txt"), listed)
            print(listed.partition("\n")[0])
            for python in options.python:
                print(f"  {python}: {try_out(wheel.resolve(), python)}", flush=True)
        except (ValueError, OSError, subprocess.CalledProcessError) as error:
            print(f"{wheel}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
