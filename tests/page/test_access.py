"""Accessibility: axe finds nothing serious on any screen, at both sizes, light and dark; the page opens offline."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.web.page.links import link
from agents.web.page.products import released
from agents.web.page.serving import serve
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.page.playing import ASKED, begin
from tests.page.test_replay import FILES, opened
from tests.page.together import random_game

#: A host that is served as a site: a name of this machine with an origin for itself.
SITE = "tables.localhost"
#: Nothing fades or moves, but what does so for ever: a button on its way to another colour has that of neither.
RESTING = """() => document.getAnimations().every((one) =>
    one.playState !== "running" || one.effect.getTiming().iterations === Infinity)"""
SIZES = (pytest.param(1440, 900, "light", marks=pytest.mark.long), (390, 844, "dark"))


def serious(page: Any) -> list[str]:
    """Return the serious and critical findings of axe."""
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_function(RESTING)
    # Details of all that is in order would double the time.
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def check_access(page: Any, width: int) -> None:
    """axe finds nothing serious, and nothing is wider than the screen."""
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "height", "scheme"), SIZES)
def test_all_screens_are_accessible(open_page: Any, width: int, height: int, scheme: str) -> None:
    window: dict[str, Any] = {"width": width, "height": height, "scheme": scheme}
    page = open_page(**window)
    page.wait_for_selector("form")
    check_access(page, width)
    begin(page, ["human", "greedy"], seed=7)
    page.wait_for_selector(ASKED)
    check_access(page, width)
    for fragment in ("#replay", "#study"):
        again = opened(open_page, FILES[0], fragment, **window)
        again.wait_for_selector(".insight .bar")
        check_access(again, width)
        again.close()


@pytest.mark.parametrize("name", released())
def test_a_game_in_the_middle_with_all_hands_shown_is_accessible(open_page: Any, name: str) -> None:
    game = make_game(name)
    actions = [action for _, action in random_game(game, 7)]
    page = open_page(link(game, 7, actions, at=len(actions) // 2))
    page.click(".summary >> text=Stop")
    assert page.input_value(".status select") == "-1"
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"html[data-theme={scheme}]")
        check_access(page, 1440)


def test_offline_it_opens_and_plays_again(open_page: Any, address: str) -> None:
    page = open_page(at=address.replace("127.0.0.1", SITE))
    page.wait_for_selector("form")
    page.wait_for_selector("html[data-offline=ready]")
    page.context.set_offline(True)
    page.reload()
    begin(page, ["human", "network"], seed=7)
    page.wait_for_selector(ASKED)
    page.locator(".option").first.click()
    page.wait_for_selector(ASKED)
    page.context.set_offline(False)


#: The worker of earlier versions, which took over the port.
OLD_WORKER = """
addEventListener("install", (event) => event.waitUntil(caches.open(`table ${registration.scope} old`)));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", () => {});
"""
_WORKERS = "navigator.serviceWorker.getRegistrations().then((all) => all.length)"


def test_a_local_page_registers_no_service_worker_and_removes_an_old_one(browser: Any, site: dict[str, bytes]) -> None:
    """The port may belong to another program tomorrow."""
    files = {**site, "sw.js": OLD_WORKER.encode()}
    with serve(files) as address:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("form")
        page.evaluate("navigator.serviceWorker.register('sw.js').then(() => navigator.serviceWorker.ready)")
        assert page.evaluate(_WORKERS) == 1
        page.reload()
        page.wait_for_selector("form")
        page.wait_for_function(f"async () => await {_WORKERS} === 0 && (await caches.keys()).length === 0")
        # The new worker removes itself where an old page runs.
        page.evaluate("navigator.serviceWorker.register('sw.js').then(() => navigator.serviceWorker.ready)")
        files["sw.js"] = site["sw.js"]
        page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update())")
        page.wait_for_function(f"async () => await {_WORKERS} === 0 && (await caches.keys()).length === 0")
        page.close()


def test_the_link_over_the_header_leads_to_the_table_and_not_away(open_page: Any) -> None:
    page = open_page()
    begin(page, ["human", "greedy"], seed=7)
    page.wait_for_selector(ASKED)
    page.evaluate("document.querySelector('.skip').focus()")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.locator(ASKED).count()
    # Names that every object has are none of a screen.
    page.evaluate("location.hash = '#constructor'")
    page.wait_for_selector("form")


def test_a_click_on_the_current_screen_restarts_it(open_page: Any) -> None:
    page = open_page("#play")
    begin(page, ["human", "greedy"], seed=7)
    page.wait_for_selector(ASKED)
    page.click("nav >> text=Play")
    page.wait_for_selector("form")


def test_who_plays_by_keyboard_is_back_in_the_list_after_the_others_turns(open_page: Any) -> None:
    page = open_page()
    begin(page, ["human", "greedy"], seed=7)
    for _ in range(12):
        page.wait_for_selector(".option")
        before = page.locator(".log li").count()
        page.locator(".option").first.focus()
        page.keyboard.press("Enter")
        if page.locator(".asks:visible").count():
            page.keyboard.press("Enter")  # the same choice again
        page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {before}")
        page.wait_for_function("() => document.activeElement?.classList.contains('option')")


def test_a_key_that_is_held_chooses_once(open_page: Any) -> None:
    page = open_page()
    begin(page, ["human", "human"], seed=7)
    page.click(".cover button")
    page.wait_for_selector(".option")
    before = page.locator(".log li").count()
    page.keyboard.down("1")
    for _ in range(3):
        page.keyboard.down("1")  # as a keyboard repeats it
    page.keyboard.up("1")
    assert page.locator(".log li").count() <= before + 1


def test_agents_can_be_asked_again_after_a_file_did_not_come(
    open_page: Any, site: dict[str, bytes], address: str
) -> None:
    (entry,) = (one for one in json.loads(site["games.json"]) if one["name"] == DEFAULT_GAME)
    file = f"**/{entry['networks']['2']['file']}"
    page = open_page(breaks=True)
    page.context.route(file, lambda route: route.abort())
    begin(page, ["network", "network"], seed=7)
    page.wait_for_selector("text=Try again")
    page.context.unroute(file)
    page.click("text=Try again")
    page.wait_for_selector(ASKED)
