"""The lettering of boards in another language: the texts of a drawing, from the catalogues of the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agents.web.page.rules import LETTER, folder_of, known_texts, plain
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration.language import SOURCE, Language

#: The context of texts that only boards have.
CONTEXT: Final = "board"


def messages(game: Game) -> Iterator[tuple[str, str]]:
    """Yield the texts of a game's board that no other catalogue translates, after their context."""
    drawing = game.drawing()
    if drawing is not None:
        terms = dict.fromkeys(_term(game, text) for text in drawing.texts if is_said(game, text))
        yield from ((context, text) for text, context in terms if context == CONTEXT)


def texts_of(game: Game, language: str) -> list[str] | None:
    """Return the texts of a game's board by their indices; None in the language of the drawing."""
    narration, drawing = game.narration(), game.drawing()
    if narration is None or drawing is None or language == SOURCE:
        return None
    said = Language(language, [narration.folder, folder_of(game.name)])
    return [said.text(*_term(game, text)) if is_said(game, text) else text for text in drawing.texts]


def is_said(game: Game, text: str) -> bool:
    """Return whether a text of the board has letters and is no proper name."""
    return bool(LETTER.search(text)) and text not in proper_names(game)


def proper_names(game: Game) -> set[str]:
    """Return the names that are the same in all languages."""
    narration = game.narration()
    axes = narration.axes.values() if narration is not None else ()
    return {plain(text) for axis in axes if axis.proper for text in axis.texts if isinstance(text, str)}


def _term(game: Game, text: str) -> tuple[str, str]:
    """Return the message and the context that translate a text of the board: a term of the game, or its own."""
    narration = game.narration()
    assert narration is not None
    if found := known_texts(narration).get(text):
        return found
    components = {plain(name) for name in narration.explanations}
    return text, "component" if text in components else CONTEXT
