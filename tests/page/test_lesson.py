"""Guided first rounds: every lesson is a legal game with sentences in both languages, and can be played to its end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.web.page import lesson
from agents.web.page.lesson import lesson_of
from porta_nigra_env.core.drawing.draw_list import PLACE
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.language import LANGUAGES
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game
from tests.page.fixtures import Opened
from tests.page.playing import in_each_language
from tests.page.test_access import check_access
from tests.page.test_rules import language_script

#: Waits for a step of a lesson and returns its heading, its text and what it asks for: an action, or "next", or "end".
_STEP = """async (before) => {
  const all = (text) => [...document.querySelectorAll(text)].filter((one) => one.checkVisibility());
  for (;;) {
    const title = all(".lesson h2")[0]?.textContent, [best] = all(".option.best");
    const asks = all(".lesson .row").length ? "end" : all(".lesson > button").length ? "next" : best?.dataset.action;
    if (title && title !== before && asks) return { title, text: all(".lesson .taught")[0].textContent, asks };
    await new Promise((go) => setTimeout(go, 10));
  }
}"""


def told(name: str) -> dict[str, Any]:
    """Return the lesson of a game."""
    found = lesson_of(game_class(name))
    assert found is not None
    return found


@pytest.mark.parametrize("name", GAMES)
def test_a_lesson_is_a_legal_game_that_scores(name: str) -> None:
    one = told(name)
    game = make_game(name, one["players"])
    state, drawing = State(game, game.new_states(int(one["seed"]))), game.drawing()
    assert drawing is not None
    assert 12 <= len(one["steps"]) <= 20
    scored = 0
    for step in one["steps"]:
        assert all(step["text"][language].endswith(".") for language in LANGUAGES)
        assert len({step["text"][language] for language in LANGUAGES}) == len(LANGUAGES)
        rows = drawing.rows(state.states, 0, one["seat"])
        shown = {list(drawing.places)[place] for place in np.unique(rows[:, PLACE]) if place >= 0}
        assert not step["place"] or step["place"] in shown
        if step["action"] is not None:
            assert state.player == one["seat"]
            assert not shown.isdisjoint(drawing.action_places[step["action"]])
            before = state.totals()[one["seat"]]
            state.apply_id(step["action"])
            scored += state.totals()[one["seat"]] > before
        for action in step["then"]:
            state.apply_id(action)
    assert scored
    assert not state.is_over
    assert one["steps"][-1]["action"] is None


def test_a_lesson_with_a_fault_names_step_and_field(monkeypatch: pytest.MonkeyPatch) -> None:
    step = {"en": "Do it.", "de": "Tu es.", "do": "fly"}
    data = {"seed": 1, "players": 2, "seat": 0, "steps": [step]}
    monkeypatch.setattr(lesson, "data_of", lambda _name, _kind: data)
    with pytest.raises(ValueError, match="step 1: there is no action 'fly'"):
        lesson_of(game_class(DEFAULT_GAME))
    data["steps"] = [{"en": "Do it."}]
    with pytest.raises(ValueError, match="step 1: the text in de is missing"):
        lesson_of(game_class(DEFAULT_GAME))


@in_each_language
@pytest.mark.parametrize("name", GAMES)
def test_a_lesson_is_played_to_its_end(open_page: Opened, name: str, language: str) -> None:
    one = told(name)
    narrator = Narrator(make_game(name, one["players"]), language=language)
    # In each language, one of the games is played with motion or without.
    motion = "no-preference" if (name == DEFAULT_GAME) == (language == "en") else "reduce"
    page = open_page(script=language_script(name, language), width=390, height=844, motion=motion)
    page.click("main a[href='#learn']")
    before, refused = "", False
    for step in one["steps"]:
        found = page.evaluate(_STEP, before)
        before = found["title"]
        assert found["text"] == step["text"][language]
        drawn = step["place"] or step["action"] is not None
        assert page.locator(".spot.taught").count() == bool(drawn)
        if found["asks"] == "next":
            assert step["action"] is None
            page.click(".lesson > button")
        elif found["asks"] != "end":
            assert int(found["asks"]) == step["action"]
            others = page.locator(".option:not(.best)")
            if not refused and others.count():
                others.last.click()
                phrase = narrator.action(step["action"])
                assert phrase[1:] in page.inner_text(".lesson [role=alert]")
                assert page.inner_text(".lesson h2") == before
                check_access(page, 390)
                refused = True
            page.click(".option.best")
    assert found["asks"] == "end"
    assert refused
    page.keyboard.press("Backspace")
    assert page.evaluate(_STEP, before)["text"] == one["steps"][-2]["text"][language]
    page.click(".tools a[href='#play']")
    page.wait_for_selector("form")
