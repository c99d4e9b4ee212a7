"""Study: other choices, hints, the deal of the day."""

from __future__ import annotations

import json
import random
from typing import Any

from agents.page.links import link
from porta_nigra_env.core.state import State
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.page.playing import actions_of, address_of, choose, expected, shown, state_of
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
    assert "possible worlds" in page.inner_text("section[aria-label=Hint] p >> nth=0")


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
    # The person has played all but the last decision when she comes back.
    kept = json.dumps({"actions": actions[:-1]})
    script = f"localStorage.setItem('deal-{DEFAULT_GAME}-{day}', {kept!r})"
    page = open_page(f"#study?deal={day}", script=script)
    while choose(page, chance):
        pass
    page.wait_for_selector(".dealt tbody tr.mine")
    agents = page.eval_on_selector_all(".dealt tbody tr", "rows => rows.map((row) => row.dataset.agent)")
    assert {"you", "random", "greedy", "network"} <= set(agents)
