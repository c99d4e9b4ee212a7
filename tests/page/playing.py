"""Helpers for the page: set up a game, choose by clicks or keys, read the board."""

from __future__ import annotations

import base64
import random
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from porta_nigra_env.core.drawing.draw_list import KIND, KINDS, STYLE
from porta_nigra_env.core.game.game import Game, copied
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.language import LANGUAGES
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.games import make_game
from tests.parameters import first_by_default

#: The translations are for long runs; `test_language` reads every screen in each language.
in_each_language = pytest.mark.parametrize("language", first_by_default(LANGUAGES))
#: The elements that await a person: a choice on the board or in the list, a cover, the end.
ASKED = ".spot.legal, .option, .cover button, .outcome"
#: Records the questions to the worker.
LISTEN = """{
    window.asked = [];
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (asked) {
        window.asked.push({ ...asked, state: Array.from(asked.state ?? []) });
        return post.call(this, asked);
    };
}"""
#: Waits for the next choice and returns where to click: a question, a menu, sometimes the list, else the board.
_LOOK = """async ([first, second]) => {
    const all = (text) => [...document.querySelectorAll(text)];
    const at = (kind, some) => {
        const one = some[Math.floor(second * some.length)];
        one.scrollIntoView({ block: "nearest" });
        const { x, y, width, height } = one.getBoundingClientRect();
        window.before = kind === "cover" ? -1 : all(".log li").length;
        return { kind, x: x + width / 2, y: y + height / 2 };
    };
    const look = () => {
        const asks = all(".asks:not([hidden]) button");
        const [menu, cover] = [all(".menu:not([hidden]) button[data-action]"), all(".cover button")];
        const [spots, options] = [all(".spot.legal rect"), all(".option")];
        if (all(".outcome").length) return { kind: "" };
        if (asks.length) return at("asks", asks);
        if (menu.length) return at("menu", menu);
        if (all(".log li").length === window.before) return null;
        if (cover.length) return at("cover", cover);
        if (options.length && (first < 0.2 || !spots.length)) return at("list", options);
        return spots.length ? at("board", spots) : null;
    };
    for (;;) {
        const found = look();
        if (found) return found;
        await new Promise((go) => setTimeout(go, 5));
    }
}"""
#: Returns name, classes and whole text of each shape, in the order of the drawing.
_SHAPES = """() => [...document.querySelectorAll(".shapes > *")]
    .sort((a, b) => a.dataset.row - b.dataset.row)
    .map((one) => [one, one.tagName === "text" ? one.ariaLabel ?? one.textContent : ""])
    .map(([one, text]) => [one.tagName, one.getAttribute("class"), text])"""
#: Whether the address is that of the shown step, view and number of actions, which take two bytes each.
_FOLLOWS = """() => {
    const query = new URLSearchParams(location.hash.split("?")[1]);
    const [at, total] = document.querySelector(".transport output").textContent.split(/ (?:of|von) /);
    return query.get("at") === at && query.get("a")?.length === Math.ceil((total * 8) / 3)
        && query.get("view") === document.querySelector(".status select").value;
}"""
#: Names of elements by kind of row.
_TAGS = dict(zip(KINDS, ("rect", "ellipse", "path", "text", "text", "text"), strict=True))


def phrase(game: Game, action: int, own: bool = True) -> str:
    """Return the text of an action on the page, in English; own: as its player reads it, else as others do."""
    text = Narrator(game).action(action)
    text = text if own else text.replace("your", "the")
    return text[:1].upper() + text[1:]


def begin(page: Any, seats: list[str], seed: int) -> None:
    """Start a game: an agent's name for each seat, "human" for a person."""
    page.locator(f"input[name=players][value='{len(seats)}']").check()
    for seat, agent in enumerate(seats):
        page.select_option(f"select[data-seat='{seat}']", agent)
    page.fill("input[name=seed]", str(seed))
    page.click("button[type=submit]")


def actions_of(link: str) -> list[int]:
    """The actions of a page's link."""
    packed = parse_qs(link.partition("?")[2]).get("a", [""])[0]
    data = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    found: list[int] = np.frombuffer(data, dtype="<u2").tolist()
    return found


def state_of(link: str, place: int | None = None) -> State:
    """The game of a page's link at a place, by default its end, played again by the kernel."""
    query = parse_qs(link.partition("?")[2])
    game = make_game(query["g"][0].rpartition(".")[0], int(query["n"][0]))
    state = State(game, game.new_states(int(query["s"][0])))
    for action in actions_of(link)[:place]:
        state.apply_id(action)
    return state


def kept_link(page: Any, game: str) -> str:
    """The link of the game in progress, as the page has kept it."""
    return str(page.evaluate(f"JSON.parse(localStorage.getItem('playing-{game}')).link"))


def address_of(page: Any) -> str:
    """Return the fragment of the page's address, which follows the shown step and its line after a moment."""
    page.wait_for_function(_FOLLOWS)
    return str(page.evaluate("location.hash"))


def seen_by(state: State, seat: int) -> Any:
    """The redacted state of a seat, (1,) array; everything for -1."""
    states = copied(state.states)
    if seat >= 0:
        state.game.kernel.redact(state.game.constants, states, 0, seat)
    return states


def choose(page: Any, chance: random.Random) -> str:
    """Make one choice with the mouse, on the board if possible; return the clicked element's kind, "" at the end."""
    found = page.evaluate(_LOOK, [chance.random(), chance.random()])
    if found["kind"]:
        page.mouse.click(found["x"], found["y"])
    return str(found["kind"])


def shown(page: Any) -> list[list[str]]:
    """The shapes of the board: element, class, text."""
    found: list[list[str]] = page.evaluate(_SHAPES)
    return found


def expected(state: State, viewer: int) -> list[list[str]]:
    """The shapes that the game's drawing has for a viewer, -1 for everything, in Python."""
    return drawn(state.game, seen_by(state, viewer), viewer)


def drawn(game: Game, states: Any, viewer: int) -> list[list[str]]:
    """The shapes of a redacted state, (1,) array."""
    drawing = game.drawing()
    assert drawing is not None
    styles = tuple(drawing.styles)
    found = []
    for row in drawing.rows(states, 0, viewer):
        tag = _TAGS[KINDS[row[KIND]]]
        found.append([tag, f"d-{styles[row[STYLE]]}", drawing.wording(row) if tag == "text" else ""])
    return found


def check_board(page: Any, game: str, seat: int) -> None:
    """Wait until a person is to choose; the board then shows the view of `seat`, shape by shape."""
    page.wait_for_selector(ASKED)
    for _ in range(100):
        if page.locator(".outcome").count():
            return
        wanted = expected(state_of(kept_link(page, game)), seat)
        if shown(page) == wanted:
            return
        page.wait_for_timeout(50)  # others are still playing, or their last decision is being drawn
    assert shown(page) == wanted
