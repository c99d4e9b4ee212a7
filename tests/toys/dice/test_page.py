"""The other code of docs/adding_a_game.md works; `tests.architecture.tables` writes the excerpts of this game."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from porta_nigra_env import games
from porta_nigra_env.games import GAMES, GameEntry, game_entry, make_game, state_class
from tests.architecture.tables import code_lines
from tests.toys.dice.game import Dice, State

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "adding_a_game.md").read_text(encoding="utf-8")
HOME = Path(__file__).parent
#: File name and code of every block.
BLOCKS = [
    (match[1], match[2]) for match in re.finditer(r"```python\n# (\S+\.py)(?:: \w+)?\n(.*?)```", PAGE, re.DOTALL)
]  # fmt: skip


def test_the_page_has_blocks_of_every_file() -> None:
    assert len(BLOCKS) == PAGE.count("```python")
    assert {"state.py", "kernel.py", "game.py"} <= {name for name, _ in BLOCKS}


def test_lines_of_code_are_neither_comments_nor_docstrings(tmp_path: Path) -> None:
    file = tmp_path / "some.py"
    documented = '"""Doc\n\nstring."""\n\n# comment\ndef f():\n    """Doc."""\n    return (\n        1\n    )\n'
    file.write_text(documented + 'x = """a\n\nb"""  # more\n\n')
    assert code_lines(file) == 1 + 3 + 3


def here(code: str) -> str:
    """Return the code of a block with this game in place of the package."""
    return code.replace("porta_nigra_env.games.dice", "tests.toys.dice")


def test_an_entry_in_the_list_registers_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = [code for name, code in BLOCKS if name == "porta_nigra_env/games/__init__.py"]
    monkeypatch.setattr(games, "GAMES", dict(GAMES))
    exec(here(line), {"GAMES": games.GAMES, "GameEntry": GameEntry})
    assert isinstance(make_game("dice", 6), Dice)
    assert state_class("dice") is State
    entry = game_entry("dice")
    assert (entry.seats, entry.version, entry.game_class) == (Dice.seats, Dice.version, Dice.__name__)


def test_the_module_exports_the_environments() -> None:
    (code,) = [code for name, code in BLOCKS if name == "porta_nigra_env/dice_v0.py"]
    module: Any = types.ModuleType("dice_v0")
    exec(here(code), module.__dict__)
    assert set(module.__all__) <= set(vars(module))
    env = module.raw_env(num_players=5)
    env.reset(seed=1)
    assert env.possible_agents == [f"player_{seat}" for seat in range(5)]
    assert module.batch_env(4, num_players=6).reset(seed=1).observations.shape == (4, Dice.observations.size)
    assert "dice_v0" not in sys.modules


def test_folders_and_programs_on_the_page_exist() -> None:
    assert len(set(re.findall(r"^\|`(\w+)/", PAGE, re.MULTILINE))) == 5
    for folder in re.findall(r"`(tests/\w+/)`", PAGE):
        assert (ROOT / folder).is_dir(), folder
    for program in re.findall(r"python -m ([\w.]+)", PAGE):
        path = ROOT / program.replace(".", "/")
        assert (path / "__main__.py").is_file() or path.with_suffix(".py").is_file(), program
