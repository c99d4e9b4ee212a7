"""Languages: English texts in the sources, translations in gettext catalogues next to them.

A catalogue is ``<language>.po`` in the folder of the sources that it translates; ``<language>.mo`` is its compiled
form, which the standard library reads.  ``python -m porta_nigra_env.core.narration.catalogue`` writes both.
"""

from __future__ import annotations

import gettext
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Final, NamedTuple

SOURCE: Final = "en"
#: Languages of all games, the language of the sources first.
LANGUAGES: Final = (SOURCE, "de")


class Noun(NamedTuple):
    """A countable thing: its texts for one and for several, with ``{n}`` for the number."""

    one: str
    many: str


class Language:
    """Texts in one language.

    Args:
        code: one of `LANGUAGES`.
        folders: of the catalogues, searched in this order.

    Raises:
        ValueError: an unknown language.
    """

    def __init__(self, code: str, folders: Sequence[Path] = ()) -> None:
        self.code: Final = check_language(code)
        self._catalogues: Final = [] if code == SOURCE else [_catalogue(folder / f"{code}.mo") for folder in folders]

    def text(self, message: str, context: str = "") -> str:
        """Return the translation of a text; the text itself if no catalogue has it."""
        for catalogue in self._catalogues:
            found = catalogue.pgettext(context, message) if context else catalogue.gettext(message)
            if found != message:
                return found
        return message

    def noun(self, noun: Noun, context: str = "") -> Noun:
        """Return the translation of a countable thing, in languages with one form for all numbers but one."""
        for catalogue in self._catalogues:
            found = Noun(
                *(catalogue.npgettext(context, *noun, n) if context else catalogue.ngettext(*noun, n) for n in (1, 2))
            )
            if found != noun:
                return found
        return noun

    def counted(self, noun: Noun, number: int, context: str = "") -> str:
        """Return a number of things."""
        one, many = self.noun(noun, context)
        return (one if number == 1 else many).format(n=number)


@cache
def _catalogue(file: Path) -> gettext.NullTranslations:
    with file.open("rb") as data:
        return gettext.GNUTranslations(data)


def check_language(code: object) -> str:
    """Return the code of a known language; ValueError otherwise."""
    if code not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {code!r}")
    return str(code)


def filled(template: str, values: Mapping[str, object]) -> str:
    """Return a template with its placeholders filled in.

    >>> filled("{seat} pays {what}", {"seat": "player 1", "what": "3 sesterces", "unused": 0})
    'player 1 pays 3 sesterces'
    """
    return template.format_map(values)


def placeholders(template: str) -> set[str]:
    """Return the names of the placeholders of a template.

    >>> sorted(placeholders("{seat} pays {what}"))
    ['seat', 'what']
    """
    return {name for _, name, _, _ in Formatter().parse(template) if name}
