"""Names and fixed phrases of the people at a table."""

from __future__ import annotations

from typing import Final

from agents.web.server.table import RefusedError

#: Largest number of characters of a name.
LONGEST_NAME: Final = 24
#: The phrases by their ids on the wire; the page has their words (`page/static/people.js`).
PHRASES: Final = ("hello", "luck", "moment", "turn", "nice", "oops", "thanks", "game")


def checked_name(name: str) -> str:
    """Return a person's name without spaces around it. Raises RefusedError for one that cannot be shown."""
    name = name.strip(" ")
    if not name:
        raise RefusedError("name: must not be empty; leave the field out to sit without a name")
    if len(name) > LONGEST_NAME:
        raise RefusedError(f"name: at most {LONGEST_NAME} characters, not {len(name)}; shorten it")
    # Separators but the space, controls, and marks that change the direction of text around them.
    wrong = [char for char in name if not char.isprintable()]
    if wrong:
        raise RefusedError(f"name: must not have the control character U+{ord(wrong[0]):04X}; remove it")
    return name


def check_phrase(phrase: str) -> None:
    """Raise RefusedError for an unknown phrase."""
    if phrase not in PHRASES:
        raise RefusedError(f"phrase: must be one of {', '.join(PHRASES)}, not {phrase[:40]!r}")
