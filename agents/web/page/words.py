"""The words of a game in one language, as data for the page: `static/words.js` tells actions and events with them."""

from __future__ import annotations

from typing import Any

from agents.web.page import explained
from agents.web.page.lettering import texts_of
from agents.web.page.rules import language_of, sheet_columns
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration import narrator as shared
from porta_nigra_env.core.narration.facts import LEFT, Axis, Fact, Verb
from porta_nigra_env.core.narration.language import Language, Noun
from porta_nigra_env.core.narration.narrator import Narrator


def words_of(game: Game, language: str) -> dict[str, Any] | None:
    """Return the words of a game, JSON-able; None for a game without narration.

    With the fewest players they serve all numbers of players: the page names these seats itself.
    """
    narration = game.narration()
    if narration is None:
        return None
    narrator = Narrator(game, language=language, names=[f"{{{seat}}}" for seat in range(game.num_players)])
    said, facts = narrator.language, narrator.facts
    dtype_fields = game.dtype.fields
    assert dtype_fields is not None
    return {
        "language": language,
        "actions": [narrator.action(action) for action in range(game.actions.size)],
        "phases": [said.text(text, "phase") for text in narration.phases],
        "sources": [said.text(text, "points") for text in narration.sources],
        "axes": {name: _axis(said, axis) for name, axis in narration.axes.items()},
        "facts": [_fact(said, fact) for fact in narration.facts],
        "layout": facts.layout.table.tolist(),
        "starts": facts.layout.starts.tolist(),
        "shapes": facts.layout.shapes,
        "chance": {name: [dtype_fields[name][1], dtype_fields[name][0].itemsize] for name in narration.chance},
        "kinds": {
            name: {"phases": phrase.phases, "otherwise": said.text(phrase.otherwise) if phrase.otherwise else ""}
            for name, phrase in narration.phrases.items()
        },
        "remedies": [said.text(remedy.reason) for remedy in narration.remedies],
        "explanations": explained.explanations(game, narrator),
        "about": language_of(game.name, language).text(game.about),
        "names": explained.names(game, said),
        "places": explained.places(game),
        "sections": explained.sections(game),
        "lettering": texts_of(game, language),
        "columns": sheet_columns(game, language),
        "seat": said.text(shared.SEAT_NAME),
        "drawn": said.text(shared.DRAWN),
        "and": said.text(shared.AND),
        "left": said.text(LEFT),
        "wrong_phase": said.text(shared.WRONG_PHASE),
        "game_over": said.text(shared.GAME_OVER),
        "no_reason": said.text(shared.NO_REASON),
        "samples": shared.SAMPLES,
        "drawn_samples": shared.DRAWN_SAMPLES,
        "most_remedies": shared.MOST_REMEDIES,
    }


def _axis(language: Language, axis: Axis) -> list[str | Noun]:
    return [
        language.noun(text, axis.context) if isinstance(text, Noun) else language.text(text, axis.context)
        for text in axis.texts
    ]


def _fact(language: Language, fact: Fact) -> dict[str, Any]:
    """Return a fact: changes by their texts for the observer and for others, nouns by those for one and for several."""

    def texts(given: Verb | None) -> list[str] | None:
        return None if given is None else [language.text(text) for text in given]

    return {
        "kind": fact.kind,
        "axes": fact.axes,
        "up": texts(fact.up),
        "down": texts(fact.down),
        "none": texts(fact.none),
        "noun": None if fact.noun is None else language.noun(fact.noun, fact.kind),
        "values": fact.values,
        "drawn": fact.drawn,
        "aside": fact.aside,
        "left": fact.left,
    }
