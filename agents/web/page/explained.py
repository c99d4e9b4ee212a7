"""Explanations of all that a board shows, and of the actions that it offers.

An explanation belongs to a component of the narration, to a *thing* that only boards show, or to a kind of action: a
field of the action layout.  ``agents/<game>/explained.toml`` has those of things and of actions: ``title``, ``text``
(two sentences) and ``ruling``.  ``places.toml`` names the explanation of a part of a drawing, in two tables:

- By its name: a place, a symbol, a text, or ``style NAME`` for a shape of this style.  The first words of a place are
  enough.
- ``sections``: by the name of a part that begins a section of the draw list, such as a heading.  The explanation holds
  for the symbols and shapes that follow up to the next section, if they have no name of their own; "" ends a section.
  A name is a text, ``symbol NAME`` or ``style NAME``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from agents.web.page.rules import component_names, data_of, known_texts, language_of
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration.language import Language
from porta_nigra_env.core.narration.narrator import Narrator

#: Before the name of a kind of action, to tell it from components.
ACTION: Final = "action "
#: Before the name of a style.
STYLE: Final = "style "
SECTIONS: Final = "sections"


def messages(game: Game) -> Iterator[tuple[str, str]]:
    """Yield the texts of a game's explanations that the narration lacks, with their contexts."""
    narration = game.narration()
    known = known_texts(narration) if narration is not None else {}
    for entry in _own(game).values():
        if entry["title"] not in known:
            yield "component", entry["title"]
        yield "", entry["text"]


def explanations(game: Game, narrator: Narrator) -> dict[str, str]:
    """Return two sentences and a ruling by component, thing, and kind of action."""
    own = language_of(game.name, narrator.language.code)
    found = {name: narrator.explain(name) for name in narrator.narration.explanations}
    return found | {name: f"{own.text(entry['text'])} ({entry['ruling']})" for name, entry in _own(game).items()}


def names(game: Game, said: Language) -> dict[str, str]:
    """Return the name of everything that has an explanation; said: the language of the narration."""
    narration = game.narration()
    assert narration is not None
    known, own = known_texts(narration), language_of(game.name, said.code)
    titles = {name: entry["title"] for name, entry in _own(game).items()}
    return component_names(game, said) | {
        name: said.text(*known[title]) if title in known else own.text(title, "component")
        for name, title in titles.items()
    }


def places(game: Game) -> dict[str, str]:
    """Return the explanations of places, symbols, styles and texts of the board, by the names of these.

    The game's file of places comes first: by the longest beginning of a name, or by the whole text.  Otherwise the last
    word that names a component decides, with or without the part behind its underscores.
    A whole text may be a component.  A place without any of these is an answer, explained by the kind of its actions.
    """
    drawing, known = game.drawing(), _known(game)
    if not known or drawing is None:
        return {}
    given = data_of(game.name, "places")
    found = {}
    for name in (*drawing.places, *drawing.symbols):
        explained = _given(name, given) or _named(name, known)
        if explained:
            found[name] = explained
    for text in drawing.texts:
        explained = given.get(text) or text.lower().replace(" ", "_")
        if explained in known:
            found.setdefault(text, explained)
    found |= {name: given[name] for style in drawing.styles if (name := f"{STYLE}{style}") in given}
    for action, answers in enumerate(drawing.action_places):
        kind = f"{ACTION}{game.actions.find(action)[0].name}"
        if kind in known:
            for place in answers:
                found.setdefault(place, kind)
    return found


def sections(game: Game) -> dict[str, str]:
    """Return the explanation of each section of the draw list, by the name of the part that begins it."""
    given: dict[str, str] = data_of(game.name, "places").get(SECTIONS, {})
    return given


def _own(game: Game) -> dict[str, dict[str, Any]]:
    """Return the explanations of things and of kinds of actions."""
    data = data_of(game.name, "explained")
    things: dict[str, dict[str, Any]] = data.get("things", {})
    return things | {f"{ACTION}{name}": entry for name, entry in data.get("actions", {}).items()}


def _known(game: Game) -> set[str]:
    narration = game.narration()
    return set() if narration is None else {*narration.explanations, *_own(game)}


def _given(name: str, given: dict[str, Any]) -> str:
    words = name.split(" ")
    return next((given[begin] for n in range(len(words), 0, -1) if (begin := " ".join(words[:n])) in given), "")


def _named(name: str, known: set[str]) -> str:
    for word in reversed(name.split(" ")):
        parts = word.split("_")
        for count in range(len(parts), 0, -1):
            if "_".join(parts[:count]) in known:
                return "_".join(parts[:count])
    return ""
