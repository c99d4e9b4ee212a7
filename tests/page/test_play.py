"""Games played in the browser: by clicks at every number of players, by keyboard alone, by several people."""

from __future__ import annotations

import random
from typing import Any

import pytest

from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game
from tests.page.playing import (
    ASKED,
    LISTEN,
    actions_of,
    begin,
    check_board,
    choose,
    expected,
    kept_link,
    phrase,
    seen_by,
    shown,
    state_of,
)
from tests.page.test_access import check_access

#: Decisions between two looks at the whole board.
LOOK_EVERY = 12


@pytest.mark.parametrize(
    "players",
    [
        pytest.param(players, marks=() if players == max(game_entry(DEFAULT_GAME).seats) else pytest.mark.long)
        for players in game_entry(DEFAULT_GAME).seats
    ],
)
def test_a_whole_game_by_clicks_shows_what_the_seat_may_know_and_ends_with_the_scores(
    open_page: Any, players: int
) -> None:
    page = open_page()
    begin(page, ["human"] + ["greedy"] * (players - 1), seed=players)
    chance, decisions = random.Random(players), 0
    while choose(page, chance):
        decisions += 1
        if decisions % LOOK_EVERY == 0:
            check_board(page, DEFAULT_GAME, 0)
    assert decisions > 20
    final = state_of(page.get_attribute(".outcome a.primary", "href"))
    assert final.is_over
    assert shown(page) == expected(final, -1)
    totals = page.eval_on_selector_all(
        ".outcome tbody tr[data-seat]",
        "rows => rows.map((row) => [Number(row.dataset.seat), Number(row.lastChild.textContent)])",
    )
    assert dict(totals) == dict(enumerate(final.totals().tolist()))


@pytest.mark.long
def test_by_keyboard_alone(open_page: Any) -> None:
    page = open_page()
    page.wait_for_selector("form")
    page.focus("input[name=seed]")
    page.keyboard.press("Enter")
    for _ in range(12):
        page.wait_for_selector(".option")
        before = page.locator(".log li").count()
        page.keyboard.press("1")
        if page.locator(".asks:visible").count():
            page.keyboard.press("1")  # the same choice again
        page.wait_for_function(f"() => document.querySelectorAll('.log li').length !== {before}")
    # On the board itself: to a place by Tab, chosen with Enter.
    page.wait_for_selector(".spot.legal")
    before = page.locator(".log li").count()
    page.focus(".brand")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.spot.legal')"):
            break
    assert page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    if page.locator(".menu:not([hidden]), .asks:visible").count():
        page.keyboard.press("Enter")
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length !== {before}")


def test_between_people_a_cover_hides_the_table(open_page: Any) -> None:
    page = open_page(motion="no-preference")
    begin(page, ["human", "human"], seed=7)
    page.wait_for_selector(".cover")
    assert page.locator(".shapes, .log, .option").count() == 0
    first = int(page.inner_text(".cover button").rpartition(" ")[2])
    chance, seats = random.Random(7), set()
    for _ in range(60):
        if page.locator(".cover button").count():
            seats.add(int(page.inner_text(".cover button").rpartition(" ")[2]))
        choose(page, chance)
        page.wait_for_selector(ASKED)
        if page.locator(".shapes").count():
            state = state_of(kept_link(page, DEFAULT_GAME))
            assert shown(page) == expected(state, state.player)
        if len(seats) == 2:
            break
    assert first in seats
    assert seats == {0, 1}


def test_agents_get_only_the_view_of_their_seat(open_page: Any) -> None:
    page = open_page(script=LISTEN)
    begin(page, ["human", "greedy", "network"], seed=7)
    chance = random.Random(7)
    for _ in range(15):
        choose(page, chance)
    page.wait_for_selector(ASKED)
    link, asked = kept_link(page, DEFAULT_GAME), page.evaluate("window.asked")
    states = [state_of(link, place) for place in range(len(actions_of(link)))]
    sights = {seen_by(state, state.player).tobytes() for state in states if state.player}
    assert asked
    for one in asked:
        assert set(one) == {"id", "kind", "game", "players", "state", "agent"}
        assert bytes(one["state"]) in sights


@pytest.mark.long
def test_a_decision_is_taken_back_while_nothing_new_was_seen(open_page: Any) -> None:
    page = open_page()
    begin(page, ["human", "greedy"], seed=7)
    page.wait_for_selector(".option")
    before = shown(page)
    count = page.locator(".log li").count()
    page.locator(".option").first.click()
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length === {count + 1}")
    page.keyboard.press("Backspace")
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length === {count}")
    assert shown(page) == before


@pytest.mark.long
def test_a_game_goes_on_after_the_page_was_left(open_page: Any) -> None:
    page = open_page()
    begin(page, ["human", "greedy"], seed=7)
    page.locator(".option").first.click()
    page.wait_for_selector(ASKED)
    before = shown(page)
    page.reload()
    page.click("text=Resume the last game")
    page.wait_for_selector(ASKED)
    assert shown(page) == before


def test_ending_a_turn_asks_once_while_a_gain_is_left(open_page: Any) -> None:
    page = open_page(width=390, height=844, scheme="dark")
    begin(page, ["human", "greedy"], seed=2522)  # player 0 begins, with the architect
    texts = make_game(DEFAULT_GAME, 2).action_texts
    place, card, end = (
        f".option[data-action='{texts.index(text)}']" for text in ("place basilica", "card architect", "end")
    )
    for one in (place, card):
        page.click(one)
    page.wait_for_selector(end)
    before = page.locator(".log li").count()
    page.click(end)
    page.wait_for_selector(".asks")
    assert page.locator(".log li").count() == before
    assert page.locator(".asks button").all_inner_texts()[1] == phrase(make_game(DEFAULT_GAME, 2), texts.index("end"))
    check_access(page, 390)
    page.click(".asks button >> nth=0")  # the gain; more of them may be left
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length === {before + 1}")
    assert page.locator(".asks:visible").count() == 0
    page.click(end)
    if page.locator(".asks:visible").count():
        page.click(end)
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {before + 1}")
