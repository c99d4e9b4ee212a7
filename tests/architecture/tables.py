"""The generated tables of the documents: ``python -m tests.architecture.tables --write``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from agents.arena.tables import markdown
from agents.files import write_whole
from agents.ladder import PUBLISHED, Ladder, ladder_table, read_ladder
from porta_nigra_env.core.spans import Spans
from porta_nigra_env.games.porta_nigra.components.load import Components, load
from porta_nigra_env.games.porta_nigra.notation import action_texts

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "porta_nigra.md", ROOT / "docs" / "agents.md", ROOT / "README.md"]
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def actions_table(components: Components) -> str:
    """Ids, texts and meaning of every span of actions."""
    texts = action_texts(components)
    lines = ["| ids | span | shape | first ... last text | meaning |", "|---|---|---|---|---|"]
    for span in components.actions:
        ids = f"{span.start}" if span.size == 1 else f"{span.start}-{span.stop - 1}"
        first, last = texts[span.start], texts[span.stop - 1]
        shown = f"`{first}`" if span.size == 1 else f"`{first}` ... `{last}`"
        lines.append(f"| {ids} | {span.name} | {_shape(span.part.shape)} | {shown} | {span.part.doc} |")
    return "\n".join(lines) + "\n"


def spans_table(spans: Spans, skip: int = 0) -> str:
    """Places, scale and bound of every part from place `skip` on."""
    lines = ["| places | part | shape | divided by | at most | meaning |", "|---|---|---|---|---|---|"]
    for span in spans:
        if span.start >= skip:
            places = f"{span.start}" if span.size == 1 else f"{span.start}-{span.stop - 1}"
            part = span.part
            lines.append(
                f"| {places} | {part.name} | {_shape(part.shape)} | {part.scale:g} | {part.high:g} | {part.doc} |"
            )
    return "\n".join(lines) + "\n"


def ladder_tables(ladder: Ladder, level: str) -> str:
    """A table for each number of players under a heading."""
    parts = [f"{level} {players} players\n\n{ladder_table(rows)}" for players, rows in ladder.players.items()]
    return "\n" + "\n\n".join(parts) + "\n\n"


def ratings_table(ladder: Ladder) -> str:
    """All agents with their ratings at every number of players, the order that of the first."""
    columns = {players: {one.agent: one.rating for one in rows} for players, rows in ladder.players.items()}
    lines = [
        [f"`{agent}`", *("{:.0f} ({:.0f} to {:.0f})".format(*column[agent]) for column in columns.values())]
        for agent in next(iter(columns.values()))
    ]
    return "\n" + markdown(["agent", *(f"{players} players" for players in columns)], lines) + "\n\n"


def generated(page: str) -> str:
    """`page` with its generated blocks as they should be."""
    components, ladder = load(), read_ladder(PUBLISHED)
    tables = {
        "ladder": ladder_tables(ladder, "###"),
        "search_ladder": ladder_tables(read_ladder(PUBLISHED.with_name("ladder_search.json")), "####"),
        "ratings": ratings_table(ladder),
        "actions": actions_table(components),
        "observation": spans_table(components.observations),
        "state": spans_table(components.privileged, components.observations.size),
    }
    return _BLOCK.sub(lambda match: match[1] + tables[match[2]] + match[3], page)


def main(argv: Sequence[str] | None = None) -> int:
    """Write the pages, or say which are not up to date."""
    parser = argparse.ArgumentParser(description="Generate the tables of the documents from code and ladders.")
    parser.add_argument("--write", action="store_true", help="rewrite the pages; without it, only compare")
    arguments = parser.parse_args(argv)
    old = []
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        wanted = generated(page)
        if page == wanted:
            continue
        old.append(path)
        if arguments.write:
            write_whole(path, wanted)
        else:
            print(f"{path.relative_to(ROOT)} is out of date; run `make docs`")
    return int(bool(old) and not arguments.write)


if __name__ == "__main__":
    raise SystemExit(main())
