"""Text boards: a position as lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

#: A line of `wrapped` is broken before it gets longer than this, and the blanks before its words.
WIDTH: Final = 96
INDENT: Final = 16


def wrapped(label: str, words: Sequence[str]) -> list[str]:
    """Lines of a label and words separated by two blanks, broken at WIDTH and indented below the first word.

    >>> wrapped("coins", ["bronze 1", "gold 2"])
    ['coins           bronze 1  gold 2']
    """
    lines, line = [], f"{label:<{INDENT}}"
    for word in words or ["-"]:
        if len(line) + len(word) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = " " * INDENT
        line += f"{word}  "
    return [*lines, line.rstrip()]
