"""The rules on the page: the sheet with the whole page of rules, and the explanations of what is drawn."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest

from agents.web.page.explained import ACTION
from agents.web.page.rules import component_names, page_of, rule_messages, rules_folder_of, rules_of
from agents.web.page.words import words_of
from porta_nigra_env.core.narration.language import LANGUAGES, SOURCE, Language
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.games import DEFAULT_GAME, GAMES, make_game
from tests.page.fixtures import Opened
from tests.page.playing import begin, in_each_language
from tests.page.test_access import check_access
from tests.parameters import first_by_default

#: Points at places one after the other, and returns the first few explanations.
COVERED = """async () => {
  const tip = document.querySelector(".tip"), found = new Set();
  const spots = [...document.querySelectorAll(".spot")];
  const kinds = new Map(spots.map((one) => [one.dataset.place.replace(/ .*/, ""), one]));
  // One of each kind first: each explanation takes half a second, and those of a kind may be the same.
  for (const one of new Set([...kinds.values(), ...spots])) {
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


#: Marks that a translation keeps: numbers with those of rulings, code, links, signs of bold and of slanted texts.
KEPT = (r"[A-Z]?\d+", r"`[^`]*`", r"\]\([^)]*\)", r"\*\*", r"(?<!\*)\*(?!\*)", r"\[")
#: Words of English that German sentences do not have.
ENGLISH = re.compile(r"\b(?:the|and|of|is|are|player|with|for|by|to|from|not)\b")

#: Components whose names are also words of another meaning: a marker of points, the end of an auction.
AMBIGUOUS = {"marker", "end"}


def folded(text: str) -> str:
    """Return a text in lower case and without umlauts, which plurals may add."""
    return unicodedata.normalize("NFD", text.lower()).encode("ascii", "ignore").decode()


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


@pytest.mark.parametrize("language", set(LANGUAGES) - {SOURCE})
@pytest.mark.parametrize("name", GAMES)
def test_a_translation_of_the_rules_keeps_numbers_marks_and_links(name: str, language: str) -> None:
    said = Language(language, [rules_folder_of(name)])
    texts = rule_messages(name)
    assert len(texts) > 50
    for text in texts:
        translated = said.text(text)
        for mark in KEPT:
            assert sorted(re.findall(mark, text)) == sorted(re.findall(mark, translated)), translated
    shown = json.dumps([rules_of(name, each) for each in (SOURCE, language)], ensure_ascii=False)
    rulings = [re.findall(r'\["bold", "([A-Z]\d+)"\]', json.dumps(rules_of(name, each))) for each in (SOURCE, language)]
    assert rulings[0] == rulings[1]
    assert rulings[0]
    assert "**" not in shown


@pytest.mark.parametrize("name", GAMES)
def test_german_rules_have_no_english(name: str) -> None:
    said = Language("de", [rules_folder_of(name)])
    texts = [re.sub(r"`[^`]*`|\[[\w.]+\]\([^)]*\)", "", said.text(text)) for text in rule_messages(name)]
    assert [text for text in texts if ENGLISH.search(text)] == []


@pytest.mark.parametrize("name", GAMES)
def test_german_rules_name_things_as_the_game_does(name: str) -> None:
    """The names of components are those of the game's catalogues, with any endings."""
    narration = make_game(name).narration()
    assert narration is not None
    english, german = (component_names(make_game(name), Language(each, [narration.folder])) for each in LANGUAGES)
    said, checked = Language("de", [rules_folder_of(name)]), 0
    for component in english.keys() - AMBIGUOUS:
        stems = [folded(word)[:5] for word in re.findall(r"[A-ZÄÖÜ]\w+", german[component])]
        for text in rule_messages(name):
            if re.search(rf"\b{re.escape(english[component])}s?\b", re.sub(r"`[^`]*`", "", text), re.IGNORECASE):
                translated = folded(said.text(text))
                assert all(stem in translated for stem in stems), (component, said.text(text))
                checked += 1
    assert checked > 50


@pytest.mark.parametrize("name", GAMES)
def test_every_ruling_of_an_explanation_is_in_the_sheet(name: str) -> None:
    narrator = Narrator(make_game(name))
    marked = set(re.findall(r'\["bold", "([A-Z]\d+)"\]', json.dumps(rules_of(name))))
    assert {one.ruling for one in narrator.narration.explanations.values()} <= marked


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", first_by_default(GAMES))
def test_a_key_opens_the_rules_and_escape_leads_back(open_page: Opened, name: str, language: str) -> None:
    page = open_page(script=language_script(name, language), width=390, height=844, scheme="dark")
    page.wait_for_selector("form")
    loaded: list[str] = []
    page.on("request", lambda one: loaded.extend(re.findall(r"games/(\w+\.rules\.\w+)\.", one.url)))
    page.focus("main a.button")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert page.evaluate("document.activeElement.closest('dialog') !== null")
    for part in page.locator("dialog summary").all():
        part.click()
    check_access(page, 390)
    text = page.inner_text("dialog")
    assert loaded == [f"{name}.rules.{language}"]
    narrator = Narrator(make_game(name), language=language)
    assert all(narrator.explain(one).rpartition(" (")[0] in text for one in narrator.narration.explanations)
    page.locator(".cited").last.click()
    assert page.evaluate("document.activeElement.dataset.ruling") == page.locator(".cited").last.inner_text()
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate("document.activeElement.matches('main a.button')")


@pytest.mark.parametrize("name", first_by_default(GAMES))
def test_places_explain_themselves_to_mouse_keyboard_and_finger(open_page: Opened, name: str) -> None:
    page = open_page(script=language_script(name, "de"))
    begin(page, ["human"] + ["greedy"] * (min(make_game(name).seats) - 1), seed=7)
    page.wait_for_selector(".spot.legal")
    words = words_of(make_game(name), "de")
    assert words is not None
    explained = words["explanations"].values()
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


@in_each_language
@pytest.mark.parametrize("name", first_by_default(GAMES))
def test_actions_of_the_list_explain_themselves(open_page: Opened, name: str, language: str) -> None:
    page = open_page(script=language_script(name, language))
    begin(page, ["human"] + ["greedy"] * (min(make_game(name).seats) - 1), seed=7)
    page.wait_for_selector(".option")
    page.mouse.move(0, 0)
    words = words_of(make_game(name), language)
    assert words is not None
    actions = {text for kind, text in words["explanations"].items() if kind.startswith(ACTION)}
    for way in (page.locator(".option").first.hover, page.locator(".option").last.focus):
        way()
        page.wait_for_selector("#actiontip", state="visible")
        assert page.inner_text("#actiontip").partition(": ")[2] in actions
        assert page.locator(".option[aria-describedby=actiontip]").count() == 1
        page.keyboard.press("Escape")
        page.wait_for_selector("#actiontip", state="hidden")
        page.mouse.move(0, 0)
    before = page.locator(".log li").count()
    pressed = """async (long) => {
      const option = document.querySelector(".option"), at = { pointerType: "touch", bubbles: true };
      option.dispatchEvent(new PointerEvent("pointerdown", at));
      await new Promise((go) => setTimeout(go, long));
      const shown = !document.querySelector("#actiontip").hidden;
      option.click();
      return shown;
    }"""
    assert page.evaluate(pressed, 700)
    assert page.locator(".log li").count() == before
    assert not page.evaluate(pressed, 10)
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {before}")


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
