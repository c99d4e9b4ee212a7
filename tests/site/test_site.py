"""The documentation site: it builds without a warning, its links have targets, its games run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from agents.web.page.serving import serve
from porta_nigra_env.games import GAMES
from tests.architecture.sources import ROOT

# The build takes more than a minute.
pytestmark = pytest.mark.long

HOST = "http://site/"


class Links(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors, self.links = {""}, list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value or "")
            elif name in ("href", "src"):
                self.links.append(value or "")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All files of the site by name."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", "docs", "-d", str(folder / "trees")]
    done = subprocess.run([*command, ".", str(folder / "site")], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paths = [path for path in (folder / "site").rglob("*") if path.is_file()]
    return {str(path.relative_to(folder / "site")): path.read_bytes() for path in paths}


@pytest.fixture(scope="session")
def site_address(built: dict[str, bytes]) -> Iterator[str]:
    """The address of the served site."""
    with serve(built) as found:
        yield found


def test_links_have_targets(built: dict[str, bytes]) -> None:
    pages = {
        name: Links(data.decode())
        for name, data in built.items()
        if name.endswith(".html") and not name.startswith("play/")
    }
    assert len(pages) > 80
    missing = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(urljoin(HOST + name, link))
            target, anchor = unquote(parts.path.removeprefix("/")), unquote(parts.fragment)
            if parts.netloc != "site" or parts.scheme != "http":
                continue
            if target not in built or (target in pages and anchor not in pages[target].anchors):
                missing.append(f"{name}: {link}")
    assert missing == []


def test_every_page_is_in_the_tree_of_pages(built: dict[str, bytes]) -> None:
    """The side bar of the front page has the whole tree."""
    linked = {unquote(urlsplit(link).path) for link in Links(built["index.html"].decode()).links}
    made = {"index.html", "README.html", "genindex.html", "py-modindex.html", "search.html"}
    pages = {name for name in built if name.endswith(".html") and not name.startswith(("play/", "_"))}
    assert pages - linked - made == set()
    assert {"docs/environments.html", "docs/api/porta_nigra_env.core.game.html"} <= pages


def test_public_names_are_in_the_reference(built: dict[str, bytes]) -> None:
    names = {
        "porta_nigra_env": ["State", *(f"{game}_v{entry.version}.batch_env" for game, entry in GAMES.items())],
        "porta_nigra_env.core.game": ["game.Game", "state.State", "view.View", "kernel.Kernel"],
        "porta_nigra_env.envs": [
            "batch.BatchEnv",
            "batch_base.BatchBase.step",
            "gymnasium.SeatEnv",
            "pettingzoo.GameAEC",
        ],
        "agents": ["agent.Agent", "registry.make"],
        "training.ppo": ["learner", "losses"],
    }
    for page, ends in names.items():
        anchors = Links(built[f"docs/api/{page}.html"].decode()).anchors
        assert not [end for end in ends if {f"{page}.{end}", f"module-{page}.{end}"}.isdisjoint(anchors)], page


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("game", GAMES)
def test_games_run_in_their_pages(open_page: Any, site_address: str, game: str, scheme: str, width: int) -> None:
    page = open_page(f"docs/{game}.html", width=width, scheme=scheme, at=site_address)
    table = page.frame_locator("iframe.game")
    table.locator("form button.primary").first.click()
    table.locator(".option").first.click()
    table.locator(".log li").first.wait_for()
    assert table.locator("html").get_attribute("data-theme") == scheme
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_search_finds_a_page(open_page: Any, site_address: str) -> None:
    page = open_page("search.html?q=determinize", at=site_address)
    page.wait_for_selector("#search-results ul.search li a[href^='docs/']")
