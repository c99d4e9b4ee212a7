"""The wheel: its contents, its metadata, and games and programs without the checkout; the names of extras."""

from __future__ import annotations

import ast
import inspect
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
from importlib.metadata import distribution, packages_distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from agents.web.page.rules import page_of
from porta_nigra_env.__main__ import COMMANDS, main
from porta_nigra_env.extras import EXTRAS, explanation
from porta_nigra_env.games import GAMES, game_class, make_game
from porta_nigra_env.players.names import names
from tests.parameters import first_by_default

ROOT = Path(__file__).parents[2]
PLAYED = {game: [f"{game} {name}" for name in names(make_game(game))] for game in GAMES}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
#: An agent and a network class of a user, for the installed package.
CUSTOM = """
import torch

from porta_nigra_env.agents.agent import Agent
from porta_nigra_env.agents.networks.network import PlayingNetwork, Shape, save_network
from porta_nigra_env.games import make_game


class Last(Agent):
    def act(self, view):
        return int(view.legal_ids()[-1])


class Net(PlayingNetwork):
    def __init__(self, shape):
        super().__init__(shape)
        self.policy = torch.nn.Linear(shape.observation_size, shape.num_actions)
        self.value = torch.nn.Linear(shape.observation_size, shape.seats)

    def forward(self, observations):
        return self.policy(observations), self.value(observations)


def save():
    game = make_game("porta_nigra", 2)
    save_network("mine.safetensors", Net(Shape.of(game)), [game])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built offline."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel, to be put on the path in front of the requirements of this environment."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return folder


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(file.read(name))


def test_it_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """There is one top-level name, and the published networks and ladders are included."""
    with zipfile.ZipFile(wheel) as file:
        sizes = {entry.filename: entry.file_size for entry in file.infolist()}
    assert {name.split("/")[0] for name in sizes if ".dist-info/" not in name} == {"porta_nigra_env"}
    networks = {file.relative_to(ROOT).as_posix() for game in GAMES for file in game_class(game).network_files()}
    assert {name for name in sizes if name.endswith(".safetensors")} == networks
    rest = sum(size for name, size in sizes.items() if name not in networks)
    assert rest < 4_400_000, "something large came in"
    assert not [name for name in sizes if name.endswith((".po", "LOG.md", "log.toml"))]
    documents = {path.name for path in (ROOT / "docs").glob("ladder*.json")} | {page_of(game).name for game in GAMES}
    assert {name.rpartition("/")[2] for name in sizes if name.startswith("porta_nigra_env/docs/")} == documents


def test_the_description_shows_no_file_of_the_checkout(wheel: Path) -> None:
    description = metadata(wheel).get_payload()
    assert isinstance(description, str)
    assert "pip install" in description
    assert "](" not in description
    assert "<img" not in description


def test_requirements_without_an_extra_are_light(wheel: Path) -> None:
    fields = metadata(wheel)
    assert fields["Author"]
    assert any("Python :: 3.11" in value for value in fields.get_all("Classifier", []))
    assert set(fields.get_all("Provides-Extra", [])) == set(EXTRAS)
    needed = {Requirement(text) for text in fields.get_all("Requires-Dist", [])}
    assert not {one.name for one in needed if one.marker is None} & {"torch", "msgspec", "matplotlib", "scipy"}


def test_every_module_of_an_extra_is_one_of_its_distributions() -> None:
    distributions = packages_distributions()
    for extra, modules in EXTRAS.items():
        texts = PROJECT["project"]["optional-dependencies"][extra]
        required = {canonicalize_name(Requirement(text).name) for text in texts} - {"porta-nigra-env"}
        installed = [module for module in modules if module in distributions]
        provided = {canonicalize_name(name) for module in installed for name in distributions[module]}
        # PyTorch's and pygame's modules are in several distributions.
        assert len(installed) < len(modules) or required <= provided, extra


@pytest.mark.parametrize("module", [module for modules in EXTRAS.values() for module in modules])
def test_a_missing_module_is_explained(module: str) -> None:
    (extra,) = (extra for extra, modules in EXTRAS.items() if module in modules)
    sentence = explanation(ModuleNotFoundError(name=f"{module}.part"))
    assert sentence.startswith(f"{module} is not installed: make .venv")
    assert sentence.endswith(f"pip install 'porta-nigra-env[{extra}]'")
    assert explanation(ModuleNotFoundError(name="another")) == explanation(ImportError(name=module)) == ""


def without(module: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m`` in the checkout, in an environment where a module is missing."""
    blocked = f"import sys; sys.modules[{module!r}] = None"
    program = f"{blocked}; sys.argv[:] = ['-m']; import runpy; import {command[0].partition('.')[0]}; "
    program += f"sys.argv[:] = {list(command)!r}; runpy.run_module({command[0]!r}, run_name='__main__', alter_sys=True)"
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("matplotlib", ("agents.arena.analysis", "random", "--games", "2", "--out", "nowhere")),
        ("torch", ("training.ppo", "--out", "nowhere")),
        ("uvicorn", ("agents.web.serve", "random", "--port", "0", "--keep-in", "/tmp/porta-nigra-unused")),
        ("optuna", ("training.sweep",)),
    ],
)
def test_a_program_without_its_extra_ends_with_one_sentence(module: str, command: tuple[str, ...]) -> None:
    done = without(module, *command)
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.startswith(
        f"error: {module} is not installed: make .venv/train in the checkout, or pip install "
    )
    assert done.stderr.count("\n") == 1


def test_the_command_runs_every_program_and_refuses_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["unknown"]) == 2
    assert "tournament    agents.tournament  [agents]" in capsys.readouterr().err
    assert main(["--help"]) == 0
    assert "usage: porta-nigra COMMAND" in capsys.readouterr().out
    assert all(find_spec(module) is not None for module, _ in COMMANDS.values())
    assert {extra for _, extra in COMMANDS.values() if extra} <= set(EXTRAS)


def skeleton(text: str) -> str:
    """Return the syntax tree of a source without imports and strings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        elif isinstance(node, ast.ImportFrom):
            node.module = ""
    return ast.dump(tree)


def test_programs_in_the_wheel_differ_in_names_of_modules_only(unpacked: Path) -> None:
    sources = [path for package in ("agents", "training") for path in (ROOT / package).rglob("*.py")]
    assert len(sources) > 100
    for path in sources:
        copy = (unpacked / "porta_nigra_env" / path.relative_to(ROOT)).read_text(encoding="utf-8")
        assert skeleton(copy) == skeleton(path.read_text(encoding="utf-8")), path


def run(python: str, folder: Path, *command: str, **variables: str) -> str:
    """Return the output of Python in a folder and environment without the checkout."""
    variables = {**{key: value for key, value in os.environ.items() if key != "PYTHONPATH"}, **variables}
    # Only requirements of this environment are on its path, and no file of the checkout.
    done = subprocess.run([python, *command], cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_of_the_wheel_can_be_imported(unpacked: Path, tmp_path: Path) -> None:
    program = """
import importlib, pkgutil, sys
import porta_nigra_env
libraries = (".ray_executor", ".mcp_door", ".openenv_door", ".verifiers_door")
for module in pkgutil.walk_packages(porta_nigra_env.__path__, "porta_nigra_env."):
    if not any(part in module.name for part in (".__main__", ".cuda", ".gpu", *libraries)):
        importlib.import_module(module.name)
print(porta_nigra_env.__file__, sorted({name.split(".")[0] for name in sys.modules} & {"agents", "training", "tests"}))
"""
    path = os.pathsep.join([str(unpacked), *(entry for entry in sys.path if entry.endswith("-packages"))])
    output = run(sys.executable, tmp_path, "-S", "-c", program, PYTHONPATH=path)
    assert output.split() == [str(unpacked / "porta_nigra_env" / "__init__.py"), "[]"]


def test_the_wheel_plays_custom_agents_and_networks(unpacked: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(unpacked), *(entry for entry in sys.path if entry.endswith("-packages"))])
    (tmp_path / "mine.py").write_text(CUSTOM, encoding="utf-8")
    variables = {"PYTHONPATH": path, "PORTA_NIGRA_NETWORK_CLASSES": "mine:Net"}
    run(sys.executable, tmp_path, "-S", "-c", "import mine; mine.save()", **variables)
    agents = ("mine:Last", "network:checkpoint=mine.safetensors")
    command = ("-S", "-m", "porta_nigra_env", "tournament", *agents, "--games", "2", "--out", "results")
    assert "Report: results/report.md" in run(sys.executable, tmp_path, *command, **variables)
    # A network for any component set: its class is one of the package.
    drawn = ("-S", "-m", "porta_nigra_env", "tournament", "network", "random", "--components", "varied:3")
    shown = run(sys.executable, tmp_path, *drawn, "--games", "2", "--out", "drawn", **variables)
    assert "Report: drawn/report.md" in shown


def play_names(titles: list[str]) -> None:
    """Print the package folder, the importable folders of the checkout, and the opponents played against in games."""
    import importlib.util
    import json

    import porta_nigra_env
    from porta_nigra_env.envs.batch import BatchEnv
    from porta_nigra_env.envs.gymnasium import SeatEnv
    from porta_nigra_env.games import make_game
    from porta_nigra_env.players.names import names

    played = []
    for title in titles:
        game = make_game(title)
        for name in names(game):
            single = SeatEnv(game, 0, opponents=name)
            single.reset(seed=1)
            batch = BatchEnv(game, 2, seat=0, opponents=name)
            batch.reset(seed=1)
            for _ in range(10):
                single.step(int(single.action_masks().argmax()))
                batch.step(batch.action_masks.argmax(axis=1))
            played.append(f"{title} {name}")
    found = [name for name in ("torch", "agents", "training", "benchmarks", "tests") if importlib.util.find_spec(name)]
    print(json.dumps({"package": porta_nigra_env.__path__[0], "found": found, "played": played}))


def played(python: str, folder: Path, titles: list[str]) -> dict[str, Any]:
    """Return the output of `play_names` in another environment."""
    program = f"from __future__ import annotations\n{inspect.getsource(play_names)}\nplay_names({titles})"
    found: dict[str, Any] = json.loads(run(python, folder, "-P", "-c", program))
    return found


# Nothing is compiled yet in a new environment: most of a minute for a game.
@pytest.mark.parametrize("game", first_by_default(GAMES))
def test_an_installed_wheel_plays_every_name_without_torch(wheel: Path, tmp_path: Path, game: str) -> None:
    """A new environment has only links to the wheel's requirements."""
    python = environment(tmp_path)
    asked = [python, "-c", "import site; print(site.getsitepackages()[0])"]
    site = Path(subprocess.check_output(asked, text=True).strip())
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    for name in needed(metadata(wheel).get_all("Requires-Dist", [])):
        for top in {Path(str(file)).parts[0] for file in distribution(name).files or ()} - {"..", "__pycache__"}:
            (site / top).symlink_to(str(distribution(name).locate_file(top)))
    found = played(python, tmp_path, [game])
    assert found == {"package": str(site / "porta_nigra_env"), "found": [], "played": PLAYED[game]}


@pytest.mark.long
@pytest.mark.parametrize("editable", [False, True])
def test_pip_installs_the_package_and_it_plays(wheel: Path, tmp_path: Path, editable: bool) -> None:
    """The same by `pip install`, with everything from the index and the pip of this Python."""
    python = environment(tmp_path, with_pip=True)
    what = ["-e", f"{ROOT}[render]"] if editable else [str(wheel)]
    run(python, tmp_path, "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt"), *what)
    found = played(python, tmp_path, list(GAMES))
    assert (found["found"], found["played"]) == ([], [name for names in PLAYED.values() for name in names])
    assert str(ROOT if editable else tmp_path) in found["package"]
    assert "builder" in run(str(Path(python).with_name("porta-nigra")), tmp_path, "agents")


def environment(folder: Path, with_pip: bool = False) -> str:
    """Return the interpreter of a new virtual environment."""
    venv.create(folder / "venv", with_pip=with_pip, symlinks=True)
    return str(folder / "venv" / "bin" / "python")


def needed(requirements: Iterable[str]) -> set[str]:
    """Return the distributions of these requirements with their own requirements, without extras."""
    found: set[str] = set()
    waiting = list(requirements)
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += distribution(name).requires or ()
    return found
