"""Reload, Back and Forward: the screen and the step stay, and no game is lost."""

from __future__ import annotations

from typing import Any

import pytest

from agents.web.page.links import link
from porta_nigra_env.games import DEFAULT_GAME, GAMES, make_game
from tests.page.fixtures import Opened
from tests.page.playing import ASKED, address_of, begin, kept_link, shown, state_of
from tests.parameters import first_by_default

#: Makes storage unavailable, as some browsers' settings do.
_NO_STORAGE = """for (const one of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, one, { get() { throw new Error("no storage"); } });"""


def started(open_page: Opened, script: str = "") -> Any:
    """Return a page with a game at the first choice of seat 0."""
    page = open_page(script=script)
    begin(page, ["human", "greedy"], seed=7)
    page.wait_for_selector(".option")
    return page


def choose_first(page: Any) -> None:
    """Choose the first legal action, and wait for the next turn."""
    before = page.locator(".log li").count()
    page.locator(".option").first.click()
    if page.locator(".asks:visible").count():
        page.locator(".asks:visible button").last.click()
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {before}")
    page.wait_for_selector(ASKED)


def test_back_leads_from_a_game_to_the_first_screen_and_forward_into_it(open_page: Opened) -> None:
    page = started(open_page)
    choose_first(page)
    before, address = shown(page), page.url
    assert "7" not in address.partition("#")[2].partition("&id=")[0]
    page.go_back()
    page.wait_for_selector(".shelf")
    assert page.title().startswith("Games")
    page.go_forward()
    page.wait_for_selector(".option")
    assert shown(page) == before
    page.click("nav >> text=Study")
    page.wait_for_selector("text=A new game")
    page.go_back()
    page.wait_for_selector(".option")
    assert (shown(page), page.url) == (before, address)
    assert page.title().startswith("Play ")


def test_a_game_survives_a_reload_with_its_undo(open_page: Opened) -> None:
    page = started(open_page)
    first = shown(page)
    choose_first(page)
    before, taken = shown(page), kept_link(page, DEFAULT_GAME)
    undoable = page.locator("text=Take back").is_enabled()
    page.reload()
    page.wait_for_selector(".option")
    assert shown(page) == before
    assert kept_link(page, DEFAULT_GAME) == taken
    assert page.locator("text=Take back").is_enabled() == undoable
    if undoable:
        page.keyboard.press("Backspace")
        page.wait_for_function("() => document.querySelector('.tools button').disabled")
        assert shown(page) == first


def test_what_was_drawn_cannot_be_taken_back_after_a_reload(open_page: Opened) -> None:
    """The number of actions that may be undone is stored after the action, not before it."""
    page = started(open_page)
    for _ in range(12):
        choose_first(page)
        enabled = page.locator("text=Take back").is_enabled()
        stored = page.evaluate(f"JSON.parse(localStorage.getItem('playing-{DEFAULT_GAME}')).undoable")
        assert (stored > 0) == enabled


def test_without_storage_a_game_is_kept_until_the_page_is_left(open_page: Opened) -> None:
    page = started(open_page, _NO_STORAGE)
    choose_first(page)
    before = shown(page)
    page.go_back()
    page.wait_for_selector(".shelf")
    page.go_forward()
    page.wait_for_selector(".option")
    assert shown(page) == before
    page.reload()
    page.wait_for_selector("text=this browser does not have this game any more")
    page.click("text=To a new game")
    page.wait_for_selector(".shelf")


def test_a_second_game_of_another_tab_does_not_replace_the_first(open_page: Opened) -> None:
    page = started(open_page)
    before = shown(page)
    other = page.context.new_page()
    other.goto(page.url.partition("#")[0])
    begin(other, ["human", "greedy"], seed=8)
    other.wait_for_selector(".option")
    page.reload()
    page.wait_for_selector(".option")
    assert shown(page) == before


def test_the_end_of_a_game_survives_a_reload(open_page: Opened) -> None:
    page = open_page()
    begin(page, ["greedy", "greedy"], seed=7)
    page.wait_for_selector(".outcome")
    page.reload()
    page.wait_for_selector(".outcome")
    assert state_of(page.get_attribute(".outcome a.primary", "href")).is_over
    page.go_back()
    page.wait_for_selector(".shelf")
    assert page.locator("text=Resume the last game").count() == 0


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_change_of_language_keeps_the_game(open_page: Opened, language: str) -> None:
    page = started(open_page, f"localStorage.setItem('language', '\"{language}\"')")
    choose_first(page)
    count = page.locator(".log li").count()
    page.select_option(".top select >> nth=1", "de" if language == "en" else "en")
    page.wait_for_selector(f"html[lang={'de' if language == 'en' else 'en'}] .option")
    assert page.locator(".log li").count() == count


@pytest.mark.parametrize("screen", ["replay", "study"])
def test_a_recorded_game_stays_at_its_step(open_page: Opened, screen: str) -> None:
    game = make_game(DEFAULT_GAME)
    state, actions = state_of(link(game, 3, [])), []
    for _ in range(12):
        actions.append(int(state.legal_ids()[0]))
        state.apply_id(actions[-1])
    page = open_page(link(game, 3, actions, screen))
    page.wait_for_selector(".transport")
    page.select_option("[aria-label=View]", "1")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    address = address_of(page)
    page.reload()
    page.wait_for_selector(".transport")
    assert page.inner_text(".transport output") == "5 of 12"
    assert page.locator("[aria-label=View]").input_value() == "1"
    assert address_of(page) == address


@pytest.mark.parametrize("name", first_by_default(GAMES))
def test_a_lesson_stays_at_its_step(open_page: Opened, name: str) -> None:
    page = open_page(f"#learn?game={name}")
    page.wait_for_selector(".lesson")
    page.click(".lesson >> text=Next")
    page.wait_for_selector("text=Step 2 of")
    text = page.inner_text(".lesson .taught")
    page.reload()
    page.wait_for_selector("text=Step 2 of")
    assert page.inner_text(".lesson .taught") == text
    open_page(f"#learn?game={name}&step=999").wait_for_selector(".lesson >> text=Play a game")


def test_the_log_of_a_resumed_game_stands_at_its_end(open_page: Opened) -> None:
    page = started(open_page)
    for _ in range(8):
        choose_first(page)
    page.reload()
    page.wait_for_selector(".option")
    page.wait_for_timeout(200)
    left = "(one) => [one.scrollTop, one.scrollHeight - one.clientHeight - one.scrollTop]"
    above, below = page.locator(".log").evaluate(left)
    assert above > 0
    assert below == pytest.approx(0, abs=1)
