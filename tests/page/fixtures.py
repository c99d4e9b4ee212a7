"""A browser that looks at the page, and fails a test when the page complains or asks for anything from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchmarks.browser import find_chromium, why_not

Opened = Callable[..., Any]


@pytest.fixture(scope="session")
def site() -> dict[str, bytes]:
    """All files of the page."""
    from agents.page.site import Site

    return dict(Site.of().files)


@pytest.fixture(scope="session")
def address(site: dict[str, bytes]) -> Iterator[str]:
    """Where the page is served."""
    from agents.page.serving import serve

    with serve(site) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A running browser."""
    if reason := why_not():
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Opened]:
    """Opens the page at a fragment, in a browser that remembers nothing: ``open_page("#replay", width=390)``; a script
    runs before the page's own.

    What the page must never do is collected while the test runs, and fails it: errors, errors on the console (among
    them what the Content-Security-Policy refuses), requests to other places, requests that fail.
    """
    contexts, wrong = [], []

    def open_one(
        fragment: str = "", width: int = 1440, height: int = 900, scheme: str = "light", script: str = ""
    ) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(script)
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("console", note_error)
        context.on("request", note_foreign)
        context.on("requestfailed", lambda one: wrong.append(f"failed: {one.url}"))
        page.goto(f"{address}{fragment}")
        return page

    def note_error(said: Any) -> None:
        if said.type == "error":
            wrong.append(f"console: {said.text}")

    def note_foreign(asked: Any) -> None:
        if not asked.url.startswith((address, f"blob:{address}")):
            wrong.append(f"asks for {asked.url}")

    yield open_one
    for context in contexts:
        context.close()
    assert wrong == []
