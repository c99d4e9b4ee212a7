"""Count lines of code without blank lines, comments and docstrings."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

from porta_nigra_env.games import GAMES

PACKAGE = Path(__file__).parents[2] / "porta_nigra_env"
#: Folders of a game package; its other files are one part.
PARTS = ("rules", "text", "components", "players", "drawing")


def code_lines(path: Path) -> int:
    """Return the lines of code of a file."""
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


def package_lines(game: str) -> list[int]:
    """Return the lines of code of a game package: of each of `PARTS`, of its other files, and the total."""
    package = PACKAGE / "games" / game
    parts = [sum(map(code_lines, (package / part).rglob("*.py"))) for part in PARTS]
    parts.append(sum(map(code_lines, package.glob("*.py"))))
    return [*parts, sum(parts)]


def packages_table() -> list[list[str]]:
    """Return the lines of all game packages as rows, the heading first."""
    heading = ["package", *(f"`{part}/`" for part in PARTS), "other files", "total"]
    return [heading, *([f"`{game}`", *map(str, package_lines(game))] for game in GAMES)]
