"""Games of other distributions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from porta_nigra_env import GameEntry, register_game
from porta_nigra_env.games import GAMES, game_entry

ROOT = Path(__file__).parents[2]
ENTRY = GameEntry("outside_game", "Nim", (2,), environments="outside_game")
# A distribution with a game, and one with a broken entry point.
FILES = {
    "outside.py": """
from porta_nigra_env.games import GameEntry
ENTRY = GameEntry("outside_game", "Nim", (2,), environments="outside_game")
""",
    "outside_game.py": """
from porta_nigra_env.core.game import state
from porta_nigra_env.envs.make import Factories
from tests.toys.nim.game import Nim
class State(state.State):
    __slots__ = ()
    game_class = Nim
_FACTORIES = Factories(Nim)
env, seat_env, vector_env = _FACTORIES.env, _FACTORIES.seat_env, _FACTORIES.vector_env
""",
    "outside-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n",
    "outside-1.0.dist-info/entry_points.txt": "[porta_nigra_env.games]\nnim = outside:ENTRY\n",
    "broken-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n",
    "broken-1.0.dist-info/entry_points.txt": "[porta_nigra_env.games]\nlost = nowhere:ENTRY\n",
}
PROGRAM = """
import sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import porta_nigra_env
print(*(warning.message for warning in caught))
print("numba" in sys.modules, "outside_game" in sys.modules, "nim" in porta_nigra_env.games.GAMES)
import gymnasium
import pettingzoo
from porta_nigra_env import demo, make_game, nim_v0
from porta_nigra_env.games import state_class
single = gymnasium.make("Nim-v0", opponents="random")
_, info = single.reset(seed=1)
single.step(int(info["action_mask"].argmax()))
print(single.unwrapped.game, nim_v0.__name__, state_class("nim").new(seed=1).action_text(0), make_game("nim").name)
print(type(nim_v0.env().unwrapped).__name__, "nim-v0" in getattr(pettingzoo, "aec_registry", ["nim-v0"]))
sys.exit(demo.main(["--game", "nim", "--games", "2"]))
"""


def test_an_entry_point_registers_a_game(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("the game 'lost' of nowhere:ENTRY is not registered: ModuleNotFoundError(")
    assert lines[1:4] == ["False False True", "Nim(num_players=2) outside_game take 1 nim", "GameAEC True"]
    assert "one game of random players" in done.stdout


@pytest.fixture
def unregistered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget registered games after the test."""
    for registry in (GAMES, __import__("gymnasium").registry, getattr(__import__("pettingzoo"), "aec_registry", {})):
        for name in ("outside_nim", "OutsideNim-v0", "outside_nim-v0"):
            monkeypatch.setitem(registry, name, None)
            monkeypatch.delitem(registry, name)


@pytest.mark.usefixtures("unregistered")
def test_a_game_is_registered_once() -> None:
    register_game("outside_nim", ENTRY)
    register_game("outside_nim", ENTRY)
    assert game_entry("outside_nim") is ENTRY
    with pytest.raises(ValueError, match="there is another game 'outside_nim', of outside_game"):
        register_game("outside_nim", ENTRY._replace(seats=(2, 3)))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("Nim", {}, "'Nim' is not a name"),
        ("porta_nigra", {}, "there is another game 'porta_nigra', of porta_nigra_env"),
        ("outside_nim", {"environments": ""}, "name the module of the environments"),
        ("outside_nim", {"seats": ()}, "`seats` must be ascending numbers"),
        ("outside_nim", {"seats": (3, 2)}, "`seats` must be ascending numbers"),
    ],
)
def test_invalid_registrations_are_refused(name: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        register_game(name, ENTRY._replace(**change))
    assert "outside_nim" not in GAMES
