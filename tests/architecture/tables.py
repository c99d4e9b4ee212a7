"""The generated tables of the documents: ``python -m tests.architecture.tables --write``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from agents.arena.ladder import PUBLISHED, Ladder, ladder_table, read_ladder
from agents.arena.tables import markdown
from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import GAMES, make_game
from tests.architecture.lines import rooms_table

ROOT = Path(__file__).parents[2]
#: A room's page is called as the room.
PAGES = [
    *(ROOT / "docs" / f"{name}.md" for name in GAMES),
    *(ROOT / "docs" / name for name in ("agents.md", "adding_a_game.md")),
    ROOT / "README.md",
]
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def actions_table(game: Game) -> str:
    """Ids, texts and meaning of every span of actions."""
    texts = game.action_texts
    lines = ["| ids | span | shape | first ... last text | meaning |", "|---|---|---|---|---|"]
    for field in game.actions:
        ids = f"{field.start}" if field.size == 1 else f"{field.start}-{field.stop - 1}"
        first, last = texts[field.start], texts[field.stop - 1]
        shown = f"`{first}`" if field.size == 1 else f"`{first}` ... `{last}`"
        lines.append(f"| {ids} | {field.name} | {_shape(field.spec.shape)} | {shown} | {field.spec.doc} |")
    return "\n".join(lines) + "\n"


def layout_table(spans: Layout, skip: int = 0) -> str:
    """Places, scale and bound of every part from place `skip` on."""
    lines = ["| places | part | shape | divided by | at most | meaning |", "|---|---|---|---|---|---|"]
    for field in spans:
        if field.start >= skip:
            places = f"{field.start}" if field.size == 1 else f"{field.start}-{field.stop - 1}"
            part = field.spec
            lines.append(
                f"| {places} | {part.name} | {_shape(part.shape)} | {part.scale:g} | {part.high:g} | {part.doc} |"
            )
    return "\n".join(lines) + "\n"


def ladder_tables(ladder: Ladder, level: str) -> str:
    """A table for each number of players under a heading."""
    parts = [
        f"{level} {players} players\n\n{ladder.counts[players]}\n\n{ladder_table(rows)}"
        for players, rows in ladder.players.items()
    ]
    return "\n" + "\n\n".join(parts) + "\n\n"


def ratings_table(ladder: Ladder) -> str:
    """All agents with their ratings at every number of players, the order that of the first."""
    columns = {players: {one.agent: one.rating for one in rows} for players, rows in ladder.players.items()}
    lines = [
        [f"`{agent}`", *("{:.0f} ({:.0f} to {:.0f})".format(*column[agent]) for column in columns.values())]
        for agent in next(iter(columns.values()))
    ]
    return "\n" + markdown(["agent", *(f"{players} players" for players in columns)], lines) + "\n\n"


def table_of(rows: Sequence[Sequence[str]]) -> str:
    """A table of texts, the heading first."""
    return f"{markdown(rows[0], rows[1:], len(rows[0]))}\n"


def room_tables(game: Game) -> dict[str, str]:
    """The tables of a room's page by the name of their block."""
    listings = {} if game.components is None else game.components.listings()
    return {
        "actions": actions_table(game),
        "observation": layout_table(game.observations),
        "state": layout_table(game.privileged, game.observations.size),
        **{name: table_of(rows) for name, rows in listings.items()},
    }


def generated(path: Path) -> str:
    """A page with its generated blocks as they should be."""
    ladder = read_ladder(PUBLISHED)
    tables = {
        "ladder": ladder_tables(ladder, "###"),
        "search_ladder": ladder_tables(read_ladder(PUBLISHED.with_name("ladder_search.json")), "####"),
        **{
            path.stem: ladder_tables(read_ladder(path), "####")
            for path in (PUBLISHED.with_name(f"ladder_{game}.json") for game in GAMES)
            if path.exists()
        },
        "ratings": ratings_table(ladder),
        "rooms": table_of(rooms_table()),
        **(room_tables(make_game(path.stem)) if path.stem in GAMES else {}),
    }
    return _BLOCK.sub(lambda match: match[1] + tables[match[2]] + match[3], path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Arguments:
    """Generate the tables of the documents from code and ladders."""

    write: bool = False
    """Rewrite the pages; without it, only compare."""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the pages, or say which are not up to date."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m tests.architecture.tables")
    old = [path for path in PAGES if generated(path) != path.read_text(encoding="utf-8")]
    for path in old:
        if arguments.write:
            write_whole(path, generated(path))
        else:
            print(f"{path.relative_to(ROOT)} is out of date; run `make docs`")
    return int(bool(old) and not arguments.write)


if __name__ == "__main__":
    raise SystemExit(main())
