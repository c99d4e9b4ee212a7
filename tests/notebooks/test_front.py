"""Widgets in a browser without a notebook: clicks and keys play, and the drawing equals that of Python."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agents.web.notebook import Replay, Table
from agents.web.notebook.widget import GameWidget
from agents.web.page.products import released
from porta_nigra_env.core.game.playthrough import replay as replayed
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, game_class, make_game
from tests.games.porta_nigra.rules.positions import OTHER
from tests.notebooks.hosting import begun, cell, sent
from tests.page.playing import expected

GOLDEN = Path(__file__).parents[1] / "games" / DEFAULT_GAME / "golden"
TEXT = (GOLDEN / "random_2_players_seed_1.txt").read_text(encoding="utf-8")
_SHAPES = """(all) => all
    .sort((a, b) => a.dataset.row - b.dataset.row)
    .map((one) => [one, one.tagName === "text" ? one.ariaLabel ?? one.textContent : ""])
    .map(([one, text]) => [one.tagName, one.getAttribute("class"), text])"""

Shown = Callable[..., Any]


@pytest.fixture
def show(browser: Any) -> Iterator[Shown]:
    """Shows a widget in a cell, ``show(widget, width=700)``; errors and requests to elsewhere fail the test."""
    wrong: list[str] = []
    with ExitStack() as cells:
        yield lambda widget, **how: cells.enter_context(cell(widget, browser, wrong, **how))
    assert wrong == []


def drawn(page: Any) -> list[list[str]]:
    """The shapes of the board: element, class, text."""
    found: list[list[str]] = page.locator(".shapes > *").evaluate_all(_SHAPES)
    return found


def check_drawn(page: Any, widget: GameWidget, decisions: int) -> None:
    """Wait for a number of lines of the log; the board then equals the drawing of Python."""
    page.locator(".log li").nth(decisions - 1).wait_for(state="attached")
    state, view = widget.shown()
    assert drawn(page) == expected(state, -1 if view is None else view)


@pytest.mark.parametrize("name", released())
def test_clicks_on_the_board_and_in_the_list_play(show: Shown, name: str) -> None:
    policy_rng = random.Random(1)
    state = begun(name)
    table = Table(state, players=dict.fromkeys(range(1, state.num_players), "random"), seed=3)
    page = show(table)
    clicked: set[str] = set()
    for _ in range(8):
        before = len(table.actions)
        spots = page.locator(".spot.legal")
        if spots.count() and policy_rng.random() < 0.7:
            clicked.add("board")
            spots.nth(policy_rng.randrange(spots.count())).click()
            if page.locator(".menu:not([hidden])").count():
                page.locator(".menu button[data-action]").first.click()
        else:
            clicked.add("list")
            options = page.locator(".option")
            options.nth(policy_rng.randrange(options.count())).click()
        page.locator(".log li").nth(before).wait_for(state="attached")
        check_drawn(page, table, len(table.actions))
    assert "board" in clicked


@pytest.mark.parametrize("width", [1000, 600])
@pytest.mark.parametrize("name", released())
def test_board_and_choices_are_in_view_together(show: Shown, name: str, width: int) -> None:
    """Beside each other in a wide cell, below each other in a narrow one, within 700 pixels."""
    state = begun(name, num_players=max(game_class(name).seats))
    page = show(Table(state, players=dict.fromkeys(range(1, state.num_players), "random"), seed=3), width=width)
    page.wait_for_selector(".option")
    page.wait_for_timeout(200)
    names = (".notebook", ".pane", ".own", ".choices", ".option >> nth=0")
    whole, pane, own, choices, option = (page.locator(one).bounding_box() for one in names)
    assert whole["width"] <= width
    assert pane["height"] >= 220
    for box in (pane, own, option):
        assert whole["x"] <= box["x"]
        assert box["x"] + box["width"] <= whole["x"] + width
        # A long text may end below.
        assert box["y"] + (60 if box is option else box["height"]) <= whole["y"] + 700
    assert own["y"] >= pane["y"] + pane["height"]
    if width == 1000:
        assert whole["height"] <= 700
        assert choices["x"] >= pane["x"] + pane["width"]
        assert choices["y"] == pytest.approx(pane["y"], abs=2)
    else:
        assert choices["y"] >= own["y"] + own["height"]


def test_a_replay_is_in_view_as_a_whole(show: Shown) -> None:
    page = show(Replay(TEXT), width=1000)
    page.wait_for_timeout(200)
    whole, board, controls = (page.locator(one).bounding_box() for one in (".notebook", ".pane", ".transport"))
    assert whole["height"] <= 700
    assert board["y"] + board["height"] <= controls["y"]


def test_the_end_of_a_game_tells_the_result(show: Shown) -> None:
    table = Table(begun(), players={1: "greedy"}, seed=1)
    while len(table.state.legal_ids()) and not table.state.is_over:
        before = table.state
        table.play(int(table.state.legal_ids()[-1]))
    table.state = before
    page = show(table)
    page.locator(".option").last.click()
    page.wait_for_selector(".outcome")
    assert table.state.is_over
    totals = {
        row.get_attribute("data-seat"): row.locator("td").last.inner_text()
        for row in page.locator(".outcome tbody tr[data-seat]").all()
    }
    assert totals == {str(seat): str(total) for seat, total in enumerate(table.state.totals().tolist())}
    assert drawn(page) == expected(table.state, -1)


def test_a_decision_is_taken_back(show: Shown) -> None:
    table = Table(begun())
    page = show(table)
    assert page.get_by_role("button", name="Take back").is_disabled()
    page.locator(".option").first.click()
    check_drawn(page, table, 1)
    page.get_by_role("button", name="Take back").click()
    page.locator(".log li").wait_for(state="detached")
    assert table.state == begun()
    assert drawn(page) == expected(table.state, -1)


def test_keys_play_and_stay_in_the_list(show: Shown) -> None:
    table = Table(begun())
    page = show(table)
    page.locator(".option").first.focus()
    for number in range(1, 4):
        action = page.locator(".option").first.get_attribute("data-action")
        page.keyboard.press("1")
        check_drawn(page, table, number)
        assert table.actions[-1] == int(action)
        assert page.evaluate("document.querySelector('.game-widget').shadowRoot.activeElement.className") == "option"
    page.keyboard.press("Backspace")
    page.locator(".log li").nth(2).wait_for(state="detached")
    assert len(table.actions) == 2


def test_what_python_plays_is_shown(show: Shown) -> None:
    table = Table(begun(), view=0)
    page = show(table)
    for number in range(1, 6):
        table.play(int(table.state.legal_ids()[0]))
        page.evaluate("text => window.take(text)", json.dumps(sent(table)[-1:]))
        check_drawn(page, table, number)


def test_a_refusal_is_shown(show: Shown) -> None:
    table = Table(begun())
    page = show(table)
    table.play(int(table.state.legal_ids()[0]))  # which this page has not heard of
    page.locator(".option").first.click()
    page.wait_for_selector(".status .trouble:not([hidden])")
    assert "it has moved on" in page.inner_text(".status .trouble")
    assert len(table.actions) == 1


def test_without_a_kernel_a_table_stands_and_says_that_nobody_answers(show: Shown) -> None:
    table = Table(begun(), view=1)
    page = show(table, kernel=False)
    assert drawn(page) == expected(table.state, 1)
    page.clock.install()
    page.locator(".option").first.click()
    page.clock.fast_forward(4000)
    page.wait_for_selector(".status .trouble:not([hidden])")
    assert "Run the cell again" in page.inner_text(".status .trouble")


def test_a_replay_needs_no_kernel(show: Shown) -> None:
    page = show(Replay(TEXT), kernel=False)
    game = make_game(DEFAULT_GAME, 2)
    whole = Replay(TEXT)
    total = len(whole.actions)
    assert page.inner_text(".transport output") == f"0 of {total}"
    slider = page.locator(".transport input[type=range]")
    for place in (total // 2 + 1, total):
        slider.fill(str(place))
        whole.at = place
        for viewer in (-1, 0, 1):
            page.locator(".status select").first.select_option(str(viewer))
            assert drawn(page) == expected(whole.state, viewer), f"place {place}, viewer {viewer}"
    with page.expect_download() as caught:
        page.get_by_role("button", name="Save").click()
    assert replayed(Path(caught.value.path()).read_text(), State(game, game.new_states(1))) == total


def test_keys_move_through_a_replay_and_python_knows_where(show: Shown) -> None:
    replay = Replay(TEXT, at=3)
    page = show(replay)
    page.get_by_role("button", name="One decision on").click()
    total = len(replay.actions)
    for key, place in (("ArrowRight", 5), ("ArrowLeft", 4), ("End", total), ("Home", 0)):
        page.keyboard.press(key)
        assert page.inner_text(".transport output") == f"{place} of {total}"
        page.wait_for_timeout(100)
        assert replay.at == place
    page.locator(".status select").first.select_option("1")
    page.wait_for_timeout(100)
    assert replay.view == 1
    assert page.evaluate("[location.hash, document.title]") == ["", "A cell"]


def test_python_moves_a_replay(show: Shown) -> None:
    replay = Replay(TEXT)
    page = show(replay)
    page.evaluate("""() => window.take('[{"state": {"at": 7, "view": 1}}]')""")
    replay.at, replay.view = 7, 1
    assert page.inner_text(".transport output") == f"7 of {len(replay.actions)}"
    assert drawn(page) == expected(replay.state, 1)


def test_other_components_are_drawn_as_they_are(show: Shown) -> None:
    state = begun(components=OTHER)
    page = show(Table(state), kernel=False)
    assert drawn(page) == expected(state, -1)
    assert drawn(page) != expected(begun(), -1)


def test_the_notebooks_styles_and_the_games_stay_apart(show: Shown) -> None:
    page = show(Table(begun()), width=600)
    own = page.locator("#own").evaluate("one => getComputedStyle(one).borderTopWidth")
    assert own == "9px"
    assert page.evaluate("document.adoptedStyleSheets.length + document.querySelectorAll('head style').length") == 1
    assert page.locator(".option").first.evaluate("one => getComputedStyle(one).borderTopWidth") == "1px"
    assert page.locator(".choices").is_visible()  # the notebook hides its own .card elements
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("ground", "theme"), [("#ffffff", "light"), ("#111111", "dark"), ("transparent", "light")])
def test_light_and_dark_follow_what_the_widget_stands_on(show: Shown, ground: str, theme: str) -> None:
    page = show(Table(begun()), ground=ground)
    host = page.locator(".game-widget")
    assert host.get_attribute("data-theme") == theme
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    page.wait_for_selector(".game-widget[data-theme=dark]")
    assert host.evaluate("one => getComputedStyle(one).getPropertyValue('--ground').trim()") == "#14171b"
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    page.wait_for_selector(".game-widget[data-theme=light]")


def test_what_is_closed_is_gone_and_hears_nothing(show: Shown) -> None:
    table = Table(begun())
    page = show(table)
    page.evaluate("window.ended()")
    assert page.locator(".game-widget").count() == 0
    page.evaluate('() => window.take(\'[{"state": {"_stands": null}}]\')')


def test_nothing_is_amiss_for_those_who_do_not_see(show: Shown) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = show(Table(begun()), width=700)
    found = Axe().run(page, context="#cell")
    assert found.violations_count == 0, found.generate_report()
