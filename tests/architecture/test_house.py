"""Automatic checks of the architecture rules."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from porta_nigra_env.games import GAMES, GameEntry, game_class, game_entry, make_game, state_class
from tests.architecture.measure import import_cycles
from tests.architecture.sources import (
    PACKAGE,
    PRODUCTION,
    ROOT,
    files,
    games_named,
    general_files,
    lengths,
    other_packages,
    seats_written,
)

SOURCES = files(*PRODUCTION, "tests")
KERNELS = [path for name in GAMES for path in sorted((PACKAGE / "games" / name / "rules").glob("*.py"))]

every_game = pytest.mark.parametrize("name", GAMES)
every_kernel_file = pytest.mark.parametrize("path", KERNELS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
every_general_file = pytest.mark.parametrize("path", general_files(), ids=lambda path: str(path.relative_to(ROOT)))


# ------------------------------------------------------------------------------------------------ game packages


@every_game
def test_the_list_of_games_matches_the_game_package(name: str) -> None:
    entry, game = game_entry(name), game_class(name)
    assert (game.name, game.__name__, game.version, game.seats) == (name, entry.game_class, entry.version, entry.seats)
    assert state_class(name).game_class is game
    assert entry.module.startswith(f"porta_nigra_env.games.{name}.")


@every_game
def test_a_game_package_has_a_kernel_and_tests(name: str) -> None:
    assert any(path.parents[1].name == name for path in KERNELS)
    for folder in ("rules", "golden", "perft", "mutants"):
        assert list((ROOT / "tests" / "games" / name / folder).glob("*.py")), folder


@every_game
def test_every_ruling_is_stated_and_cited_by_a_test(name: str) -> None:
    rulings = import_module(f"tests.games.{name}.rulings")
    known = {str(number) for number in range(1, rulings.LAST + 1)}
    page = (ROOT / rulings.PAGE).read_text(encoding="utf-8")
    assert set(re.findall(rf"\*\*{rulings.PREFIX}(\d+)\*\*", page)) == known
    cited = set()
    for path in (ROOT / "tests" / "games" / name / "rules").glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                text = f"{node.name.replace('_', ' ')} {ast.get_docstring(node) or ''}"
                cited.update(re.findall(rf"\b{rulings.PREFIX}(\d+)\b", text))
    assert known <= cited


@every_game
def test_the_state_has_no_padding_and_descending_widths(name: str) -> None:
    dtype = game_class(name).dtype
    assert dtype.fields is not None
    assert sum(field.itemsize for field, *_ in dtype.fields.values()) == dtype.itemsize
    widths = [field.base.itemsize for field, *_ in dtype.fields.values()]
    assert widths == sorted(widths, reverse=True)
    assert dtype.itemsize % 8 == 0, "rows of a batch must stay aligned"


@every_game
def test_a_state_is_small(name: str) -> None:
    assert game_class(name).dtype.itemsize <= 512


@every_game
def test_kernel_arithmetic_is_signed(name: str) -> None:
    # numba silently converts a mix of uint64 and int64 to float64.
    for dtype in (game_class(name).dtype, make_game(name).constants.dtype):
        assert dtype.fields is not None
        kinds = {field: kind.base.kind for field, (kind, *_) in dtype.fields.items() if field != "digest"}
        assert set(kinds.values()) == {"i"}, kinds


@every_kernel_file
def test_kernel_functions_neither_raise_nor_allocate(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    compiled = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(mark) == "jit" for mark in node.decorator_list)
    ]
    for function in compiled:
        assert ast.get_docstring(function), f"{function.name} has no docstring"
        for node in ast.walk(function):
            forbidden = ast.Raise | ast.Try | ast.With | ast.List | ast.Dict | ast.Set | ast.ListComp | ast.Assert
            assert not isinstance(node, forbidden), f"{path.name}: {function.name} line {node.lineno}"
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("np."):
                assert ast.unparse(node.func) == "np.uint64", f"{path.name}: {function.name} allocates"


@every_kernel_file
def test_no_action_id_or_number_of_the_game_is_written_in_the_kernel(path: Path) -> None:
    # Small integers are indices and bits; a larger one would be a hard-coded price, id or deck size.
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            assert node.value <= 12, f"{path.name} line {node.lineno}: {node.value}"


# ------------------------------------------------------------------------------------------------ general code


@every_general_file
def test_general_code_names_no_game(path: Path) -> None:
    assert games_named(path.read_text(encoding="utf-8")) == []


@every_general_file
def test_general_code_hard_codes_no_numbers_of_players(path: Path) -> None:
    assert seats_written(path.read_text(encoding="utf-8")) == []


@every_game
def test_game_packages_do_not_import_each_other(name: str) -> None:
    own = files(f"porta_nigra_env/games/{name}", f"agents/{name}", f"tests/games/{name}")
    assert own
    imported = {path.name: other_packages(path.read_text(encoding="utf-8"), name) for path in own}
    assert not {path: packages for path, packages in imported.items() if packages}


@pytest.mark.parametrize("path", lengths(*PRODUCTION))
def test_no_file_has_more_than_600_lines(path: str) -> None:
    assert lengths(path)[path] <= 600


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("from porta_nigra_env.core import game", 0),
        ("pip install porta-nigra-env", 0),
        ("PORTA_NIGRA_CACHE_DIR", 0),
        ("import gloria_mundi", 1),
        ("GloriaMundi()\n# Gloria Mundi\nGLORIA_MUNDI = 1", 3),
        ("gloria-mundi", 1),
    ],
)
def test_names_of_games_are_found(text: str, count: int) -> None:
    entries = {"gloria_mundi": GameEntry("porta_nigra_env.games.gloria_mundi.game", "GloriaMundi", (2, 3, 4, 5, 6))}
    assert len(games_named(text, entries)) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("players in (2, 3, 4)", 1),
        ("players in {2, 3, 4, 5}", 1),
        ("players = [2, 3, 4]", 1),
        ("from a import SEATS", 1),
        ("range(SEATS)", 1),
        ("shape = (2, 3)", 0),
        ("shape = (3, 4, 5)", 0),
        ("players in game.seats", 0),
    ],
)
def test_numbers_of_players_are_found(text: str, count: int) -> None:
    assert len(seats_written(text)) == count


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from porta_nigra_env.games.other.kernel import step", ["porta_nigra_env.games.other.kernel.step"]),
        ("from porta_nigra_env.games import other", ["porta_nigra_env.games.other"]),
        ("import tests.games.other.oracle", ["tests.games.other.oracle"]),
        ("from agents.other import heuristics", ["agents.other.heuristics"]),
        ("from porta_nigra_env.games.own.kernel import step", []),
        ("from agents.arena import report", []),
    ],
)
def test_imports_of_other_packages_are_found(text: str, found: list[str]) -> None:
    assert other_packages(text, "own", ("own", "other")) == found


def test_no_modules_import_each_other() -> None:
    assert not import_cycles()


def test_no_file_has_an_unspecific_name() -> None:
    assert not [path for path in SOURCES if path.stem in {"utils", "helpers", "common", "misc"}]


def test_import_is_light() -> None:
    program = "import sys, porta_nigra_env; from porta_nigra_env import State; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.strip() == "False"
