"""Hands for the page: setting up, choosing by clicks or keys, reading what is shown."""

from __future__ import annotations

import base64
import random
from typing import Any
from urllib.parse import parse_qs

import numpy as np

from porta_nigra_env.core.drawing import KIND, KINDS, STYLE
from porta_nigra_env.core.game import copied
from porta_nigra_env.core.state import State
from porta_nigra_env.games import make_game

#: What the page waits for: a choice on the board or in the list, a cover, the end.
ASKED = ".spot.legal, .option, .cover button, .outcome"
#: What is shown of each shape: the element's name, its classes, its text.
_SHAPES = """() => [...document.querySelectorAll(".shapes > *")].map((one) =>
    [one.tagName, one.getAttribute("class"), one.tagName === "text" ? one.textContent : ""])"""
#: Names of elements by kind of row.
_TAGS = dict(zip(KINDS, ("rect", "ellipse", "path", "text", "text", "text"), strict=True))


def begin(page: Any, seats: list[str], seed: int) -> None:
    """Start a game: an agent's name for each seat, "human" for a person."""
    page.locator(f"input[name=players][value='{len(seats)}']").check()
    for seat, agent in enumerate(seats):
        page.select_option(f"select[data-seat='{seat}']", agent)
    page.fill("input[name=seed]", str(seed))
    page.click("button[type=submit]")


def state_of(link: str) -> State:
    """The game of a page's link, played again by the kernel."""
    query = {name: values[0] for name, values in parse_qs(link.partition("?")[2]).items()}
    game = make_game(query["g"].rpartition(".")[0], int(query["n"]))
    state = State(game, game.new_states(int(query["s"])))
    packed = query.get("a", "")
    for action in np.frombuffer(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), dtype="<u2").tolist():
        state.apply_id(action)
    return state


def kept_state(page: Any, game: str) -> State:
    """The game in progress as the page has kept it, played again by the kernel."""
    return state_of(page.evaluate(f"JSON.parse(localStorage.getItem('playing-{game}')).link"))


def choose(page: Any, chance: random.Random) -> str:
    """Make one choice by clicks, on the board where it can be made there; what was clicked, "" at the end."""
    page.wait_for_selector(ASKED)
    if page.locator(".outcome").count():
        return ""
    if page.locator(".cover button").count():
        page.click(".cover button")
        return "cover"
    spots = page.locator(".spot.legal")
    if not spots.count():
        options = page.locator(".option")
        options.nth(chance.randrange(options.count())).click()
        return "list"
    spots.nth(chance.randrange(spots.count())).click()
    choices = page.locator(".menu:not([hidden]) button[data-action]")
    if count := choices.count():
        choices.nth(chance.randrange(count)).click()
    return "board"


def shown(page: Any) -> list[list[str]]:
    """The shapes of the board: element, class, text."""
    found: list[list[str]] = page.evaluate(_SHAPES)
    return found


def expected(state: State, viewer: int) -> list[list[str]]:
    """The shapes that the game's drawing has for a viewer, -1 for everything, in Python."""
    game, states = state.game, copied(state.states)
    drawing = game.drawing()
    assert drawing is not None
    if viewer >= 0:
        game.kernel.redact(game.tables, states, 0, viewer)
    styles = tuple(drawing.styles)
    found = []
    for row in drawing.rows(states, 0, viewer):
        tag = _TAGS[KINDS[row[KIND]]]
        found.append([tag, f"d-{styles[row[STYLE]]}", drawing.wording(row) if tag == "text" else ""])
    return found
