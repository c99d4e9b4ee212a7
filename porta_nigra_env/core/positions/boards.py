"""Text boards: a position as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

#: Longest line of `wrapped`, and the number of blanks before its words.
WIDTH: Final = 96
INDENT: Final = 16


def wrapped(label: str, words: Sequence[str]) -> list[str]:
    """Return a label and its words, two blanks apart, as lines that break at WIDTH and align with the first word.

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
