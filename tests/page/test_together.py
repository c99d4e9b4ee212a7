"""Tables of a server in the browser: people with separate browsers, agents of the server, lost connections."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.seats.terms import Terms
from agents.web.server.journal import Journal as KeptJournal
from agents.web.server.journal import Played
from agents.web.server.table import HUMAN, Table
from benchmarks.browser import why_not
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, game_entry, make_game
from tests.page.fixtures import Opened
from tests.page.playing import actions_of, expected, phrase, shown, state_of
from tests.page.test_access import check_access
from tests.page.together import (
    OWN,
    Journal,
    Overheard,
    check_page,
    decide,
    left,
    open_table,
    play_out,
    random_game,
    tables,
    until,
)

Seated = Callable[..., tuple[Any, Journal, list[str]]]

#: Decisions between two looks at all boards.
LOOK_EVERY = 5
#: More decisions of people than a game has.
WHOLE = 1000
#: A person who was asked for a name once, and gave none.
NAMELESS = "localStorage.setItem('name', '\"\"')"
PHONE = {"width": 360, "height": 780, "scheme": "dark"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the games."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """The address of a server that gives hints."""
    if reason := why_not():
        pytest.skip(reason)
    with tables(folder, "--analyse", "network") as address:
        yield address


@pytest.fixture
def seated(open_page: Opened, server: str, folder: Path) -> Seated:
    """Opens a table and sits down: the page, the journal, the links of the others."""

    def sit(seats: list[str], **window: Any) -> tuple[Any, Journal, list[str]]:
        page = open_page("#together", at=server, **window)
        links = open_table(page, seats)
        if links:
            page.click("text=Sit down")
        page.wait_for_selector(".shapes *")
        name = page.evaluate("JSON.parse(localStorage.getItem('tables'))[0].table")
        return page, Journal(folder / f"{name}.jsonl"), links

    return sit


def fragment(link: str) -> str:
    """Return the fragment of a link."""
    return "#" + link.partition("#")[2]


def asked(journal: Journal, people: int) -> Any:
    """The game when one of the first seats is asked, or at its end; None while agents think."""
    state = journal.state()
    return state if state.is_over or state.player < people else None


@pytest.mark.parametrize("decisions", [10, pytest.param(WHOLE, marks=pytest.mark.long)])
def test_three_browsers_and_an_agent_of_ones_own_at_one_table(
    open_page: Opened, server: str, seated: Seated, decisions: int
) -> None:
    ears = [Overheard() for _ in range(3)]
    agents = [OWN] * (max(game_entry(DEFAULT_GAME).seats) - 3)
    first, journal, links = seated(["me", "human", "human", *agents], first=ears[0].listen)
    assert first.locator(".seat .badge").all_inner_texts() == ["away", "away"]
    pages = [first]
    for link, ear, window in zip(links, ears[1:], ({}, PHONE), strict=True):
        pages.append(open_page(fragment(link), at=server, first=ear.listen, script=NAMELESS, **window))
        pages[-1].wait_for_selector(".shapes *")
    first.wait_for_function("() => !document.querySelector('.seat .badge')")
    # An invitation opens its seat once; the opener never had the token that replaced it.
    late = open_page(fragment(links[0]), at=server, script=NAMELESS)
    late.wait_for_selector(".trouble")
    assert "this invitation was used already" in late.inner_text(".trouble")
    late.close()
    token = pages[1].evaluate("new URLSearchParams(location.hash.split('?')[1]).get('k')")
    assert token
    assert token not in first.evaluate("JSON.stringify(localStorage)")
    pages[1].reload()
    pages[1].wait_for_selector(".shapes *")
    chance = random.Random(7)
    for made in range(decisions):
        state = until(lambda: asked(journal, len(pages)), first.wait_for_timeout)
        if state.is_over:
            break
        if made % LOOK_EVERY == 0:
            for seat, page in enumerate(pages):
                check_page(page, journal, seat)
        if made == 7:
            pages[1].close()
            first.wait_for_selector(".seat[data-seat='1'] .badge")
            pages[1] = come_back(pages[1].context, server, ears[1])
            first.wait_for_function("() => !document.querySelector('.seat .badge')")
            check_page(pages[1], journal, 1)
        decide(pages[state.player], journal, chance)
    for seat, ear in enumerate(ears):
        ear.check(journal, seat)
    if decisions < WHOLE:
        return
    assert state.is_over
    for page in pages:
        page.wait_for_selector(".outcome")
        link = page.get_attribute(".outcome a.primary", "href")
        assert actions_of(link) == journal.actions
        assert shown(page) == expected(state_of(link), -1)


def come_back(context: Any, server: str, ear: Overheard) -> Any:
    """Find the table again after closing the page."""
    page = context.new_page()
    ear.listen(page)
    page.goto(f"{server}#together")
    page.click(".knowntable >> text=Sit down")
    page.wait_for_selector(".shapes *")
    return page


def test_a_decision_is_taken_back(seated: Seated) -> None:
    page, journal, _ = seated(["me", OWN])
    until(lambda: asked(journal, 1), page.wait_for_timeout)
    page.wait_for_selector(".option")
    before, count = shown(page), page.locator(".log li").count()
    page.locator(".option").first.click()
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length === {count + 1}")
    assert shown(page) != before
    page.keyboard.press("Backspace")
    page.wait_for_function(f"() => document.querySelectorAll('.log li').length === {count}")
    assert shown(page) == before
    assert len(journal.actions) == count


def test_a_hint_stands_beside_the_actions(seated: Seated) -> None:
    page, _, _ = seated(["me", OWN])
    page.wait_for_selector(".option")
    options = page.locator(".option").count()
    page.keyboard.press("h")
    page.wait_for_selector(".insight .bar")
    shares = page.locator(".option .numbers").all_inner_texts()
    assert len(shares) == options
    assert abs(sum(int(share.removesuffix(" %")) for share in shares) - 100) <= options
    assert "wins with" in page.inner_text(".insight")
    page.keyboard.press("1")
    page.wait_for_function("() => !document.querySelector('.insight .bar')")


def test_the_log_is_in_view_beside_the_actions(seated: Seated) -> None:
    page, _, _ = seated(["me", OWN], width=1280, height=800, script="localStorage.setItem('language', '\"de\"')")
    page.wait_for_selector(".option")
    box = page.locator(".log").bounding_box()
    assert box["height"] >= 120
    assert box["y"] + box["height"] <= 800
    nav = page.locator("nav")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_selector("[data-mode=phone]")
    assert nav.evaluate("one => one.scrollWidth <= one.clientWidth")


class Line:
    """A page's line to the server, which can be cut.

    Attributes:
        swallowed: kinds of messages of the page that do not get through: the line breaks instead.
        dead: whether new lines break at once.
        lines: how many there were.
    """

    def __init__(self) -> None:
        self.swallowed: tuple[str, ...] = ()
        self.unanswered = False
        self.dead = False
        self.lines = 0

    def lay(self, page: Any) -> None:
        """Between a page and its server."""
        page.route_web_socket("**/api/seat", self._connect)

    def _connect(self, line: Any) -> None:
        self.lines += 1
        if self.dead:
            line.close(code=1011)
            return
        server = line.connect_to_server()

        def said(message: str) -> None:
            if json.loads(message)["kind"] in self.swallowed:
                if self.unanswered:
                    server.send(message)
                self.swallowed = ()
                line.close(code=1011)
                server.close()
                return
            server.send(message)

        line.on_message(said)


@pytest.mark.parametrize("arrives", [False, True])
@pytest.mark.long
def test_a_choice_that_was_on_its_way_when_the_line_broke(seated: Seated, arrives: bool) -> None:
    """It has reached the table, or its player is told that it has not."""
    line = Line()
    page, journal, _ = seated(["me", OWN], first=line.lay)
    page.wait_for_selector(".option")
    before = len(journal.actions)
    line.swallowed, line.unanswered = ("play",), arrives
    text = page.locator(".option .spoken span").first.inner_text()
    page.locator(".option").first.click()
    until(lambda: line.lines == 2, page.wait_for_timeout)
    if arrives:
        page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {before}")
        assert len(journal.actions) > before
        assert not page.locator(".status .trouble").is_visible()
    else:
        page.wait_for_selector("text=has not reached the table")
        assert text in page.inner_text(".status .trouble")
        assert len(journal.actions) == before
        page.locator(".option").first.click()
        page.wait_for_function(f"() => document.querySelectorAll('.log li').length > {before}")
        assert not page.locator(".status .trouble").is_visible()


def test_a_line_that_broke_comes_back_by_itself(seated: Seated) -> None:
    line = Line()
    page, journal, _ = seated(["me", OWN], first=line.lay)
    page.wait_for_selector(".option")
    line.swallowed, line.dead = ("hint",), True
    page.keyboard.press("h")
    page.wait_for_selector(".status .trouble:visible")
    assert "Not connected" in page.inner_text("h1")
    assert page.locator(".option:visible, .spot.legal").count() == 0
    until(lambda: line.lines >= 3, page.wait_for_timeout)
    line.dead = False
    page.wait_for_selector(".option")
    assert not page.locator(".status .trouble").is_visible()
    check_page(page, journal, 0)


#: A page that was hidden for a minute and is looked at again.
_SLEEP = """() => {
    const look = (hidden) => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    };
    look(true);
    const now = performance.now.bind(performance);
    performance.now = () => now() + 60_000;
    look(false);
}"""


@pytest.mark.long
def test_a_machine_that_has_slept_gets_a_new_line(seated: Seated) -> None:
    line = Line()
    page, journal, _ = seated(["me", OWN], first=line.lay)
    page.wait_for_selector(".option")
    page.evaluate(_SLEEP)
    until(lambda: line.lines == 2, page.wait_for_timeout)
    page.wait_for_selector(".option")
    check_page(page, journal, 0)


@pytest.mark.long
def test_a_link_is_copied_by_hand_where_the_browser_does_not(open_page: Opened, server: str) -> None:
    """Pages without https have no clipboard."""
    page = open_page("#together", at=server, script="delete Navigator.prototype.clipboard")
    (link,) = open_table(page, ["me", "human"])
    page.click("text=Copy link")
    page.wait_for_selector("text=Copy the selected text")
    assert page.evaluate("getSelection().toString()") == link
    assert "#together" in page.url


def test_what_the_server_refuses_is_shown_in_words(open_page: Opened, server: str) -> None:
    page = open_page("#seat?k=0123456789abcdef.0.nonsense", at=server)
    page.wait_for_selector(".trouble")
    assert "no such seat" in page.inner_text(".trouble")
    page.click("text=To the tables")
    page.wait_for_selector("form")
    page.fill("input[name=seed]", "seven")
    page.click("button[type=submit]")
    page.wait_for_selector(".trouble:visible")
    assert "seed" in page.inner_text(".trouble")
    again = open_page("#seat", at=server)
    again.wait_for_selector(".trouble")
    assert "names no seat" in again.inner_text(".trouble")


def test_secrets_of_the_others_are_hidden(open_page: Opened, tmp_path: Path) -> None:
    name = next(name for name in GAMES if game_class(name).secret_choices)
    game, seed = make_game(name), 3
    decisions = random_game(game, seed)
    secret = next(at for at, (by, action) in enumerate(decisions) if game.told(action, 0, by) is None)
    mine = next(at for at, (by, _) in enumerate(decisions) if at > secret and by == 0)
    journal, token = left(tmp_path, game, seed, decisions[:mine])
    with tables(tmp_path, game=name) as address:
        page = open_page(f"#seat?k={token}", at=address)
        page.wait_for_selector(".log li")
        told = page.eval_on_selector_all(
            ".log .entry .spoken > span:first-child", "all => all.map((one) => one.textContent)"
        )
    wanted = [(by, game.told(action, 0, by)) for by, action in decisions[:mine]]
    assert told == [
        "chooses something hidden" if action is None else phrase(game, action, by == 0) for by, action in wanted
    ]
    assert len(journal.actions) == mine


@pytest.mark.parametrize(
    ("language", "badge"), [("en", "forfeited"), pytest.param("de", "aufgegeben", marks=pytest.mark.long)]
)
def test_a_program_that_forfeits_is_marked_and_ends_last(
    open_page: Opened, tmp_path: Path, language: str, badge: str
) -> None:
    """The program leads near the end of the game when its time runs out."""
    game = make_game(DEFAULT_GAME, 2)
    seed, decisions = next((seed, random_game(game, seed)) for seed in itertools.count() if leads(game, seed))
    last = max(at for at, (by, _) in enumerate(decisions) if by == 1)
    token, seats, terms = f"{'0' * 16}.0.{'a' * 32}", [HUMAN, HUMAN], Terms(seconds=0.5)
    kept = KeptJournal.new(
        tmp_path / f"{'0' * 16}.jsonl", Table(game, seed, seats), {0: token}, programs=[1], terms=terms
    )
    for place, (seat, action) in enumerate(decisions[:last]):
        kept.append(Played(place, seat, action))
    with tables(tmp_path) as address:
        page = open_page(f"#seat?k={token}", at=address, script=f"localStorage.setItem('language', '\"{language}\"')")
        page.wait_for_selector(".seat[data-seat='1'] .badge >> text=" + badge)
        play_out(page)
        rows = page.eval_on_selector_all(
            ".outcome tr[data-seat]", "all => all.map((row) => [row.dataset.seat, row.cells[0].textContent])"
        )
        assert rows[:2] == [["0", "1"], ["1", "2"]]
        totals = Journal(kept.path).state().totals()
        assert totals[1] > totals[0]


def leads(game: Game, seed: int) -> bool:
    """Return whether seat 1 wins a random game by far."""
    state = State(game, game.new_states(seed))
    for _, action in random_game(game, seed):
        state.apply_id(action)
    return int(state.totals()[1]) > int(state.totals()[0]) + 15


@pytest.mark.long
def test_a_game_ends_with_everything_told(open_page: Opened, tmp_path: Path) -> None:
    game, seed = make_game(DEFAULT_GAME, 2), 11
    decisions = random_game(game, seed)
    last = max(at for at, (by, _) in enumerate(decisions) if by == 0)
    journal, token = left(tmp_path, game, seed, decisions[:last])
    with tables(tmp_path, "--analyse", OWN) as address:
        page = open_page(f"#seat?k={token}", at=address)
        play_out(page)
        link = page.get_attribute(".outcome a.primary", "href")
        assert actions_of(link) == journal.actions
        assert shown(page) == expected(state_of(link), -1)
        page.click(".outcome >> text=Another game")
        page.click("text=See how it ended")
        page.wait_for_selector(".outcome")
        page.click(".outcome >> text=Replay")
        page.click(f"text=What does {OWN} say?")
        # It takes the last one that is legal there.
        page.wait_for_selector(".insight h3")
        wanted = phrase(game, int(state_of(link, 0).legal_ids()[-1]))
        assert page.locator(".insight h3 ~ .bars .name").first.inner_text().removesuffix(" · chosen") == wanted


@pytest.mark.parametrize(
    "window", [PHONE, pytest.param({"width": 1440, "height": 900, "scheme": "light"}, marks=pytest.mark.long)]
)
def test_all_screens_are_accessible(open_page: Opened, server: str, window: dict[str, Any]) -> None:
    line = Line()
    page = open_page("#together", at=server, first=line.lay, **window)
    page.wait_for_selector(f"option[value='{OWN}']", state="attached")
    check_access(page, window["width"])
    open_table(page, ["me", "human"])
    check_access(page, window["width"])
    page.click("nav >> text=Together")
    page.wait_for_selector(".knowntable")
    check_access(page, window["width"])
    open_table(page, ["me", OWN])
    page.wait_for_selector(".option")
    check_access(page, window["width"])
    page.keyboard.press("h")
    page.wait_for_selector(".insight .bar")
    check_access(page, window["width"])
    line.swallowed, line.dead = ("play",), True
    page.keyboard.press("1")
    page.wait_for_selector(".status .trouble:visible")
    check_access(page, window["width"])


def test_a_page_of_files_alone_speaks_of_no_server(open_page: Opened) -> None:
    page = open_page("#together")
    page.wait_for_selector("form")
    assert page.locator("nav a").all_inner_texts() == ["Play", "Replay", "Study"]
    assert page.title().startswith("Games")
