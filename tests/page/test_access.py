"""For everybody: axe finds nothing serious on any screen, at both sizes, light and dark; offline it opens again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.page.playing import ASKED, begin
from tests.page.test_replay import FILES, opened

SIZES = (pytest.param(1440, 900, "light", marks=pytest.mark.long), (390, 844, "dark"))


def serious(page: Any) -> list[str]:
    """What axe finds that is serious or critical."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize(("width", "height", "scheme"), SIZES)
def test_axe_finds_nothing_serious(open_page: Any, width: int, height: int, scheme: str) -> None:
    window = {"width": width, "height": height, "scheme": scheme}
    page = open_page(**window)
    page.wait_for_selector("form")
    assert serious(page) == []
    begin(page, ["human", "greedy"], seed=7)
    page.wait_for_selector(ASKED)
    assert serious(page) == []
    for fragment in ("#replay", "#study"):
        again = opened(open_page, FILES[0], fragment, **window)
        again.wait_for_selector(".insight .bar")
        assert serious(again) == []


@pytest.mark.parametrize(("width", "height", "scheme"), SIZES)
def test_nothing_is_wider_than_the_screen(open_page: Any, width: int, height: int, scheme: str) -> None:
    window = {"width": width, "height": height, "scheme": scheme}
    page = open_page(**window)
    begin(page, ["human", "greedy"], seed=7)
    page.wait_for_selector(ASKED)
    for one in (page, opened(open_page, FILES[0], "#study", **window)):
        assert one.evaluate("document.documentElement.scrollWidth") <= width


def test_offline_it_opens_and_plays_again(open_page: Any) -> None:
    page = open_page()
    page.wait_for_selector("form")
    page.wait_for_selector("html[data-offline=ready]")
    page.context.set_offline(True)
    page.reload()
    begin(page, ["human", "network"], seed=7)
    page.wait_for_selector(ASKED)
    page.locator(".option").first.click()
    page.wait_for_selector(ASKED)
    page.context.set_offline(False)
