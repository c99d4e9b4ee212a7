"""The archive of finished games: it is kept in the browser, bounded, and survives damaged entries."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games import DEFAULT_GAME
from tests.page.fixtures import Opened
from tests.page.playing import begin, state_of
from tests.page.test_access import check_access

#: Games that are kept, at most.
MOST = 50
#: Copies the only game, each copy a day older than the one before.
_COPY = """count => {
    const [name] = Object.keys(localStorage).filter((one) => one.startsWith("archive-"));
    const game = JSON.parse(localStorage.getItem(name));
    for (let i = 1; i <= count; i += 1) {
        localStorage.setItem(`archive-copy${i}`, JSON.stringify({ ...game, date: game.date - i * 86400000 }));
    }
}"""
_NAMES = "() => Object.keys(localStorage).filter((name) => name.startsWith('archive-'))"


def finish(page: Any, address: str, seed: int) -> None:
    """Let scripted players play a game in Play."""
    page.goto(f"{address}#play")
    begin(page, ["greedy", "greedy"], seed=seed)
    page.wait_for_selector(".outcome")


def test_finished_games_are_kept_opened_and_deleted(open_page: Opened, address: str) -> None:
    page = open_page("#replay")
    page.wait_for_selector(".archive")
    assert page.locator(".archive li").count() == 0
    finish(page, address, 7)
    page.goto(f"{address}#replay")
    page.wait_for_selector(".archive li")
    link = page.get_attribute(".archive .game", "href")
    state = state_of(link)
    totals = state.totals().tolist()
    assert state.is_over
    assert page.inner_text(".archive .game .small") == " · ".join(f"greedy {total}" for total in totals)
    check_access(page, 1440)
    page.click(".archive .game")
    page.wait_for_selector(".transport")
    assert page.locator(".seat >> text=greedy").count() == 2
    # A reload keeps the names.
    page.wait_for_timeout(500)
    page.reload()
    page.wait_for_selector(".seat >> text=greedy")
    page.goto(f"{address}#replay")
    page.click(".archive [aria-label^='Delete the game: ']")
    assert page.locator(".archive li").count() == 0
    assert page.evaluate(_NAMES) == []


def test_the_archive_is_bounded_and_drops_damaged_games(open_page: Opened, address: str) -> None:
    page = open_page()
    finish(page, address, 7)
    page.evaluate(_COPY, MOST - 1)
    for name, value in (("archive-a", "{"), ("archive-b", "[]"), ("archive-c", '{"date": 1, "link": "#replay?g=x"}')):
        page.evaluate("([name, value]) => localStorage.setItem(name, value)", [name, value])
    finish(page, address, 8)
    names = page.evaluate(_NAMES)
    assert len(names) == MOST + 3
    assert f"archive-copy{MOST - 1}" not in names
    assert "archive-copy1" in names
    page.goto(f"{address}#replay")
    page.wait_for_selector("text=Games that could not be read were removed: 3.")
    assert page.locator(".archive li").count() == MOST
    page.click("text=Delete all")
    page.click(f"text=Delete {MOST} games for ever")
    page.wait_for_selector("text=are kept here")
    assert page.evaluate(_NAMES) == []


def test_a_link_with_other_names_than_players_names_none(open_page: Opened, address: str) -> None:
    page = open_page()
    finish(page, address, 7)
    link = page.get_attribute(".outcome a.primary", "href")
    assert link is not None
    assert DEFAULT_GAME in link
    page.goto(f"{address}{link.partition('&by=')[0]}&by=only")
    page.wait_for_selector(".seat >> text=player 1")
