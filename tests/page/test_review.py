"""Reviews of replays: skill and luck as in Python, planted blunders, questions, and what is hidden from a seat."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.registry import make
from agents.review.estimates import ENDLESS, Effort, Estimator, baseline
from agents.review.review import choice_effect, states_of
from agents.web.page.links import link
from benchmarks.page import reviewed
from benchmarks.review import TRUE_SAMPLES, is_first, plant
from porta_nigra_env.core.game.results import win_share
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.page.playing import actions_of, address_of, expected, seen_by, shown, state_of
from tests.page.test_access import check_access
from tests.page.test_language import READ, SAME
from tests.page.test_replay import FILES, opened
from tests.parameters import first_by_default

#: Opens the agents of the default game for two players.
AGENTS = """const { catalogue, open } = await import("./games.js"), { Players } = await import("./players.js");
    const game = await open((await catalogue()).find((one) => one.name === name));
    const players = await Players.open(game, 2), { kernel } = players;
    const still = async () => true;"""
#: The largest share of choices of the network that may be called mistakes.
FLAGGED = 0.05
#: The loss of a planted blunder, in results: a fifth of a win.
LOSS = 0.4
#: Games with a planted blunder in the long test; and two of them.
GAMES = 200
BLUNDERS = Path(__file__).with_name("blunders.json")
QUESTION = ".summary ol button"


def check_sums(found: dict[str, Any], state: State) -> None:
    """For every seat start + skill + luck is the result of a game, and skill is that of its steps."""
    places = np.asarray(state.game.places(state.states, 0))
    for number, seat in enumerate(found["seats"]):
        assert seat["start"] + seat["skill"] + seat["luck"] == pytest.approx(seat["result"], abs=1e-9)
        assert seat["result"] == win_share(places, number)
        own = [step["skill"] for step in found["steps"] if step["seat"] == number]
        assert seat["skill"] == pytest.approx(sum(own), abs=1e-9)
        assert seat["skill"] <= 3 * seat["error"]
        assert 0.8 < seat["accuracy"] <= 1


def costliest(browser: Any, address: str, link_of_game: str, number: int) -> list[tuple[int, int]]:
    """Review a game with a planted blunder; return numbers and better actions of the costliest steps."""
    found, state = reviewed(browser, address, link_of_game), state_of(link_of_game)
    check_sums(found, state)
    flagged = [step for step in found["steps"] if step["mistake"] and step["at"] != number - 1]
    assert len(flagged) <= FLAGGED * len(found["steps"])
    # Rollouts to the end, twice, have named every mistake.
    assert all(step["stage"] == 2 and step["skill"] < -0.05 for step in flagged)
    best = {step["at"]: step["best"] for step in found["steps"]}
    return [(at + 1, best[at]) for at in found["costliest"]]


@pytest.mark.parametrize("number", first_by_default([1, 0]))
def test_a_planted_blunder_is_the_costliest_step_of_the_networks_game(browser: Any, address: str, number: int) -> None:
    game = json.loads(BLUNDERS.read_text())[number]
    assert costliest(browser, address, game["link"], game["number"])[0][0] == game["number"]


@pytest.mark.long
def test_planted_blunders_are_the_costliest_steps(browser: Any, address: str) -> None:
    game = make_game(DEFAULT_GAME, 2)
    agent, network, first, seed = make("network", game), baseline("network", game), list[bool](), 0
    rollouts = Estimator(game, network.evaluator, Effort(TRUE_SAMPLES, 1, ENDLESS, 9))
    while len(first) < GAMES:
        seed += 1
        if (blunder := plant(agent, network, seed, LOSS)) is not None:
            listed = costliest(browser, address, link(game, seed, blunder.actions), blunder.number)
            first.append(is_first(listed, blunder, states_of(game, seed, blunder.actions), rollouts))
    assert np.mean(first) >= 0.95


def test_no_share_is_shown_outside_0_to_100_percent(modules: Any) -> None:
    """A network's estimate of a position that is won may exceed a win."""
    script = "async (shares) => (await import('./dom.js')).percent(...shares)"
    cases = {(1.42, 1): "100.0 %", (-0.1, 0): "0 %", (0.615, 1): "61.5 %", (0.615, 0): "62 %", (0.004, 0): "<1 %"}
    assert {case: modules.evaluate(script, list(case)) for case in cases} == cases


def test_the_effect_of_a_choice_is_that_of_python(modules: Any) -> None:
    rng = np.random.default_rng(1)
    for samples in (4, 5, 16):
        values = rng.random((samples, 4, 1))
        effect, error = choice_effect(values, 0)
        script = "async (values) => (await import('./account.js')).effectOf(values)"
        found = modules.evaluate(script, values[:, :, 0].T.tolist())
        assert (found["skill"], found["error"]) == pytest.approx((effect[0], error), abs=1e-12)


def test_values_of_actions_are_those_of_python(modules: Any) -> None:
    """The page's network is rounded, and samples differ: the means agree within their errors."""
    game = make_game(DEFAULT_GAME, 2)
    state = state_of(link(game, 7, []))
    for _ in range(40):
        state.apply_id(int(state.legal_ids()[-1]))
    chosen, effort = int(state.legal_ids()[0]), Effort(samples=64, candidates=4, plies=16)
    python = Estimator(game, baseline("network", game).evaluator, effort).compare(state.view(), chosen)
    seen = list(seen_by(state, state.player).tobytes())
    script = f"""async ({{ name, state, chosen }}) => {{
        {AGENTS}
        const details = {{ state: Uint8Array.from(state), chosen, samples: 64, candidates: 4, plies: 16 }};
        return players.answer("compare", details, still);
    }}"""
    found = modules.evaluate(script, {"name": DEFAULT_GAME, "state": seen, "chosen": chosen})
    assert found["actions"] == python.actions.tolist()
    theirs = (python.results[:, :, state.player] + 1) / 2
    ours = np.array(found["values"]).T
    errors = np.hypot(ours.std(axis=0), theirs.std(axis=0)) / 8
    assert (abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4 * errors + 1e-3).all()


def test_worlds_that_the_mover_cannot_tell_apart_have_the_same_values(modules: Any) -> None:
    script = f"""async ({{ name }}) => {{
        {AGENTS}
        let state = kernel.start(3n);
        for (let i = 0; i < 30; i += 1) state = kernel.after(state, kernel.legal(state)[0]);
        const seat = kernel.mover(state), other = kernel.determinize(state, seat, 5n), answers = [];
        for (const world of [state, other, kernel.after(kernel.start(3n), kernel.legal(kernel.start(3n))[0])]) {{
            const details = {{ state: kernel.seen(world, kernel.mover(world)), samples: 8, candidates: 3, plies: 4 }};
            answers.push(JSON.stringify(await players.answer("compare", details, still)));
        }}
        return {{ differ: state.join() !== other.join(), answers }};
    }}"""
    found = modules.evaluate(script, {"name": DEFAULT_GAME})
    assert found["differ"]
    first, second, another = found["answers"]
    assert first == second != another


#: Keeps the states of all questions to workers.
LISTEN = """window.asked = [];
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (data) {
        const states = data.kind === "stop" ? [] : data.states ?? [data.state];
        window.asked.push(...states.map((state) => [data.kind, ...state].join()));
        post.call(this, data);
    };"""


def test_questions_show_and_send_what_the_mover_knew_and_mistakes_are_found(open_page: Any) -> None:
    page = opened(open_page, FILES[0], review=True, script=LISTEN)
    here = address_of(page)
    total = len(actions_of(here))
    states = [state_of(here, at) for at in range(total)]
    seen = {",".join(map(str, seen_by(state, state.player).tobytes())) for state in states}
    for number in range(2):
        page.wait_for_selector(QUESTION)
        page.locator(QUESTION).nth(number).click()
        at = int(page.inner_text(".transport output").split()[0])
        state = state_of(here, at)
        assert shown(page) == expected(state, state.player)
        assert page.locator(".log li").count() == at
        assert page.locator(".insight:visible, .curve:visible, .marks > *").count() == 0
        assert page.locator(".option").count() == state.mask.sum()
        page.locator(".option").first.click()
        page.wait_for_selector(".summary .bars")
        marks = page.locator(".summary .bars .soft").all_inner_texts()
        assert " · best" in marks[0]
        assert any("played" in mark for mark in marks)
        assert any("yours" in mark for mark in marks)
        assert page.locator(".marks text").count() > 0
        page.click("text=Back to the replay")
        assert page.input_value(".status select") == "-1"
    asked = page.evaluate("window.asked")
    assert {text.partition(",")[0] for text in asked} == {"evaluate", "compare"}
    assert {text.partition(",")[2] for text in asked} <= seen
    # At its end the review knows all mistakes: the next one is one, and a seat's view shows its own.
    ended = "() => /^(\\d+) of \\1 choices are compared/.test(document.querySelector('.summary .row').textContent)"
    page.wait_for_function(ended, timeout=300_000)
    page.click("text=Next mistake")
    page.wait_for_selector(".judged strong.worse")
    assert page.inner_text(".judged strong.worse").startswith("\u2212")
    assert "a mistake" in page.inner_text(".judged")
    assert page.locator(".marks .played").count() + page.locator(".judged .bar.chosen").count() > 0
    page.wait_for_function("() => document.querySelector('.curve .lost')?.getAttribute('d').length")
    page.select_option(".status select", "1")
    own = [state for state in states if state.player == 1]
    label = page.locator(".curve").nth(1).get_attribute("aria-label")
    assert f"of {len(own)} steps" in str(label)
    assert all(text.endswith("player 1") for text in page.locator(QUESTION).all_inner_texts())


def wait_for_one_worker(page: Any) -> None:
    """Wait until the workers of the review have ended; the browser tells it some time after the click."""
    for _ in range(100):
        if len(page.workers) == 1:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{len(page.workers)} workers still run")


def test_a_review_stops_asks_by_keyboard_and_is_accessible_and_resumes(open_page: Any) -> None:
    page = opened(open_page, FILES[0], review=True, width=390, height=844, scheme="dark")
    page.wait_for_selector(QUESTION)
    page.click("text=Stop")
    wait_for_one_worker(page)
    before = page.inner_text(".summary .row")
    check_access(page, 390)
    assert page.inner_text(".summary .row") == before
    page.locator(QUESTION).first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "What would you do?"
    check_access(page, 390)
    page.keyboard.press("1")
    page.wait_for_selector(".summary .bars")
    assert page.evaluate("document.activeElement.textContent") == "The answer"
    check_access(page, 390)
    page.keyboard.press("Escape")
    page.wait_for_selector(QUESTION)
    # The answer can be asked for as well.
    page.locator(QUESTION).first.click()
    page.click("text=Show the answer")
    page.wait_for_selector(".summary .bars")
    assert page.locator(".summary .bars li").count() == 2
    page.keyboard.press("Escape")
    page.click("text=Resume")
    page.wait_for_function("() => document.querySelector('.summary .row').textContent.startsWith('Compared')")
    page.click("nav >> text=Play")
    page.wait_for_selector("form")
    wait_for_one_worker(page)


def test_a_review_is_german_and_its_parts_can_be_seen(open_page: Any) -> None:
    """The table of the longest words fits its card, and every bar has a height."""
    texts = {}
    for language in ("en", "de"):
        script = f"localStorage.setItem('language', '\"{language}\"')"
        page = opened(open_page, FILES[0], review=True, width=1280, height=800, script=script)
        page.wait_for_selector(QUESTION)
        page.wait_for_selector(".judged .bar")
        found = set(page.evaluate(READ))
        page.wait_for_selector(".curve .lost", state="attached")
        wide, room = page.locator(".summary table").evaluate("one => [one.scrollWidth, one.parentElement.clientWidth]")
        assert wide <= room
        bars = "".join(page.locator(".curve path").evaluate_all("all => all.map((one) => one.getAttribute('d'))"))
        heights = [float(height) for height in re.findall(r"v([\d.-]+)", bars)]
        assert len(heights) > 50
        assert min(heights) >= 1
        page.click(".summary .row button >> nth=0")  # the review would take all cores
        page.locator(QUESTION).first.click()
        found |= set(page.evaluate(READ))
        page.keyboard.press("1")
        page.wait_for_selector(".summary .bars")
        texts[language] = found | set(page.evaluate(READ))
        page.keyboard.press("Escape")
        # Letterings of drawings are no elements of HTML.
        found = set(page.locator(".curve text").all_text_contents())
        assert {"en": "round 1", "de": "Runde 1"}[language] in found
        page.close()
    assert sorted(text for text in texts["en"] & texts["de"] if not SAME.match(text)) == []
    assert [text for text in texts["de"] if re.search(r"\d\.\d", text)] == []
    assert [text for text in texts["en"] if re.search(r"\d\.\d", text)] != []


def test_an_unfinished_game_has_no_review(open_page: Any) -> None:
    page = open_page(link(make_game(DEFAULT_GAME), 3, [], "replay"))
    page.wait_for_selector(".insight .bar")
    assert page.locator(".summary:visible").count() == 0
