"""The generated tables of docs/porta_nigra.md: ``python -m tests.architecture.tables --write``."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path

from porta_nigra_env.components.load import Components, load
from porta_nigra_env.core.spans import Spans
from porta_nigra_env.notation import action_texts

PAGE = Path(__file__).parents[2] / "docs" / "porta_nigra.md"
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


def generated(page: str) -> str:
    """`page` with its generated blocks as they should be."""
    components = load()
    tables = {
        "actions": actions_table(components),
        "observation": spans_table(components.observations),
        "state": spans_table(components.hidden, components.observations.size),
    }
    return _BLOCK.sub(lambda match: match[1] + tables[match[2]] + match[3], page)


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page, or say whether it is up to date."""
    parser = argparse.ArgumentParser(description="Generate the tables of docs/porta_nigra.md from the code.")
    parser.add_argument("--write", action="store_true", help="rewrite the page; without it, only compare")
    arguments = parser.parse_args(argv)
    page = PAGE.read_text(encoding="utf-8")
    wanted = generated(page)
    if arguments.write:
        partial = PAGE.with_suffix(".md.partial")
        partial.write_text(wanted, encoding="utf-8")
        os.replace(partial, PAGE)
        return 0
    if page != wanted:
        print("docs/porta_nigra.md is out of date; run `make docs`")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
