"""How much code there is, without blank lines, comments and docstrings."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

from porta_nigra_env.games import GAMES

PACKAGE = Path(__file__).parents[2] / "porta_nigra_env"
#: Folders of a room; its other files are one part.
PARTS = ("rules", "text", "components", "players", "drawing")


def code_lines(path: Path) -> int:
    """Lines of code of a file."""
    text = path.read_text(encoding="utf-8")
    nothing = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in nothing
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def room_lines(game: str) -> list[int]:
    """Lines of code of a room: of each of `PARTS`, of its other files, and of all together."""
    room = PACKAGE / "games" / game
    parts = [sum(map(code_lines, (room / part).rglob("*.py"))) for part in PARTS]
    parts.append(sum(map(code_lines, room.glob("*.py"))))
    return [*parts, sum(parts)]


def rooms_table() -> list[list[str]]:
    """Rows of the rooms' lines, the heading first."""
    heading = ["room", *(f"`{part}/`" for part in PARTS), "other files", "together"]
    return [heading, *([f"`{game}`", *map(str, room_lines(game))] for game in GAMES)]
