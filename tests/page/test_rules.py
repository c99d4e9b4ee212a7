"""The rules on the page: the sheet with the whole page of rules, and the explanations of what is drawn."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from agents.web.page.rules import data_of, page_of, place_components, rules_of
from porta_nigra_env.core.narration.language import LANGUAGES
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.games import DEFAULT_GAME, GAMES, make_game
from tests.page.fixtures import Opened
from tests.page.playing import begin
from tests.page.test_access import check_access

#: First words of places that are answers, not things.
ANSWERS = {"pass", "done", "again", "buy", "amount", "player"}
#: Points at places one after the other, and returns the first few explanations.
COVERED = """async () => {
  const tip = document.querySelector(".tip"), found = new Set();
  for (const one of document.querySelectorAll(".spot")) {
    const { x, y, width, height } = one.getBoundingClientRect();
    const at = { clientX: x + width / 2, clientY: y + height / 2, pointerType: "mouse", bubbles: true };
    one.dispatchEvent(new PointerEvent("pointermove", at));
    await new Promise((go) => setTimeout(go, 470));
    if (!tip.hidden) found.add(tip.textContent);
    if (found.size > 3) break;
  }
  return [...found];
}"""


def told(value: Any) -> Iterator[str]:
    """Yield the strings of the blocks of a page of rules."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from told([part for name, part in value.items() if name != "kind"])
    elif value and value[0] in ("bold", "slanted", "code"):
        yield value[1]
    else:
        for part in value:
            yield from told(part)


def language_script(game: str, language: str) -> str:
    """Return a script that chooses a game and a language."""
    kept = {"game": game, "language": language}
    return "".join(f"localStorage.setItem('{name}', '{json.dumps(value)}');" for name, value in kept.items())


@pytest.mark.parametrize("name", GAMES)
def test_the_sheet_has_every_word_of_the_page_of_rules(name: str) -> None:
    text = page_of(name).read_text(encoding="utf-8").partition("\n")[2]
    text = re.sub(r"\]\([^)]+\)", "]", text.replace("\\*", "*"))
    words = re.findall(r"\w+", re.sub(r"(?m)^ *\d+\. ", "", text))
    assert re.findall(r"\w+", " ".join(told(rules_of(name)))) == words


@pytest.mark.parametrize("name", GAMES)
def test_every_ruling_of_an_explanation_is_in_the_sheet(name: str) -> None:
    narrator = Narrator(make_game(name))
    marked = set(re.findall(r'\["bold", "([A-Z]\d+)"\]', json.dumps(rules_of(name))))
    assert {one.ruling for one in narrator.narration.explanations.values()} <= marked


@pytest.mark.parametrize("name", GAMES)
def test_every_place_of_the_board_is_explained(name: str) -> None:
    game = make_game(name)
    narration, drawing, found = game.narration(), game.drawing(), place_components(game)
    assert narration is not None
    assert drawing is not None
    assert {place.split(" ")[0] for place in drawing.places if place not in found} <= ANSWERS
    given, drawn = data_of(name, "places"), [*drawing.places, *drawing.symbols, *drawing.texts]
    assert set(given.values()) <= set(narration.explanations)
    assert [begin for begin in given if not any(one == begin or one.startswith(f"{begin} ") for one in drawn)] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_key_opens_the_rules_and_escape_leads_back(open_page: Opened, name: str, language: str) -> None:
    page = open_page(script=language_script(name, language), width=390, height=844, scheme="dark")
    page.wait_for_selector("form")
    page.focus("main a.button")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert page.evaluate("document.activeElement.closest('dialog') !== null")
    for part in page.locator("dialog summary").all():
        part.click()
    check_access(page, 390)
    text = page.inner_text("dialog")
    narrator = Narrator(make_game(name), language=language)
    assert all(narrator.explain(one).rpartition(" (")[0] in text for one in narrator.narration.explanations)
    page.locator(".cited").last.click()
    assert page.evaluate("document.activeElement.dataset.ruling") == page.locator(".cited").last.inner_text()
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate("document.activeElement.matches('main a.button')")


@pytest.mark.parametrize("name", GAMES)
def test_places_explain_themselves_to_mouse_keyboard_and_finger(open_page: Opened, name: str) -> None:
    page = open_page(script=language_script(name, "de"))
    begin(page, ["human"] + ["greedy"] * (min(make_game(name).seats) - 1), seed=7)
    page.wait_for_selector(".spot.legal")
    explained = set(
        map(Narrator(make_game(name), language="de").explain, Narrator(make_game(name)).narration.explanations)
    )
    found = page.evaluate(COVERED)
    assert len(found) > 3
    assert all(any(text in one for text in explained) for one in found)
    page.keyboard.press("Tab")
    page.focus(":is(.pane > .board, .own) .spot.legal")
    page.wait_for_selector(".tip")
    assert page.get_attribute(".spot.legal:focus", "aria-describedby") == "tip"
    page.keyboard.press("Escape")
    page.wait_for_selector(".tip", state="hidden")
    assert page.locator("[aria-describedby]").count() == 0


def test_a_long_press_explains_and_chooses_nothing(open_page: Opened) -> None:
    page = open_page(script=language_script(DEFAULT_GAME, "en"))
    begin(page, ["human", "greedy"], seed=7)
    page.wait_for_selector(".spot.legal")
    before = page.locator(".log li").count()
    pressed = """async (long) => {
      const spot = document.querySelector(".spot.legal rect"), { x, y, width, height } = spot.getBoundingClientRect();
      const at = { clientX: x + width / 2, clientY: y + height / 2, pointerType: "touch", bubbles: true };
      spot.dispatchEvent(new PointerEvent("pointerdown", at));
      await new Promise((go) => setTimeout(go, long));
      spot.dispatchEvent(new PointerEvent("pointerup", at));
      spot.dispatchEvent(new MouseEvent("click", at));
      return !document.querySelector(".tip").hidden;
    }"""
    assert page.evaluate(pressed, 700)
    assert page.locator(".log li").count() == before
    assert not page.evaluate(pressed, 10)
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {before}")
