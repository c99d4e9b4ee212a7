"""Write the catalogues of all games: ``python -m tests.architecture catalogues`` after a change of a text.

Every ``<language>.po`` keeps its translations, gets the new texts and loses the old ones; ``<language>.mo`` is its
compiled form.  Needs Babel, a development dependency.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from agents.seats import prompt
from agents.web.page import explained, lettering, rules
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration import narrator
from porta_nigra_env.core.narration.language import LANGUAGES, SOURCE, Noun
from porta_nigra_env.games import GAMES, make_game

Message = tuple[str, str | Noun]
_DATE: Final = datetime(2026, 1, 1, tzinfo=UTC)
SHARED: Final = Path(narrator.__file__).parent


def catalogues() -> Iterator[tuple[Path, list[Message]]]:
    """Yield the folder of each catalogue, and the texts that it translates, without duplicates."""
    shared: list[Message] = [("", text) for text in narrator.SHARED]
    yield SHARED, shared
    yield Path(prompt.__file__).parent, [("", text) for text in prompt.TEXTS if ("", text) not in shared]
    for name in GAMES:
        narration = make_game(name).narration()
        if narration is not None:
            yield narration.folder, [each for each in dict.fromkeys(narration.messages()) if each not in shared]
            yield rules.folder_of(name), own_messages(make_game(name))
            yield rules.rules_folder_of(name), [("", text) for text in rules.rule_messages(name)]


def own_messages(game: Game) -> list[Message]:
    """Return the texts of a game that only the page shows, with their contexts, without duplicates."""
    return list(dict.fromkeys(each for part in (rules, explained, lettering) for each in part.messages(game)))


def merged(text: str, language: str, messages: Iterable[Message]) -> tuple[str, bytes]:
    """Return a catalogue with these messages as ``.po`` and as ``.mo``; translations of `text` stay."""
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po, write_po

    old = read_po(io.StringIO(text), locale=language)
    new = Catalog(
        locale=language,
        fuzzy=False,
        project="porta_nigra_env",
        version="1",
        header_comment="# Texts in another language.",
        # The same texts give the same bytes.
        creation_date=_DATE,
        revision_date=_DATE,
    )
    for context, message in messages:
        name = tuple(message) if isinstance(message, Noun) else message
        found = old.get(name, context or None)
        new.add(name, found.string if found else None, context=context or None)
    po, mo = io.BytesIO(), io.BytesIO()
    write_po(po, new, omit_header=False, sort_output=False, width=120)
    write_mo(mo, new)
    lines = [line for line in po.getvalue().decode().splitlines(keepends=True) if "-Date" not in line]
    return "".join(lines), mo.getvalue()


def main() -> int:
    """Write all catalogues; return 0."""
    for folder, messages in catalogues():
        for language in LANGUAGES:
            if language != SOURCE:
                file = folder / f"{language}.po"
                text, compiled = merged(file.read_text("utf-8") if file.exists() else "", language, messages)
                folder.mkdir(exist_ok=True)
                write_whole(file, text)
                write_whole(file.with_suffix(".mo"), compiled)
                print(f"{file}: {len(messages)} texts")
    return 0
