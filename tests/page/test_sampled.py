"""Hints and studies inside a running game, which show nothing that the seat cannot know."""

from __future__ import annotations

import base64
import json
import random
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, make_game
from tests.page.fixtures import Opened
from tests.page.playing import ASKED, LISTEN, begin, choose, expected, kept_link, seen_by, shown, state_of
from tests.page.test_access import check_access

#: The stored sampled position.
_SAMPLED = "JSON.parse(sessionStorage.getItem(`sampled-${location.hash.split('=')[1]}`))"
#: Samples a position of a seat from two states that it cannot tell apart, with the same random numbers.
_TWO_SAMPLES = """async ({ name, players, seed, actions, seat }) => {
    const { catalogue, open } = await import("./games.js");
    const { Line, lineOf } = await import("./line.js");
    const { sampled } = await import("./sampled.js");
    const kernel = (await open((await catalogue()).find((one) => one.name === name))).kernel(players);
    crypto.getRandomValues = (numbers) => numbers.fill(5);
    const line = lineOf(kernel, BigInt(seed), actions);
    const other = new Line(kernel, 1n, kernel.determinize(kernel.seen(line.last, seat), seat, 99n));
    return [line, other].map((one) => {
        const id = sampled(one, seat, "play").split("=")[1];
        return [Array.from(one.last), sessionStorage.getItem(`sampled-${id}`)];
    });
}"""


def state_from(game: Game, data: bytes) -> State:
    """The state of a record's bytes."""
    return State(game, np.frombuffer(data, dtype=game.dtype).copy())


def played(page: Any, steps: int) -> State:
    """Play a game as player 0, and return its state."""
    begin(page, ["human", "greedy"], seed=7)
    chance = random.Random(7)
    for _ in range(steps):
        choose(page, chance)
    page.wait_for_selector(ASKED)
    return state_of(kept_link(page, DEFAULT_GAME))


@pytest.mark.parametrize("name", GAMES)
def test_a_sample_depends_on_the_view_alone(modules: Any, name: str) -> None:
    game = make_game(name)
    state, actions, chance = State(game, game.new_states(3)), [], random.Random(3)
    for _ in range(40):
        actions.append(chance.choice(state.legal_ids().tolist()))
        state.apply_id(actions[-1])
    for seat in range(game.num_players):
        asked = {"name": name, "players": game.num_players, "seed": "3", "actions": actions, "seat": seat}
        (true, one), (other, two) = modules.evaluate(_TWO_SAMPLES, asked)
        assert bytes(true) == state.states.tobytes()
        assert bytes(other) != bytes(true)
        assert one == two
        sample = base64.b64decode(json.loads(one)["state"])
        assert sample != bytes(true)
        assert seen_by(state_from(game, sample), seat).tobytes() == seen_by(state, seat).tobytes()


def test_a_study_from_a_running_game_keeps_the_game_and_its_secrets(open_page: Opened) -> None:
    page = open_page()
    state = played(page, 14)
    link, before = kept_link(page, DEFAULT_GAME), shown(page)
    page.click("text=Study from here")
    page.wait_for_selector(".transport")
    assert shown(page) == expected(state, 0)
    kept = page.evaluate(_SAMPLED)
    assert set(kept) == {"game", "players", "state", "actions", "at", "view", "back"}
    sample = state_from(state.game, base64.b64decode(kept["state"]))
    assert seen_by(sample, 0).tobytes() == seen_by(state, 0).tobytes()
    assert sample.states.tobytes() != state.states.tobytes()
    check_access(page, 1440)
    # Nothing of the true game is on the page: neither its link nor a way to save or copy one.
    assert page.locator("text=Copy link").count() == 0
    assert page.locator("text=Save").count() == 0
    assert link not in page.content()
    page.select_option("[aria-label=View]", "-1")
    page.wait_for_timeout(300)
    assert shown(page) == expected(sample, -1)
    # Actions of the study survive a reload, and do not reach the game.
    page.locator(".option").first.click()
    page.wait_for_function("() => document.querySelector('.transport output').textContent === '1 of 1'")
    page.wait_for_timeout(100)
    page.reload()
    page.wait_for_selector(".transport")
    assert page.inner_text(".transport output") == "1 of 1"
    page.click("text=Back to the game")
    page.wait_for_selector(".option")
    assert shown(page) == before
    assert kept_link(page, DEFAULT_GAME) == link


def test_without_people_a_study_is_of_the_game_itself(open_page: Opened) -> None:
    page = open_page(script="localStorage.setItem('pace', '\"slow\"')")
    begin(page, ["greedy", "greedy"], seed=7)
    page.wait_for_selector(".log li >> nth=2")
    page.click("text=Study from here")
    page.wait_for_selector(".transport")
    assert "&s=7&" in page.url


@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("de", 390)])
def test_a_hint_comes_from_the_view_of_the_seat(open_page: Opened, language: str, width: int) -> None:
    script = f"localStorage.setItem('language', '\"{language}\"');{LISTEN}"
    page = open_page(script=script, width=width, height=844)
    state = played(page, 3)
    while len(state.legal_ids()) < 2:
        choose(page, random.Random(1))
        page.wait_for_selector(ASKED)
        state = state_of(kept_link(page, DEFAULT_GAME))
    page.keyboard.press("h")
    hint = page.locator(f"[aria-label={'Hint' if language == 'en' else 'Tipp'}]")
    hint.locator(".bars").wait_for()
    asked = [one for one in page.evaluate("window.asked") if one["kind"] == "compare"]
    assert [bytes(one["state"]) for one in asked] == [seen_by(state, 0).tobytes()]
    assert 1 <= hint.locator(".bar").count() <= min(4, len(state.legal_ids()))
    check_access(page, width)
    page.locator(".option").first.click()
    hint.wait_for(state="hidden")
