"""The rules of a game as data for the page: its page of rules, its description, and the names of its components."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration.facts import Narration
from porta_nigra_env.core.narration.language import SOURCE, Language
from porta_nigra_env.games import DEFAULT_GAME

_AGENTS: Final = Path(__file__).parents[2]
#: The folder of the documents, in the checkout and in the wheel.
DOCUMENTS: Final = _AGENTS.parent / "docs"

#: A line that begins a list item.
_ITEM: Final = re.compile(r"(?:-|\d+\.) ")
#: Marked parts of a text: bold, code, link.
_MARKED: Final = re.compile(
    r"\*\*(?P<bold>[^*]+)\*\*|\*(?P<slanted>\w[^*]*)\*|`(?P<code>[^`]+)`|\[(?P<link>[^\]]+)\]\([^)]+\)"
)

#: A letter of any script.
LETTER: Final = re.compile(r"[^\W\d_]")
_CODE: Final = re.compile(r"`[^`]*`")

Span = str | list[str]
Block = dict[str, Any]
#: A text of Markdown in another language.
Translation = Callable[[str], str]


# -- the page of rules


def page_of(name: str) -> Path:
    """Return the path of a game's page of rules."""
    return DOCUMENTS / ("rules.md" if name == DEFAULT_GAME else f"{name}_rules.md")


def rules_of(name: str, language: str = SOURCE) -> list[Block] | None:
    """Return the blocks of a game's page of rules, None without one.

    A block has a `kind`: ``h2``, ``h3`` and ``p`` have `text`, ``ol`` and ``ul`` have `items`, ``table`` has `rows`,
    the head first.  A text is a list of strings and marked parts ``[kind, string]``: ``bold``, ``slanted`` or ``code``.
    """
    path, folder = page_of(name), rules_folder_of(name)
    if not path.exists():
        return None
    said = Language(language, [folder] if (folder / f"{language}.mo").exists() else [])
    return list(blocks(path.read_text(encoding="utf-8"), said.text))


def rule_messages(name: str) -> list[str]:
    """Return the texts of a game's page of rules, in order and without duplicates, for its catalogue.

    A text is a heading, a paragraph, an item or a cell, in Markdown.  Those of numbers and code only are left out.
    """
    path = page_of(name)
    found: dict[str, None] = {}

    def noted(text: str) -> str:
        if LETTER.search(_CODE.sub("", text)):
            found[text] = None
        return text

    if path.exists():
        list(blocks(path.read_text(encoding="utf-8"), noted))
    return list(found)


def blocks(text: str, said: Translation = str) -> Iterator[Block]:
    """Yield the blocks of a Markdown text after its title; of Markdown it knows what the pages of rules use."""
    for part in re.split(r"\n{2,}", text.strip()):
        lines = part.split("\n")
        if found := re.fullmatch(r"(#+) (.+)", part):
            if len(found[1]) > 1:
                yield {"kind": f"h{len(found[1])}", "text": spans(said(found[2]))}
        elif lines[0].startswith("|"):
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:])]
            yield {"kind": "table", "rows": [[spans(said(cell)) if cell else [] for cell in row] for row in rows]}
        elif _ITEM.match(lines[0]):
            yield {"kind": "ul" if lines[0].startswith("-") else "ol", "items": list(_items(lines, said))}
        else:
            yield {"kind": "p", "text": spans(said(" ".join(lines)))}


def _items(lines: list[str], said: Translation) -> Iterator[Block]:
    """Yield the items of a list; an item may hold one deeper list."""
    items: list[list[str]] = []
    for line in lines:
        if _ITEM.match(line):
            items.append([_ITEM.sub("", line, count=1)])
        else:
            items[-1].append(line.strip())
    for item in items:
        deeper = next((i for i, line in enumerate(item) if i and _ITEM.match(line)), len(item))
        block: Block = {"text": spans(said(" ".join(item[:deeper])))}
        if deeper < len(item):
            block["items"] = list(_items(item[deeper:], said))
        yield block


def spans(text: str) -> list[Span]:
    """Return a text with its marked parts.

    >>> spans("a **bold** word and \\\\* a star")
    ['a ', ['bold', 'bold'], ' word and * a star']
    """
    found: list[Span] = []
    end = 0
    text = text.replace("\\*", "\0")
    for mark in _MARKED.finditer(text):
        kind = str(mark.lastgroup)
        found += [text[end : mark.start()], mark[kind] if kind == "link" else [kind, mark[kind]]]
        end = mark.end()
    found.append(text[end:])
    plain = [
        one.replace("\0", "*") if isinstance(one, str) else [part.replace("\0", "*") for part in one] for one in found
    ]
    return [one for one in plain if one]


# -- names


def folder_of(name: str) -> Path:
    """Return the folder of a game's own files for the page."""
    return _AGENTS / name


def rules_folder_of(name: str) -> Path:
    """Return the folder of the catalogues of a game's page of rules."""
    return folder_of(name) / "rules"


def data_of(name: str, kind: str) -> dict[str, Any]:
    """Return a TOML file of a game for the page; {} without one.

    Args:
        kind: ``lesson``, see `agents.web.page.lesson`.  ``places`` and ``explained``, see `agents.web.page.explained`.
            ``levels`` has the levels of the network for people, the weakest first.  ``sheet`` has the names of the
            columns of a source of points by the source.  ``samples`` and ``puzzles``, see `agents.web.page.recorded`.
    """
    path = folder_of(name) / f"{kind}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def language_of(name: str, language: str) -> Language:
    """Return the translations of a game's texts of `messages`."""
    folder = folder_of(name)
    return Language(language, [folder] if (folder / f"{language}.po").exists() else [])


def messages(game: Game) -> Iterator[tuple[str, str]]:
    """Yield the texts, with their contexts, that only the page shows: what a catalogue has to translate."""
    narration = game.narration()
    if game.about:
        yield "", game.about
    yield from (("sheet", text) for texts in data_of(game.name, "sheet").values() for text in texts)
    if narration is not None:
        known = known_texts(narration)
        yield from (("component", plain(name)) for name in narration.explanations if plain(name) not in known)


def component_names(game: Game, said: Language) -> dict[str, str]:
    """Return the names of a game's components; said: the language of the narration."""
    narration = game.narration()
    assert narration is not None
    known, own = known_texts(narration), language_of(game.name, said.code)
    return {
        name: said.text(*known[plain(name)]) if plain(name) in known else own.text(plain(name), "component")
        for name in narration.explanations
    }


def sheet_columns(game: Game, language: str) -> list[list[str]]:
    """Return the names of the columns of each source of points; [] for a source that is shown as a whole."""
    given, own = data_of(game.name, "sheet"), language_of(game.name, language)
    return [[own.text(text, "sheet") for text in given.get(source, [])] for source in game.point_sources]


def known_texts(narration: Narration) -> dict[str, tuple[str, str]]:
    """Return the texts of axes with their contexts, by their plain forms."""
    texts = [(text, axis.context) for axis in narration.axes.values() for text in axis.texts if isinstance(text, str)]
    return {plain(text): (text, context) for text, context in reversed(texts)}


def plain(name: str) -> str:
    """Return a name as people read it, in lower case."""
    return name.replace("_", " ").lower()
