"""The generated tables of the documents."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.arena.ladder import PUBLISHED, Ladder, read_ladder
from porta_nigra_env.core.arrays.layout import Field, Layout
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import GAMES, make_game
from tests.architecture.runs import read_log, runs_tables

ROOT = Path(__file__).parents[2]
#: The page of a game has its name.
PAGES = [
    *(ROOT / "docs" / f"{name}.md" for name in GAMES),
    *(ROOT / "docs" / name for name in ("agents.md", "adding_a_game.md")),
    ROOT / "training" / "LOG.md",
]
#: Folders of a game package; its other files are one part.
PARTS = ("rules", "text", "components", "players", "drawing")
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def table_of(rows: Sequence[Sequence[str]]) -> str:
    """Return a compact Markdown table; the first row is the heading."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [cells[0], ["---"] * len(cells[0]), *cells[1:]]
    return "\n".join(f"|{'|'.join(line)}|" for line in lines) + "\n"


def _range(field: Field) -> str:
    return f"{field.start}" if field.size == 1 else f"{field.start}-{field.stop - 1}"


def actions_table(game: Game) -> str:
    """Return the ids, action strings and meaning of every field of actions."""
    rows = [["ids", "field", "shape", "first ... last action", "meaning"]]
    for field in game.actions:
        ends = dict.fromkeys((game.action_texts[field.start], game.action_texts[field.stop - 1]))
        shown = " ... ".join(f"`{text}`" for text in ends)
        rows.append([_range(field), field.name, _shape(field.spec.shape), shown, field.spec.doc])
    return table_of(rows)


def layout_table(layout: Layout, skip: int = 0) -> str:
    """Return the indices, scale and bound of every field from index `skip` on."""
    rows = [["indices", "field", "shape", "divided by", "at most", "meaning"]]
    for field in layout:
        if field.start >= skip:
            spec = field.spec
            rows.append([_range(field), spec.name, _shape(spec.shape), f"{spec.scale:g}", f"{spec.high:g}", spec.doc])
    return table_of(rows)


def ratings_table(ladder: Ladder) -> str:
    """Return all agents with their ratings at every number of players, ordered by the first."""

    def cell(value: float, low: float, high: float) -> str:
        return f"{value:.0f}" + (f" ({low:.0f} to {high:.0f})" if low < high else "")

    columns = {players: {one.agent: one.rating for one in rows} for players, rows in ladder.players.items()}
    rows = [
        [f"`{agent}`", *(cell(*column[agent]) for column in columns.values())] for agent in next(iter(columns.values()))
    ]
    return "\n" + table_of([["agent", *(f"{players} players" for players in columns)], *rows]) + "\n"


def game_tables(game: Game) -> dict[str, str]:
    """Return the tables of a game's page by the name of their block."""
    listings = {} if game.components is None else game.components.listings()
    return {
        "actions": actions_table(game),
        "observation": layout_table(game.observations),
        "state": layout_table(game.privileged, game.observations.size),
        **{name: table_of(rows) for name, rows in listings.items()},
    }


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
    package = ROOT / "porta_nigra_env" / "games" / game
    parts = [sum(map(code_lines, (package / part).rglob("*.py"))) for part in PARTS]
    parts.append(sum(map(code_lines, package.glob("*.py"))))
    return [*parts, sum(parts)]


def packages_table() -> list[list[str]]:
    """Return the lines of all game packages as rows, the heading first."""
    heading = ["package", *(f"`{part}/`" for part in PARTS), "other files", "total"]
    return [heading, *([f"`{game}`", *map(str, package_lines(game))] for game in GAMES)]


#: A block of code that shows a definition of the example game.
_EXCERPT = re.compile(r"(```python\n# (\w+\.py): (\w+)\n).*?(```)", re.DOTALL)
_EXAMPLE = ROOT / "tests" / "toys" / "dice"


def excerpt(file: Path, name: str) -> str:
    """Return the source of a function, of an assignment, or of a class up to its first method."""
    source = file.read_text(encoding="utf-8")
    body: list[Any] = ast.parse(source).body  # only statements of some kinds have a name
    for node in body:
        target = node.target if isinstance(node, ast.AnnAssign) else node
        if getattr(target, "name", getattr(target, "id", None)) == name:
            first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
            methods: list[Any] = [one for one in getattr(node, "body", []) if isinstance(one, ast.FunctionDef)]
            starts = [part.lineno for one in methods[:1] for part in [one, *one.decorator_list]]
            last = min(starts) - 1 if isinstance(node, ast.ClassDef) and starts else int(node.end_lineno)
            return "\n".join(source.splitlines()[first - 1 : last]).rstrip() + "\n"
    raise ValueError(f"{file.name}: no definition of {name}")


def lines_table() -> str:
    """Return the lines of code of the example game's files."""
    contents = {"state.py": "the record, actions, observations", "kernel.py": "the rules"}
    contents["game.py"] = "the class"
    lines = {name: code_lines(_EXAMPLE / name) for name in contents}
    rows = [[f"`{name}`", text, str(lines[name])] for name, text in contents.items()]
    return table_of([["file", "contents", "lines of code"], *rows, ["total", "", str(sum(lines.values()))]])


def generated(path: Path) -> str:
    """Return a page with its generated blocks brought up to date."""
    ladders = {
        "ratings": PUBLISHED,
        **{f"ratings_{game}": PUBLISHED.with_name(f"ladder_{game}.json") for game in GAMES},
    }
    tables = {
        **{name: ratings_table(read_ladder(ladder)) for name, ladder in ladders.items() if ladder.exists()},
        "packages": table_of(packages_table()),
        "example": lines_table(),
        "runs": runs_tables(read_log(ROOT / "training" / "log.toml")),
        **(game_tables(make_game(path.stem)) if path.stem in GAMES else {}),
    }
    text = _BLOCK.sub(lambda match: match[1] + tables[match[2]] + match[3], path.read_text(encoding="utf-8"))
    return _EXCERPT.sub(lambda match: match[1] + excerpt(_EXAMPLE / match[2], match[3]) + match[4], text)


def main(write: bool = False) -> int:
    """Compare the generated tables of the documents with the code and the ladders.

    Args:
        write: rewrite the pages that are out of date.
    """
    old = [path for path in PAGES if generated(path) != path.read_text(encoding="utf-8")]
    for path in old:
        if write:
            write_whole(path, generated(path))
        else:
            print(f"{path.relative_to(ROOT)} is out of date; run `make docs`")
    return int(bool(old) and not write)
