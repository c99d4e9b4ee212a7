"""Replays: files of the project, links, all views, estimates of the network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from agents.web.page.links import link
from porta_nigra_env.core.game.playthrough import replay
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game
from tests.page.playing import actions_of, address_of, expected, shown, state_of

GOLDEN = Path(__file__).parents[1] / "games" / DEFAULT_GAME / "golden"
FILES = [GOLDEN / f"random_{players}_players_seed_1.txt" for players in game_entry(DEFAULT_GAME).seats]


def opened(open_page: Any, path: Path, fragment: str = "#replay", review: bool = False, **window: Any) -> Any:
    """The page with a file loaded; a review, which would take all cores, only if it is asked for."""
    page = open_page(fragment, **window)
    page.set_input_files("input[type=file]", str(path))
    page.wait_for_selector(".transport")
    if fragment == "#replay" and not review:
        page.click(".summary >> text=Stop")
    return page


@pytest.mark.parametrize(
    "path",
    [*(pytest.param(path, marks=pytest.mark.long, id=path.stem) for path in FILES[:-1]), FILES[-1]],
    ids=lambda path: path.stem,
)
def test_a_playthrough_shows_at_each_place_what_everybody_and_each_seat_knew(open_page: Any, path: Path) -> None:
    page = opened(open_page, path)
    here = address_of(page)
    total = len(actions_of(here))
    assert total == sum(" legal  " in line for line in path.read_text().splitlines())
    assert page.inner_text(".transport output") == f"0 of {total}"
    for place in (0, total // 3, total // 2 + 1, total):
        page.evaluate(
            """place => {
            const slider = document.querySelector(".transport input[type=range]");
            slider.value = place;
            slider.dispatchEvent(new Event("input"));
        }""",
            place,
        )
        state = state_of(here, place)
        for viewer in (-1, 0, state.num_players - 1):
            page.select_option(".status select", str(viewer))
            assert shown(page) == expected(state, viewer), f"place {place}, viewer {viewer}"


@pytest.mark.long
def test_arrows_home_and_end_move_and_n_goes_to_the_next_turn(open_page: Any) -> None:
    page = opened(open_page, FILES[0])
    here = address_of(page)
    total, first = len(actions_of(here)), state_of(here, 0).player
    turn = next(at for at in range(total) if state_of(here, at).player != first)
    keys = (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("n", turn),
        ("End", total),
        ("n", total),
        ("Home", 0),
    )
    for key, place in keys:
        page.keyboard.press(key)
        assert page.inner_text(".transport output") == f"{place} of {total}"


def test_a_replay_runs_by_itself_to_its_end_without_motion(open_page: Any) -> None:
    page = opened(open_page, FILES[0], script="localStorage.setItem('speed', '250')")
    total = len(actions_of(address_of(page)))
    place = "parseInt(document.querySelector('.transport output').textContent)"
    page.keyboard.press("p")
    page.wait_for_selector("[aria-label='Pause (p)']")
    page.wait_for_function(f"() => {place} >= 2")
    assert page.evaluate("document.getAnimations().length") == 0
    page.click("[aria-label='Pause (p)']")
    stopped = page.evaluate(place)
    page.wait_for_timeout(600)
    assert page.evaluate(place) == stopped
    # A step of the visitor pauses, too.
    page.keyboard.press("p")
    page.keyboard.press("End")
    page.wait_for_selector("[aria-label='Play by itself (p)']")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("p")
    page.wait_for_function(f"() => {place} === {total}")
    page.wait_for_selector("[aria-label='Play by itself (p)']")
    # From the end it begins again.
    page.select_option("[aria-label=Speed]", "2000")
    page.keyboard.press("p")
    assert page.evaluate(place) == 0


def test_turns_before_and_after_are_a_key_and_a_button_away(open_page: Any) -> None:
    page = opened(open_page, FILES[0])
    here = address_of(page)
    total = len(actions_of(here))
    movers = [state_of(here, at).player for at in range(total)]
    starts = [at for at in range(total) if at == 0 or movers[at] != movers[at - 1]]
    for at in starts[1:3]:
        page.keyboard.press("n")
        assert page.inner_text(".transport output") == f"{at} of {total}"
    page.keyboard.press("ArrowRight")
    page.click("[aria-label='The turn before (b)']")
    assert page.inner_text(".transport output") == f"{starts[2]} of {total}"
    page.keyboard.press("b")
    assert page.inner_text(".transport output") == f"{starts[1]} of {total}"
    page.click("[aria-label='The next turn (n)']")
    assert page.inner_text(".transport output") == f"{starts[2]} of {total}"
    for key, at in (("End", total), ("n", total), ("b", starts[-1]), ("Home", 0), ("b", 0)):
        page.keyboard.press(key)
        assert page.inner_text(".transport output") == f"{at} of {total}"


def test_the_network_is_asked(open_page: Any) -> None:
    page = opened(open_page, FILES[0], review=True)
    page.wait_for_selector(".insight .bar")
    page.wait_for_function("() => document.querySelectorAll('.curve .track').length === 2")
    assert page.locator(".evaluation span").count() == 2


@pytest.mark.long
def test_in_a_seats_view_the_others_probabilities_are_not_told(open_page: Any) -> None:
    page = opened(open_page, FILES[0])
    page.wait_for_selector(".insight .bar")
    mover = state_of(address_of(page), 0).player
    page.select_option(".status select", str(1 - mover))
    assert page.locator(".insight .bar").count() == 0


@pytest.mark.long
def test_a_saved_game_replays_in_python_and_in_the_page(open_page: Any, tmp_path: Path) -> None:
    page = opened(open_page, FILES[0])
    with page.expect_download() as caught:
        page.click(".tools >> text=Save")
    saved = tmp_path / "saved.txt"
    caught.value.save_as(saved)
    game = make_game(DEFAULT_GAME, 2)
    decisions = replay(saved.read_text(), State(game, game.new_states(1)))
    again = opened(open_page, saved)
    assert len(actions_of(address_of(again))) == decisions


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: "hello", "cannot be read"),
        (lambda text: text.replace("seed 1", "seed 2"), "does not tell the seed"),
        (lambda text: text.replace("_v0,", "_v9,"), "of version 9"),
        (lambda text: text.replace("tables       ", "tables       0"), "other components"),
        (lambda text: text.replace("place basilica", "place nowhere"), "is no action"),
    ],
)
def test_a_file_that_cannot_be_is_refused_in_words(open_page: Any, tmp_path: Path, change: Any, says: str) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_text(change(FILES[0].read_text()))
    page = open_page("#replay")
    page.set_input_files("input[type=file]", str(broken))
    page.wait_for_selector(".trouble:not([hidden])")
    assert says in page.inner_text(".trouble")


def test_a_link_written_in_python_opens_at_its_place(open_page: Any) -> None:
    game = make_game(DEFAULT_GAME)
    state = State(game, game.new_states(3))
    actions: list[int] = []
    while len(actions) < 30:
        actions.append(int(state.legal_ids()[0]))
        state.apply_id(actions[-1])
    page = open_page(link(game, 3, actions, at=20, view=1))
    page.wait_for_selector(".transport")
    assert page.inner_text(".transport output") == "20 of 30"
    assert shown(page) == expected(state_of(link(game, 3, actions), 20), 1)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("#replay?g=nothing.0&n=2&s=1&a=", "no game"),
        (f"#replay?g={DEFAULT_GAME}.0&n=9&s=1&a=", "not played by 9"),
        (f"#replay?g={DEFAULT_GAME}.0&n=2&s=x&a=", "seed must be"),
        (f"#replay?g={DEFAULT_GAME}.0&n=2&s=1&c=0000&a=", "other components"),
        (f"#replay?g={DEFAULT_GAME}.0&n=2&s=1&a=AQ", "half an action"),
        (f"#replay?g={DEFAULT_GAME}.0&n=2&s=1&a=__8", "step 1"),
    ],
)
def test_a_link_that_cannot_be_is_refused_in_words(open_page: Any, broken: str, says: str) -> None:
    page = open_page(broken)
    page.wait_for_selector(".trouble")
    assert says in page.inner_text(".trouble")


def test_a_link_that_was_cut_off_or_altered_is_refused_by_field(open_page: Any) -> None:
    game = make_game(DEFAULT_GAME)
    actions = [int(State(game, game.new_states(3)).legal_ids()[0])]
    whole, page = link(game, 3, actions), open_page("#replay")
    page.wait_for_selector("main h1")
    end = whole.index("&a=")
    for broken, says in (
        (whole[:-1], "it has 0 of 1 actions (a=)"),
        (whole[: end + 3], "it has 0 of 1 actions (a=)"),
        (whole[:end], "it has no actions (a=)"),
        (whole[: end - 1] + whole[end:], "its check (k=) is damaged"),
        (whole.replace("&s=3&", "&s=4&"), "its game, components, players or seed (g=, c=, n=, s=)"),
        (whole.replace(f".{game.version}&", ".9&"), "its game, components, players or seed (g=, c=, n=, s=)"),
        (whole[:-1] + "_", "its actions (a=) do not match"),
        (whole + "AA", "its actions (a=) do not match"),
    ):
        page.get_by_label("or a game's link").fill(broken)
        page.click("text=Open the link")
        page.wait_for_function("says => document.querySelector('.trouble').textContent.includes(says)", arg=says)
    page.select_option("[aria-label=Language]", "de")
    page.get_by_label("oder der Link eines Spiels").fill(whole[:-1])
    page.click("text=Link öffnen")
    page.wait_for_selector("text=das Ende des Links fehlt: er hat 0 von 1 Aktionen (a=)")
    # Links of earlier versions have no check.
    page.get_by_label("oder der Link eines Spiels").fill(re.sub("&k=[^&]*", "", whole))
    page.click("text=Link öffnen")
    page.wait_for_selector(".transport")
    assert address_of(page) == f"{whole}&at=0&view=-1"


def test_a_seed_may_be_told_after_the_file(open_page: Any, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(FILES[0].read_text().replace("seed 1", "seed 2"))
    page = open_page("#replay")
    page.set_input_files("input[type=file]", str(file))
    page.wait_for_selector(".trouble >> visible=true")
    page.click("text=The file does not name its seed")
    page.get_by_label("Seed", exact=True).fill("1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".transport")


def test_a_replay_says_what_it_does_not_know_yet(open_page: Any) -> None:
    """Mistakes are unknown until the network has answered."""
    page = open_page("#replay", script="Worker.prototype.postMessage = () => {}")
    page.set_input_files("input[type=file]", str(FILES[0]))
    page.wait_for_selector(".transport")
    page.click("text=Next mistake")
    page.wait_for_selector("button >> text=Not yet known")
