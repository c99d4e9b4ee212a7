"""Read the sources for the house rules: names of games, numbers of players, imports, lengths of files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from porta_nigra_env.games import GAMES, GameEntry

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "porta_nigra_env"
#: Folders of code that is not a test.
PRODUCTION: Final = ("porta_nigra_env", "agents", "training", "benchmarks")
#: Names of the package, not of a game: the package, the distribution, its command, environment variables.
OWN_NAMES: Final = re.compile(r"\bporta_nigra_env(?![a-z])|\bporta-nigra(?:-env)?\b|\bPORTA_NIGRA_[A-Z_]+\b")


def files(*paths: str) -> list[Path]:
    """Return all Python files among some files and folders of the checkout."""
    roots = [ROOT / path for path in paths]
    return sorted(file for root in roots for file in ([root] if root.is_file() else root.rglob("*.py")))


def general_files() -> list[Path]:
    """Return the code that may not name a game: without folders named after one, the list of games, and `<game>_v0`."""
    packages = [
        root / name for name in GAMES for root in (PACKAGE / "games", *(ROOT / folder for folder in PRODUCTION))
    ]
    named = {PACKAGE / "games" / "__init__.py", PACKAGE / "__init__.py"}
    named |= {PACKAGE / f"{name}_v{entry.version}.py" for name, entry in GAMES.items()}
    return [
        path
        for path in files(*PRODUCTION)
        if path not in named and not any(package in path.parents for package in packages)
    ]


def names_of(name: str, entry: GameEntry) -> list[str]:
    """Return the ways in which a text may name a game."""
    title = name.replace("_", " ").title()
    return list(dict.fromkeys([name, name.replace("_", "-"), name.upper(), entry.game_class, title]))


def games_named(text: str, games: dict[str, GameEntry] = GAMES) -> list[str]:
    """Return the lines of a source that name a game, with their numbers."""
    names = [variant for name, entry in games.items() for variant in names_of(name, entry)]
    pattern = re.compile("|".join(map(re.escape, names)))
    lines = enumerate(OWN_NAMES.sub("", text).splitlines(), 1)
    return [f"line {number}: {line.strip()}" for number, line in lines if pattern.search(line)]


def seats_written(text: str) -> list[str]:
    """Return the literal numbers of players in a source: 2, 3, 4 in brackets of any kind, or a name SEATS."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            numbers = [one.value if isinstance(one, ast.Constant) else None for one in node.elts]
            if len(numbers) > 2 and numbers == list(range(2, 2 + len(numbers))):
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.Name) and node.id == "SEATS":
            found.append(f"line {node.lineno}: SEATS")
        elif isinstance(node, ast.ImportFrom) and any(one.name == "SEATS" for one in node.names):
            found.append(f"line {node.lineno}: import of SEATS")
    return found


def imports(text: str) -> Iterator[str]:
    """Yield the full names of all imports of a source."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{one.name}" for one in node.names)


def other_packages(text: str, own: str, games: Iterable[str] = GAMES) -> list[str]:
    """Return the imports of a source in the game package `own` from other game packages or their tests."""
    found = []
    for name in imports(text):
        package = re.match(r"(?:porta_nigra_env|tests)\.games\.(\w+)", name) or re.match(r"agents\.(\w+)", name)
        if package and package[1] != own and package[1] in games:
            found.append(name)
    return found


def lengths(*paths: str) -> dict[str, int]:
    """Return the number of lines of every file."""
    return {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files(*paths)}
