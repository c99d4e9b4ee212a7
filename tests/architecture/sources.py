"""What the sources say, as far as the rules of the house ask: names, numbers of players, imports, lengths."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from porta_nigra_env.games import GAMES, GameEntry

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "porta_nigra_env"
#: Folders of what is no test.
PRODUCTION: Final = ("porta_nigra_env", "agents", "training", "benchmarks")
#: What is named after the package, not after a game: the package, the distribution, environment variables.
OWN_NAMES: Final = re.compile(r"\bporta_nigra_env(?![a-z])|\bporta-nigra-env\b|\bPORTA_NIGRA_[A-Z_]+\b")


def files(*places: str) -> list[Path]:
    """All Python files at some places of the checkout, files or folders."""
    found = [ROOT / place for place in places]
    return sorted(file for place in found for file in ([place] if place.is_file() else place.rglob("*.py")))


def general_files() -> list[Path]:
    """Production code that may not know a game: all but folders that are called as one, the list of games, and the
    modules that name a game's version."""
    rooms = [root / name for name in GAMES for root in (PACKAGE / "games", *(ROOT / folder for folder in PRODUCTION))]
    named = {PACKAGE / "games" / "__init__.py", PACKAGE / "__init__.py"}
    named |= {PACKAGE / f"{name}_v{room.version}.py" for name, room in GAMES.items()}
    return [
        path for path in files(*PRODUCTION) if path not in named and not any(room in path.parents for room in rooms)
    ]


def names_of(name: str, room: GameEntry) -> list[str]:
    """How a text may call a game."""
    title = name.replace("_", " ").title()
    return list(dict.fromkeys([name, name.replace("_", "-"), name.upper(), room.game_class, title]))


def games_named(text: str, games: dict[str, GameEntry] = GAMES) -> list[str]:
    """The lines of a source that name a game, with their numbers."""
    names = [one for name, room in games.items() for one in names_of(name, room)]
    pattern = re.compile("|".join(map(re.escape, names)))
    lines = enumerate(OWN_NAMES.sub("", text).splitlines(), 1)
    return [f"line {number}: {line.strip()}" for number, line in lines if pattern.search(line)]


def seats_written(text: str) -> list[str]:
    """Numbers of players that are written out in a source: 2, 3, 4 in brackets of any kind, or a name SEATS."""
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
    """The full names of everything that a source imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{one.name}" for one in node.names)


def other_rooms(text: str, own: str, games: Iterable[str] = GAMES) -> list[str]:
    """What a source of the room `own` imports from other rooms, of the package or of the tests."""
    found = []
    for name in imports(text):
        room = re.match(r"(?:porta_nigra_env|tests)\.games\.(\w+)", name) or re.match(r"agents\.(\w+)", name)
        if room and room[1] != own and room[1] in games:
            found.append(name)
    return found


def lengths(*places: str) -> dict[str, int]:
    """Lines of every file."""
    return {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files(*places)}
