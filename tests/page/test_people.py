"""People in several browsers at one table: names, phrases, the notice of a turn, onlookers, invitations."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.web.server.journal import Journal as KeptJournal
from agents.web.server.journal import Played
from agents.web.server.table import HUMAN, ONLOOKER, Table
from benchmarks.browser import why_not
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.page.fixtures import Opened
from tests.page.playing import drawn, shown
from tests.page.test_access import check_access
from tests.page.test_language import READ, SAME
from tests.page.together import OWN, Journal, decide, open_table, play_out, random_game, tables, until

#: Chooses a language.
SPEAK = "localStorage.setItem('language', '\"{}\"');"
#: Counts tones.
TONES = """window.tones = 0;
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (when) {
    window.tones += 1;
    start.call(this, when);
};"""
#: Hides the page from its person, or shows it again.
HIDE = """(hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
#: Names that would be markup, and that would be translated.
ANNA, LEAVE = "<b>Anna</b> & Änne", "Leave"


#: A game that one choice of player 0 ends, and the tokens of that player and of onlookers.
ENDING, SEED = "0" * 16, 11
TOKEN, ONLOOKERS = f"{ENDING}.0.{'a' * 32}", f"{ENDING}.look.{'b' * 32}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the games, with one that ends soon."""
    folder, game = tmp_path_factory.mktemp("tables"), make_game(DEFAULT_GAME, 2)
    decisions = random_game(game, SEED)
    last = max(at for at, (by, _) in enumerate(decisions) if by == 0)
    table, path = Table(game, SEED, [HUMAN, "random"]), folder / f"{ENDING}.jsonl"
    kept = KeptJournal.new(path, table, {0: TOKEN}, onlooker=ONLOOKERS)
    kept.rename(0, ANNA)
    for place, (seat, action) in enumerate(decisions[:last]):
        kept.append(Played(place, seat, action))
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """The address of a server."""
    if reason := why_not():
        pytest.skip(reason)
    with tables(folder) as address:
        yield address


def fragment(link: str) -> str:
    """Return the fragment of a link."""
    return "#" + link.partition("#")[2]


def names(page: Any, where: str) -> list[str]:
    """Return the names in view at a place of the page, without the marks of direction around them."""
    texts = page.locator(where).all_inner_texts()
    return [text.replace("\u2068", "").replace("\u2069", "").removesuffix(": ").removesuffix(":") for text in texts]


def sees_what_all_know(page: Any, table: Table) -> bool:
    """Return whether an onlooker's board shows the redacted record of no seat."""
    record = np.frombuffer(table.redacted(ONLOOKER, table.seen(ONLOOKER)), dtype=table.game.dtype)
    return shown(page) == drawn(table.game, record, -1)


def act(pages: list[Any], journal: Journal, chance: random.Random) -> int:
    """Let who is to move choose; return the next player."""
    decide(pages[journal.state().player], journal, chance)
    return journal.state().player


def test_two_people_and_an_onlooker(open_page: Opened, server: str, folder: Path) -> None:
    first = open_page("#together", at=server, script=TONES)
    first.fill("input[name=name]", ANNA)
    first.fill("input[name=seed]", "7")
    (link,) = open_table(first, ["me", "human"])
    onlookers = first.input_value("[data-onlooker] input")
    first.wait_for_selector("[data-onlooker] svg.code")
    first.locator("li svg.code").nth(1).wait_for()
    assert first.locator("li svg.code").count() == 2
    first.click("text=Sit down")
    first.wait_for_selector(".shapes *")
    second = open_page(fragment(link), at=server, script=SPEAK.format("de") + TONES)
    second.fill("input[name=name]", LEAVE + "\u202e" + "x" * 30)
    assert second.evaluate("JSON.parse(localStorage.getItem('name'))") == LEAVE + "x" * 18
    second.fill("input[name=name]", LEAVE)
    second.click("button[type=submit]")
    eye = open_page(fragment(onlookers), at=server)
    for page in (second, eye):
        page.wait_for_selector(".shapes *")
    first.wait_for_selector(f".seat[data-seat='1'] >> text={LEAVE}")
    journal = Journal(folder / f"{onlookers.partition('k=')[2].partition('.')[0]}.jsonl")
    pages, chance = [first, second], random.Random(7)
    # The one who waits looks elsewhere until it is their turn; the sound is off at first.
    mover = journal.state().player
    waiting = pages[1 - mover]
    title = waiting.title()
    waiting.evaluate(HIDE, True)
    while act(pages, journal, chance) == mover:
        pass
    waiting.wait_for_function("() => document.title.startsWith('● ')")
    assert waiting.title() == f"● {['Your turn', 'Du bist dran'][1 - mover]} · {title}"
    assert waiting.evaluate("window.tones") == 0
    waiting.evaluate(HIDE, False)
    assert waiting.title() == title
    other = pages[mover]
    other.click(["text=Sound", "text=Ton"][mover])
    assert other.evaluate("window.tones") == 2
    other.evaluate(HIDE, True)
    while act(pages, journal, chance) != mover:
        pass
    other.wait_for_function("() => window.tones === 4 && document.title.startsWith('● ')")
    other.evaluate(HIDE, False)
    # A phrase is in the log of each in the reader's language; names are not translated.
    first.click("text='Say'")
    first.click("[data-phrase=luck]")
    for page, text in ((first, "Good luck!"), (second, "Viel Glück!"), (eye, "Good luck!")):
        page.wait_for_selector(f".log .said >> text={text}")
        assert names(page, ".log .said .called") == [ANNA]
    assert set(names(second, ".log li .entry:not(.said) .called")) == {ANNA, LEAVE}
    assert not first.locator(".called b, .seat b").count()
    texts = set(second.evaluate(READ)) & set(first.evaluate(READ))
    own = {each for each in texts if "\u2068" in each}
    assert [each for each in sorted(texts - own) if not SAME.match(each)] == []
    # The onlooker sees the table late, and has nothing to choose.
    table = KeptJournal.read(journal.path).table()
    assert table.delay == 10
    until(lambda: sees_what_all_know(eye, table), eye.wait_for_timeout)
    assert eye.locator(".log li").count() == max(0, table.at - 10) < table.at
    assert eye.locator(".option, .spot.legal").count() == 0
    eye.keyboard.press("1")
    eye.keyboard.press("Backspace")
    check_access(eye, 1440)
    check_access(second, 1440)
    first.reload()
    first.wait_for_selector(".shapes *")
    assert names(first, ".latest .called") == names(second, ".log li:last-child > .entry:not(.said) .called")
    # What was said stands where it stood.
    assert names(first, ".log .said .called") == [ANNA]
    places = "all => all.map((one) => [...one.closest('ol')?.children ?? []].indexOf(one.closest('li')))"
    assert first.locator(".log .said").evaluate_all(places) == second.locator(".log .said").evaluate_all(places)
    assert len(journal.actions) == table.at


def test_the_end_is_shown_to_onlookers_with_names(open_page: Opened, server: str) -> None:
    page, eye = (open_page(f"#seat?k={one}", at=server) for one in (TOKEN, ONLOOKERS))
    eye.wait_for_selector(".log li")
    assert not eye.locator(".outcome").count()
    play_out(page)
    eye.wait_for_selector(".outcome")
    for one in (page, eye):
        assert names(one, ".outcome tr[data-seat='0'] td:nth-child(2)") == [f"Player 0 ({ANNA})"]
    assert eye.get_attribute(".outcome a.primary", "href") == page.get_attribute(".outcome a.primary", "href")
    eye.goto(f"{server}#together")
    eye.wait_for_selector(".knowntable >> text=See how it ended")


def test_a_name_that_the_server_refuses_is_told(open_page: Opened, server: str) -> None:
    page = open_page("#together", at=server)
    page.evaluate("localStorage.setItem('name', JSON.stringify('a\\tb'))")
    open_table(page, ["me", "human"])
    page.click("text=Sit down")
    page.wait_for_selector(".trouble")
    assert "name: must not have the control character U+0009; remove it" in page.inner_text(".trouble")


def test_the_screens_of_tables_are_german(open_page: Opened, server: str) -> None:
    texts = []
    for language in ("en", "de"):
        page = open_page("#together", at=server, script=SPEAK.format(language))
        page.wait_for_selector(f"option[value='{OWN}']", state="attached")
        read = page.evaluate(READ)
        links = open_table(page, ["me", "human"])
        read += page.evaluate(READ)
        invited = open_page(fragment(links[0]), at=server, script=SPEAK.format(language))
        invited.wait_for_selector("input[name=name]")
        texts.append({*read, *invited.evaluate(READ)})
    assert sorted(text for text in texts[0] & texts[1] if not SAME.match(text)) == []
