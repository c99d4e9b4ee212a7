"""Study: other choices, hints, the deal of the day."""

from __future__ import annotations

import json
import random
import time
from typing import Any

from agents.web.page.links import link
from agents.web.server.table import components_digest
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.page.playing import ASKED, actions_of, address_of, choose, expected, phrase, shown, state_of
from tests.page.test_replay import FILES, opened


def test_what_if_branches_leave_the_game_as_it_was(open_page: Any) -> None:
    page = opened(open_page, FILES[0], "#study")
    before = address_of(page)
    played = state_of(before, 0)
    options = page.locator(".option")
    page.wait_for_selector(".option")
    text = options.last.inner_text()
    options.last.click()
    page.wait_for_function("() => document.querySelectorAll('.lines li').length === 2")
    there = state_of(address_of(page))
    assert len(actions_of(address_of(page))) == 1
    assert shown(page) == expected(there, -1)
    assert text
    page.click(".lines li >> nth=0 >> button")
    assert len(actions_of(address_of(page))) == len(actions_of(before))
    page.keyboard.press("Home")
    assert shown(page) == expected(played, -1)


def test_the_values_of_lines_stand_side_by_side(open_page: Any) -> None:
    page = opened(open_page, FILES[0], "#study")
    page.wait_for_selector(".option")
    total = len(actions_of(address_of(page)))
    assert page.locator(".compared").count() == 0
    for number in (1, 2):
        page.locator(".option").nth(number).click()
        page.wait_for_function(f"() => document.querySelectorAll('.lines li').length === {number + 1}")
        page.click(".lines li >> nth=0 >> button")
        page.keyboard.press("Home")
        page.wait_for_function("() => document.querySelector('.transport output').textContent.startsWith('0 ')")
    page.keyboard.press("End")
    values = """() => [...document.querySelectorAll(".compared tbody tr")]
        .map((row) => [...row.children].map((one) => one.innerText))"""
    page.wait_for_function("() => !document.querySelector('.compared tbody').textContent.includes('…')")
    rows = page.evaluate(values)
    # The game to its end; the others have one step.
    assert [row[1] for row in rows] == [str(total), "1", "1"]
    assert sorted(rows[0][2:]) == ["0 %", "100 %"]
    assert all(98 <= sum(int(cell.split()[0]) for cell in row[2:]) <= 102 for row in rows)
    page.keyboard.press("Home")
    assert [row[1] for row in page.evaluate(values)] == ["0", "0", "0"]
    # A line can be left out; a single one is not compared.
    page.locator(".lines input").nth(2).uncheck()
    assert len(page.evaluate(values)) == 2
    page.locator(".lines input").nth(1).uncheck()
    assert page.locator(".compared").count() == 0


def test_take_back_and_an_agents_decision(open_page: Any) -> None:
    page = opened(open_page, FILES[0], "#study")
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    total = len(actions_of(address_of(page)))
    assert page.inner_text(".transport output") == f"{total - 1} of {total}"
    page.keyboard.press("Home")
    page.click("text=Let it decide")
    page.wait_for_function("() => !document.querySelector('.transport output').textContent.startsWith('0 ')")


def test_a_hint_has_reasons(open_page: Any) -> None:
    page = opened(open_page, FILES[0], "#study")
    page.click("text=Hint >> visible=true")
    page.wait_for_selector("section[aria-label=Hint] .bar.chosen")
    assert "sampled states" in page.inner_text("section[aria-label=Hint] p >> nth=0")


def test_where_no_network_tells_who_wins_a_search_is_asked(open_page: Any, site: dict[str, bytes]) -> None:
    """A network of points plays, and expects nothing that a hint could tell: none is published now."""
    entries = json.loads(site["games.json"])
    (entry,) = (one for one in entries if one["name"] == "aquileia")
    entry["networks"]["4"]["reward"] = "points"

    def first(page: Any) -> None:
        page.context.route("**/games.json", lambda route: route.fulfill(json=entries))

    page = open_page(link(make_game("aquileia", 4), 3, [], "study"), first=first)
    page.click("text=Hint >> visible=true")
    page.wait_for_selector("section[aria-label=Hint] .bar.chosen")
    assert "tried most" in page.inner_text("section[aria-label=Hint] p >> nth=0")
    page.click("text=What does a search say?")
    page.wait_for_selector(".insight h3")
    assert page.inner_text(".insight h3").startswith("Search:")


def test_the_deal_of_the_day_is_compared_with_the_agents(open_page: Any) -> None:
    game, day = make_game(DEFAULT_GAME), 20260101
    state, actions, chance = State(game, game.new_states(day)), [], random.Random(1)
    while not state.is_over:
        actions.append(chance.choice(state.legal_ids().tolist()))
        state.apply_id(actions[-1])
    # The person comes back before the last step.
    kept = json.dumps({"actions": actions[:-1]})
    place = f"deal-{DEFAULT_GAME}-{game.version}-{components_digest(game)[:16]}-{day}"
    page = open_page(f"#study?deal={day}", script=f"localStorage.setItem({place!r}, {kept!r})")
    page.wait_for_selector(ASKED)
    assert page.locator(".log li").count() >= len(actions) - 1
    while choose(page, chance):
        pass
    page.wait_for_selector(".dealt tbody tr.mine")
    agents = page.eval_on_selector_all(".dealt tbody tr", "rows => rows.map((row) => row.dataset.agent)")
    assert {"you", "random", "greedy", "network"} <= set(agents)


def a_secret_choice() -> tuple[Any, int, list[int], int]:
    """A game of Aquileia, its seed, and decisions up to a choice that only who makes it may know; and that choice."""
    game = make_game("aquileia", 3)
    for seed in range(20):
        state, actions, chance = State(game, game.new_states(seed)), list[int](), random.Random(seed)
        while not state.is_over:
            legal = state.legal_ids().tolist()
            action = chance.choice(legal)
            if game.told(action, to=(state.player + 1) % 3, by=state.player) is None and len(legal) > 1:
                return game, seed, actions, action
            actions.append(action)
            state.apply_id(action)
    raise AssertionError("no game has secret actions")


def test_what_another_seat_may_not_know_stands_in_no_name_of_a_branch(open_page: Any) -> None:
    game, seed, actions, action = a_secret_choice()
    state = State(game, game.new_states(seed))
    for one in actions:
        state.apply_id(one)
    mover = state.player
    other = next(one for one in state.legal_ids().tolist() if one != action)
    page = open_page(link(game, seed, [*actions, action], "study", at=len(actions)))
    page.click(f".option[data-action='{other}']")
    page.wait_for_function("() => document.querySelectorAll('.lines li').length === 2")
    text = phrase(game, other)
    names = page.locator(".lines")
    assert f"What if: {text}" in names.inner_text()
    page.select_option(".status select", str((mover + 1) % 3))
    assert text not in names.inner_text()
    assert "What if: " in names.inner_text()
    assert text not in "".join(names.locator("button").evaluate_all("all => all.map((one) => one.ariaLabel ?? '')"))
    page.select_option(".status select", str(mover))
    assert f"What if: {text}" in names.inner_text()


def test_hints_are_for_the_seat_that_is_shown(open_page: Any) -> None:
    page = opened(open_page, FILES[0], "#study")
    mover = state_of(address_of(page), 0).player
    hint, card = page.locator("text=Hint >> visible=true").first, page.locator("section[aria-label=Hint]")
    begun = time.monotonic()
    page.keyboard.press("h")
    card.locator(".bar").first.wait_for()
    took = time.monotonic() - begun
    page.select_option(".status select", str(1 - mover))
    assert hint.is_disabled()
    page.keyboard.press("h")
    # Nor does one come late that was asked for before.
    page.select_option(".status select", str(mover))
    page.keyboard.press("h")
    page.select_option(".status select", str(1 - mover))
    page.select_option(".status select", "-1")
    page.select_option(".status select", str(1 - mover))
    page.wait_for_timeout(2000 * took + 200)
    assert card.locator(".bar").count() == 0
    assert hint.is_disabled()


def test_a_search_that_answers_late_is_not_shown_to_another_seat(open_page: Any) -> None:
    page = opened(open_page, FILES[0], "#replay")
    mover = state_of(address_of(page), 0).player
    page.click("text=What does a search say?")
    page.select_option(".status select", str(1 - mover))
    page.wait_for_timeout(3000)
    assert page.locator(".insight h3").count() == 0
    page.select_option(".status select", str(mover))
    page.click("text=What does a search say?")
    page.wait_for_selector(".insight h3")
