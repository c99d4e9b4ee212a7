"""Helpers for tables of a server: the server, its journals, and the messages of a seat's socket."""

from __future__ import annotations

import base64
import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from agents.web.server import journal
from agents.web.server.table import HUMAN, Table
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game
from tests.page.playing import choose, expected, seen_by, shown
from tests.server.serving import program

#: Seconds until something at a table has happened.
PATIENCE: Final = 60.0
#: Seconds until a click has had its effect.
CLICK: Final = 8.0
#: An agent of the tests' own, by its import path.
OWN: Final = "tests.server.custom_agents:Last"
#: Fields of a state update.
_STANDS: Final = {"kind", "at", "mover", "state", "legal", "from", "log", "since", "undoable"}


@contextmanager
def tables(folder: Path, *more: str, game: str = DEFAULT_GAME) -> Iterator[str]:
    """The page's address at a server of one game, which runs as a separate program."""
    compile_tables(game)
    with program(folder, OWN, "random", "--games", game, *more) as (_, address):
        # Agents are loaded, which may take longer than a test waits.
        address.get("api/agents")
        yield f"{address.origin}/"
        print((folder / "log.txt").read_text())  # shown if a test fails


def compile_tables(name: str) -> None:
    """Compile what tables call, so that no test waits for the compiler: on a loaded machine it takes minutes."""
    for players in game_entry(name).seats:
        table = Table(make_game(name, players), 0, [HUMAN] * players)
        for _ in range(10):
            table.play(int(table.view(table.mover).legal_ids()[-1]))
            for seat in range(players):
                table.update(seat, 0)


def within(seconds: float, true: Callable[[], Any], pause: Callable[[float], None]) -> Any:
    """Wait until a function returns a true value or time is up, and return its value; `pause` takes milliseconds."""
    found, end = true(), time.monotonic() + seconds
    while not found and time.monotonic() < end:
        pause(5)
        found = true()
    return found


def until(true: Callable[[], Any], pause: Callable[[float], None]) -> Any:
    """Wait until a function returns a true value, and return it; see `within`."""
    found = within(PATIENCE, true, pause)
    assert found, f"nothing happens in {PATIENCE:g} s"
    return found


@dataclass(frozen=True)
class Journal:
    """A game on a server, as its journal tells it while the server writes."""

    path: Path

    @property
    def actions(self) -> list[int]:
        """The actions of all complete lines."""
        actions: list[int] = []
        for line in self.path.read_text().split("\n")[1:-1]:
            done = json.loads(line)
            if done["did"] == "play":
                actions.append(done["action"])
            elif done["did"] == "back":
                actions.pop()
        return actions

    def start(self) -> State:
        """The game before the first decision."""
        head = json.loads(self.path.read_text().partition("\n")[0])
        game = make_game(head["game"], head["players"])
        return State(game, game.new_states(int(head["seed"])))

    def state(self) -> State:
        """The game as it stands, played again by the kernel."""
        state = self.start()
        for action in self.actions:
            state.apply_id(action)
        return state


def random_game(game: Game, seed: int) -> list[tuple[int, int]]:
    """Return player and action of each step of a random game."""
    state, chance = State(game, game.new_states(seed)), random.Random(seed)
    found: list[tuple[int, int]] = []
    while not state.is_over:
        found.append((state.player, chance.choice(state.legal_ids().tolist())))
        state.apply_id(found[-1][1])
    return found


def left(folder: Path, game: Game, seed: int, decisions: list[tuple[int, int]]) -> tuple[Journal, str]:
    """The journal of a game that was left, and the token of its seat 0; an agent has all other seats."""
    name, token = "0" * 16, f"{'0' * 16}.0.{'a' * 32}"
    seats = [HUMAN, *[OWN] * (game.num_players - 1)]
    kept = journal.Journal.new(folder / f"{name}.jsonl", Table(game, seed, seats), {0: token})
    for place, (seat, action) in enumerate(decisions):
        kept.append(journal.Played(place, seat, action))
    return Journal(kept.path), token


def open_table(page: Any, seats: list[str]) -> list[str]:
    """Open a table by the form; return the invitations of the other people, without which the seat opens at once.

    Args:
        seats: "me", "human", or an agent's text.
    """
    page.locator(f"input[name=players][value='{len(seats)}']").check()
    for agent in set(seats) - {"me", "human"}:
        page.wait_for_selector(f"select[data-seat='0'] option[value='{agent}']", state="attached")
    for seat, who in enumerate(seats):
        page.select_option(f"select[data-seat='{seat}']", who)
    page.click("button[type=submit]")
    page.wait_for_selector("li[data-seat], .shapes *")
    found: list[str] = page.eval_on_selector_all("li[data-seat] input", "all => all.map((one) => one.value)")
    return found


def decide(page: Any, journal: Journal, chance: random.Random) -> None:
    """One decision with the mouse, by who is asked on this page; until it stands in the journal."""
    before, more = journal.actions, page.locator(".menu:not([hidden]), .asks:not([hidden])")
    end = time.monotonic() + PATIENCE
    while journal.actions == before:
        assert time.monotonic() < end, f"nothing happens in {PATIENCE:g} s"
        choose(page, chance)
        # On a busy machine the page may move what it shows between the look and the click, which is then repeated.
        if not within(CLICK, lambda: journal.actions != before or more.count(), page.wait_for_timeout):
            page.evaluate("window.before = -1")


def play_out(page: Any) -> None:
    """Choose the last action offered until the game is over; it may end at another seat's step during a click."""
    from playwright.sync_api import TimeoutError as Late

    while not page.locator(".outcome").count():
        page.wait_for_selector(".option, .outcome")
        with suppress(Late):
            page.locator(".option").last.click(timeout=2000)
        page.wait_for_timeout(50)


def check_page(page: Any, journal: Journal, seat: int) -> None:
    """Wait until the page shows the current view of `seat`, shape by shape."""
    wanted = expected(journal.state(), seat)
    for _ in range(100):
        if shown(page) == wanted:
            return
        page.wait_for_timeout(20)
    assert shown(page) == wanted


@dataclass
class Overheard:
    """Everything that goes over the sockets and requests of one page."""

    said: list[dict[str, Any]] = field(default_factory=list)
    heard: list[dict[str, Any]] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)

    def listen(self, page: Any) -> None:
        """From now on."""
        page.on("websocket", self._socket)
        page.on("request", lambda one: self.urls.append(one.url))

    def _socket(self, socket: Any) -> None:
        self.urls.append(socket.url)
        socket.on("framesent", lambda frame: self.said.append(json.loads(frame)))
        socket.on("framereceived", lambda frame: self.heard.append(json.loads(frame)))

    def check(self, journal: Journal, seat: int) -> None:
        """Nothing that was heard holds more than the seat may know, bit by bit; nothing secret stands in an address."""
        for one in self.said:
            if one["kind"] == "sit":
                assert not any(one["token"] in url for url in self.urls)
        actions, state = journal.actions, journal.start()
        movers, sights, legal = [], [], []
        for place in range(len(actions) + 1):
            movers.append(state.player)
            sights.append(seen_by(state, seat).tobytes())
            legal.append(state.legal_ids().tolist())
            if place < len(actions):
                state.apply_id(actions[place])
        told = [[by, state.game.told(action, seat, by)] for by, action in zip(movers, actions, strict=False)]
        before = [base64.b64encode(sight).decode() for sight in sights]
        assert any(one["kind"] == "stands" for one in self.heard)
        for number, one in enumerate(self.heard):
            if one["kind"] == "stands":
                at = one["at"]
                assert base64.b64decode(one["state"]) == sights[at]
                assert [step[:2] for step in one["log"]] == told[one["from"] : at]
                assert [record for *_, record in one["log"]] == before[one["from"] : at]
                assert one["legal"] == (legal[at] if movers[at] == seat else [])
                assert set(one) == _STANDS
            elif one["kind"] == "seated":
                assert one["seat"] == seat
            elif one["kind"] == "over":
                assert state.is_over
                assert self.heard[number - 1]["at"] == len(actions)
            else:
                assert one["kind"] in ("here", "named", "said")
