"""The page's files: their sizes and their contents."""

from __future__ import annotations

import json
import re
import socket
import struct
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from agents.web.page.products import released
from agents.web.page.serving import serve
from agents.web.page.site import STATIC, Site
from tests.architecture.sources import games_named

SOURCES = sorted(path for path in STATIC.iterdir() if path.suffix in (".js", ".css", ".html"))
FRONT = sorted(path for path in (STATIC.parents[1] / "notebook" / "front").iterdir() if path.is_file())


@pytest.fixture(scope="module")
def made() -> Site:
    return Site.of()


@pytest.mark.parametrize("game", released())
def test_a_game_with_everything_weighs_little(made: Site, game: str) -> None:
    assert made.weight(game) < 1_200_000


def test_the_same_sources_make_the_same_files(made: Site) -> None:
    assert dict(Site.of().files) == dict(made.files)


def test_modules_come_without_comments_and_with_all_code(made: Site) -> None:
    def code(text: str) -> list[str]:
        return [line for line in text.splitlines() if line.strip() and not re.match(r" *(/\*\*(?!.*\*/.)|\*|//)", line)]

    for path in STATIC.glob("*.js"):
        served = made.files[path.name].decode()
        assert not re.search(r"^ *(/\*\*[^/]*\*/$|//)", served, re.MULTILINE), path.name
        if path.name != "sw.js":
            assert code(served) == code(path.read_text(encoding="utf-8")), path.name


def test_it_is_written_whole(made: Site, tmp_path: Path) -> None:
    made.write(tmp_path)
    written = {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert written == dict(made.files)


def test_what_a_browser_may_load_is_named_strictly(made: Site) -> None:
    index = made.files["index.html"].decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', index)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert rules["style-src"] == rules["connect-src"] == rules["worker-src"] == "'self'"
    for opened in re.finditer(r"<script\b([^>]*)>(.*?)</script>", index, re.DOTALL):
        assert "src=" in opened[1]
        assert not opened[2].strip()
    assert "<style" not in index
    assert " style=" not in index


def test_every_file_that_is_named_is_there(made: Site) -> None:
    index = made.files["index.html"].decode()
    named = set(re.findall(r'(?:src|href)="([^"#]+)"', index))
    for name, data in made.files.items():
        if name.endswith(".js"):
            named |= set(re.findall(r'(?:from|import) ?\(?"\./([^"]+\.js)"', data.decode()))
    for entry in json.loads(made.files["games.json"]):
        named |= {entry["module"], entry["manifest"], entry["colours"], *entry["files"]}
    assert named <= set(made.files)


def test_every_method_that_is_called_is_there() -> None:
    """Some screens come to a call only with some games."""
    texts = [path.read_text(encoding="utf-8") for path in SOURCES if path.suffix == ".js"]
    called = {name for text in texts for name in re.findall(r"\bthis\.(\w+)\(", text)}
    methods = r"^  (?:static |async |get )*(\w+)\(|\bthis\.(\w+) = "
    made = {name for text in texts for found in re.findall(methods, text, re.MULTILINE) for name in found}
    assert called - made == set()


@pytest.mark.parametrize("path", SOURCES + FRONT, ids=lambda path: path.name)
def test_sources_are_short_name_no_game_and_ask_nobody_else(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    assert games_named(text) == []
    addresses = set(re.findall(r"https?://[^\"' )]+", text)) - {"http://www.w3.org/2000/svg"}
    assert addresses == set()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)


def test_a_browser_that_goes_away_is_no_error(capfd: pytest.CaptureFixture[str]) -> None:
    with serve({"large.json": b" " * 20_000_000, "small.json": b"{}"}) as address:
        place = urlsplit(address)
        for _ in range(5):
            with socket.create_connection((str(place.hostname), int(place.port or 0))) as line:
                line.sendall(b"GET /large.json HTTP/1.0\r\n\r\n")
                line.recv(100)
        client = HTTPConnection(place.netloc)
        for _ in range(2):
            client.request("GET", "/small.json")
            assert client.getresponse().read() == b"{}"
        # Closed with a reset instead of an end.
        client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        with urlopen(f"{address}small.json") as answer:
            assert answer.read() == b"{}"
    assert capfd.readouterr().err == ""
