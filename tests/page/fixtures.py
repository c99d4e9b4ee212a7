"""A browser that looks at the page, and fails a test on errors and on requests to other hosts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from benchmarks.browser import REQUIRED, find_chromium, why_not

Opened = Callable[..., Any]


@pytest.fixture(scope="session")
def site() -> dict[str, bytes]:
    """All files of the page."""
    from agents.web.page.site import Site

    return dict(Site.of().files)


@pytest.fixture(scope="session")
def address(site: dict[str, bytes]) -> Iterator[str]:
    """The address of the page."""
    from agents.web.page.serving import serve

    with serve(site) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A running browser."""
    if reason := why_not():
        if os.environ.get(REQUIRED):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield running
        running.close()


@contextmanager
def opening(browser: Any, address: str) -> Iterator[Opened]:
    """Yield a function that opens pages; close them at the end, and fail on their errors.  See `open_page`."""
    contexts, wrong = [], []

    def open_one(
        fragment: str = "",
        width: int = 1440,
        height: int = 900,
        scheme: str = "light",
        script: str = "",
        first: Callable[[Any], None] | None = None,
        at: str = address,
        breaks: bool = False,
        motion: str = "reduce",
    ) -> Any:
        viewport = {"width": width, "height": height}
        context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion=motion)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(script)
        context.on("weberror", lambda error: wrong.append(f"error: {error.error}"))
        if not breaks:
            context.on("console", note_error)
            context.on("requestfailed", note_failed)
        context.on("request", lambda one: note_foreign(one.url, at))
        if first is not None:
            first(page)
        page.goto(f"{at}{fragment}")
        return page

    def note_error(said: Any) -> None:
        if said.type == "error":
            wrong.append(f"console: {said.text}")

    def note_failed(request: Any) -> None:
        # A page that is left drops what it still loads.
        if request.failure != "net::ERR_ABORTED":
            wrong.append(f"failed: {request.url}: {request.failure}")

    def note_foreign(url: str, at: str) -> None:
        if not url.startswith((at, f"blob:{at}")):
            wrong.append(f"asks for {url}")

    yield open_one
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Opened]:
    """Open the page at a fragment, in a browser without storage: ``open_page("#replay", width=390)``.

    A script runs before the page's own. `first` is called with the empty page. `at` is another address of the page.
    `breaks` allows failed connections. Nothing moves, so that clicks need not wait, unless `motion` is "no-preference".

    Errors, also on the console (such as violations of the Content-Security-Policy), requests to other hosts and failed
    requests fail the test.
    """
    with opening(browser, address) as open_one:
        yield open_one


@pytest.fixture(scope="module")
def modules(browser: Any, address: str) -> Iterator[Any]:
    """The first screen, for tests that only call modules of the page: one for all tests of a file."""
    with opening(browser, address) as open_one:
        page = open_one()
        page.wait_for_selector("form")
        yield page
