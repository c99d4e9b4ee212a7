"""The wheel: its contents, its metadata, and games without torch and without the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from email.message import Message
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from porta_nigra_env.games import GAMES, game_class, make_game
from porta_nigra_env.players.names import names

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("against_players.py")
PLAYED = [f"{game} {name}" for game in GAMES for name in names(make_game(game))]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built offline."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as file:
        (name,) = (one for one in file.namelist() if one.endswith(".dist-info/METADATA"))
        return message_from_bytes(file.read(name))


def test_it_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """There is one top-level name, and the published networks are included."""
    with zipfile.ZipFile(wheel) as file:
        sizes = {one.filename: one.file_size for one in file.infolist()}
    assert {name.split("/")[0] for name in sizes if ".dist-info/" not in name} == {"porta_nigra_env"}
    networks = {file.relative_to(ROOT).as_posix() for game in GAMES for file in game_class(game).networks().values()}
    assert {name for name in sizes if name.endswith(".safetensors")} == networks
    rest = sum(size for name, size in sizes.items() if name not in networks)
    assert rest < 2_000_000, "something large came in"


def test_extras_are_requirements_of_the_package(wheel: Path) -> None:
    """Requirements of the rest of the checkout are not extras."""
    said = metadata(wheel)
    assert said["Author"]
    assert any("Python :: 3.11" in one for one in said.get_all("Classifier", []))
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert {"agents", "train", "dev"} <= set(groups)
    extras = set(said.get_all("Provides-Extra", []))
    assert "sb3" in extras
    assert not extras & set(groups)
    asked = {Requirement(one).name for one in said.get_all("Requires-Dist", [])}
    assert not asked & {"torch", "msgspec", "matplotlib"}


def played(python: str, folder: Path, **variables: str) -> dict[str, Any]:
    """Return the output of the program, in a folder and environment without the checkout."""
    variables = {**{key: value for key, value in os.environ.items() if key != "PYTHONPATH"}, **variables}
    # -P: not even the program's own folder is on the path.
    command = [python, "-P", str(PROGRAM)]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_an_installed_wheel_plays_every_name_without_torch(wheel: Path, tmp_path: Path) -> None:
    """A new environment has only links to the wheel's requirements."""
    python = environment(tmp_path)
    asked = [python, "-c", "import site; print(site.getsitepackages()[0])"]
    site = Path(subprocess.check_output(asked, text=True).strip())
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    for name in needed(metadata(wheel).get_all("Requires-Dist", [])):
        for top in {Path(str(one)).parts[0] for one in distribution(name).files or ()} - {"..", "__pycache__"}:
            (site / top).symlink_to(str(distribution(name).locate_file(top)))
    found = played(python, tmp_path)
    assert found == {"package": str(site / "porta_nigra_env"), "found": [], "played": PLAYED}


@pytest.mark.long
def test_pip_installs_the_wheel_and_it_plays(wheel: Path, tmp_path: Path) -> None:
    """The same by `pip install`, with everything from the index."""
    python = environment(tmp_path, with_pip=True)
    limits = ["-c", str(ROOT / "constraints.txt")]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *limits, str(wheel)], cwd=tmp_path, check=True)
    found = played(python, tmp_path)
    assert found["found"] == []
    assert found["played"] == PLAYED
    assert str(tmp_path) in found["package"]


def environment(folder: Path, with_pip: bool = False) -> str:
    """A new virtual environment; its interpreter."""
    venv.create(folder / "venv", with_pip=with_pip, symlinks=True)
    return str(folder / "venv" / "bin" / "python")


def needed(requirements: Iterable[str]) -> set[str]:
    """Return the distributions of these requirements with their own requirements, without extras."""
    found: set[str] = set()
    waiting = list(requirements)
    while waiting:
        one = Requirement(waiting.pop())
        name = canonicalize_name(one.name)
        if name not in found and (one.marker is None or one.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += distribution(name).requires or ()
    return found
