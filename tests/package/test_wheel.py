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
PLAYED = [f"{game_name} {name}" for game_name in GAMES for name in names(make_game(game_name))]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of this checkout without network access."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as file:
        (name,) = (entry for entry in file.namelist() if entry.endswith(".dist-info/METADATA"))
        return message_from_bytes(file.read(name))


def test_the_wheel_contains_only_the_package(wheel: Path) -> None:
    """Other top-level names could collide with other packages; the networks of named players are included."""
    with zipfile.ZipFile(wheel) as file:
        sizes = {entry.filename: entry.file_size for entry in file.infolist()}
    assert {name.split("/")[0] for name in sizes if ".dist-info/" not in name} == {"porta_nigra_env"}
    networks = {file.relative_to(ROOT).as_posix() for name in GAMES for file in game_class(name).networks().values()}
    assert {name for name in sizes if name.endswith(".safetensors")} == networks
    rest = sum(size for name, size in sizes.items() if name not in networks)
    assert rest < 2_000_000, "the wheel contains a large file"


def test_extras_contain_only_dependencies_of_the_package(wheel: Path) -> None:
    """Dependencies of the rest of the checkout are dependency groups, not extras."""
    fields = metadata(wheel)
    assert fields["Author"]
    assert any("Python :: 3.11" in classifier for classifier in fields.get_all("Classifier", []))
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert {"agents", "train", "dev"} <= set(groups)
    extras = set(fields.get_all("Provides-Extra", []))
    assert "sb3" in extras
    assert not extras & set(groups)
    required = {Requirement(entry).name for entry in fields.get_all("Requires-Dist", [])}
    assert not required & {"torch", "msgspec", "matplotlib"}


def play(python: str, folder: Path, **variables: str) -> dict[str, Any]:
    """Return the output of the program in a folder and environment without the checkout."""
    variables = {**{key: value for key, value in os.environ.items() if key != "PYTHONPATH"}, **variables}
    # -P: the folder of the program is not on the path either.
    command = [python, "-P", str(PROGRAM)]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    output: dict[str, Any] = json.loads(done.stdout)
    return output


def test_an_installed_wheel_plays_every_name_without_torch(wheel: Path, tmp_path: Path) -> None:
    """The fresh environment links only the declared dependencies of the wheel from this environment."""
    python = environment(tmp_path)
    command = [python, "-c", "import site; print(site.getsitepackages()[0])"]
    site = Path(subprocess.check_output(command, text=True).strip())
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    for name in resolve(metadata(wheel).get_all("Requires-Dist", [])):
        for top in {Path(str(file)).parts[0] for file in distribution(name).files or ()} - {"..", "__pycache__"}:
            (site / top).symlink_to(str(distribution(name).locate_file(top)))
    output = play(python, tmp_path)
    assert output == {"package": str(site / "porta_nigra_env"), "found": [], "played": PLAYED}


@pytest.mark.long
def test_pip_installs_the_wheel_and_it_plays(wheel: Path, tmp_path: Path) -> None:
    """`pip install` takes all dependencies from the index."""
    python = environment(tmp_path, with_pip=True)
    limits = ["-c", str(ROOT / "constraints.txt")]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *limits, str(wheel)], cwd=tmp_path, check=True)
    output = play(python, tmp_path)
    assert output["found"] == []
    assert output["played"] == PLAYED
    assert str(tmp_path) in output["package"]


def environment(folder: Path, with_pip: bool = False) -> str:
    """Create a virtual environment and return its interpreter."""
    venv.create(folder / "venv", with_pip=with_pip, symlinks=True)
    return str(folder / "venv" / "bin" / "python")


def resolve(requirements: Iterable[str]) -> set[str]:
    """Return the distributions of these requirements and their dependencies, without extras."""
    distributions: set[str] = set()
    waiting = list(requirements)
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name not in distributions and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            distributions.add(name)
            waiting += distribution(name).requires or ()
    return distributions
