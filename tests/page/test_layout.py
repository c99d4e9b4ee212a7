"""The arrangement of the board: legible texts, elements in view, folded seats, zoom, motion, marks of seats."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agents.web.page.links import link
from agents.web.page.products import released
from agents.web.page.site import STATIC
from benchmarks.legible import SIZES, legible
from porta_nigra_env.core.drawing.tabletop import MOST_SEATS, SYMBOLS
from porta_nigra_env.games import DEFAULT_GAME, game_class, make_game
from tests.page.fixtures import Opened
from tests.page.playing import ASKED, begin
from tests.page.test_rules import language_script

#: CSS pixels of the smallest text of the board, also after zooming on a phone; and the narrowest letters.
SMALLEST, NARROWEST = 11, 0.85
#: Steps of the first seat that are measured.
STEPS = 6
GAMES_AND_SEATS = [(name, players) for name in released() for players in game_class(name).seats]
#: Records the animations of shapes instead of running them.
WATCH = "window.moved = []; Element.prototype.animate = function (frames) { moved.push([this.tagName, frames]); };"
#: Two fingers on the pane that move apart.
PINCH = """() => {
    const pane = document.querySelector(".pane"), { left, top } = pane.getBoundingClientRect();
    const finger = (identifier, apart) =>
        new Touch({ identifier, target: pane, clientX: left + 100 + identifier * apart, clientY: top + 60 });
    const touch = (type, apart) =>
        pane.dispatchEvent(new TouchEvent(type, { cancelable: true, touches: [finger(0, apart), finger(1, apart)] }));
    touch("touchstart", 50);
    touch("touchmove", 150);
    return [pane.querySelector(".board").getBoundingClientRect().width / pane.clientWidth, pane.scrollLeft];
}"""


def least(size: str) -> list[Any]:
    """The games and seats for a size: those that need the most space in every run, the others in long ones."""
    largest = {(name, max(game_class(name).seats)) for name in released()}
    return [pytest.param(*one, size, marks=[] if one in largest else pytest.mark.long) for one in GAMES_AND_SEATS]


@pytest.mark.parametrize(("name", "players", "size"), [*least("desk"), *least("phone")])
def test_the_board_is_legible_and_what_a_choice_needs_is_in_view(
    browser: Any, address: str, name: str, players: int, size: str
) -> None:
    found = legible(browser, address, name, players, size, STEPS, "de" if players % 2 else "en")
    assert all((found.prompt, found.hand, found.choices, found.newest, found.within)), found
    assert found.squeeze >= NARROWEST, found
    assert found.scales == 1, found
    assert (found.map if size == "desk" else found.zoomed) >= SMALLEST, found
    # On a phone the panels are legible as they are, and need no zoom.
    assert found.panels >= (SMALLEST if size == "desk" else 10), found


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_row_of_buttons_is_cut_off_on_a_phone(open_page: Opened, language: str) -> None:
    """The rows wrap in Play, Replay and Study, and the controls of a replay stand at the lower edge."""
    width, height = SIZES["phone"]
    game = make_game(DEFAULT_GAME)
    script = language_script(DEFAULT_GAME, language)
    for fragment in ("", link(game, 3, [], "replay"), link(game, 3, [], "study")):
        page = open_page(fragment, width=width, height=height, script=script)
        if not fragment:
            begin(page, ["human", "random"], seed=7)
        page.wait_for_selector(".shapes *")
        rows = page.locator(".tools > *, .transport .steps > *, #top a, #top button").filter(visible=True)
        boxes = [row.bounding_box() for row in rows.all()]
        assert len(boxes) >= 9
        assert [box for box in boxes if box["x"] < 0 or box["x"] + box["width"] > width] == []
        assert page.locator(".tools").evaluate("one => one.scrollWidth <= one.clientWidth")
        if fragment:
            controls = page.locator(".transport").bounding_box()
            assert height - 16 <= controls["y"] + controls["height"] <= height


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_seat_folds_to_a_line_and_opens_on_a_tap(open_page: Opened, language: str) -> None:
    width, height = SIZES["phone"]
    page = open_page(width=width, height=height, script=language_script("aquileia", language))
    begin(page, ["human", "random", "random"], seed=7)
    page.wait_for_selector(ASKED)
    panel = page.locator(".others [data-panel='1']")
    assert panel.locator("svg.board").get_attribute("aria-label") == {"en": "Player 1", "de": "Spieler 1"}[language]
    line = panel.bounding_box()["height"]
    panel.locator("svg.board").click(position={"x": 20, "y": 10})
    page.wait_for_function("document.querySelector('[data-panel=\"1\"] .fold').ariaExpanded === 'true'")
    assert panel.bounding_box()["height"] > 1.5 * line
    panel.locator(".fold").click()
    assert panel.bounding_box()["height"] == line
    assert page.locator(".own [data-panel='0'] .fold").is_hidden()


def test_two_fingers_enlarge_the_board_around_them(open_page: Opened) -> None:
    width, height = SIZES["phone"]
    page = open_page(width=width, height=height)
    begin(page, ["human", "random"], seed=7)
    page.wait_for_selector(ASKED)
    times, scrolled = page.evaluate(PINCH)
    assert times == pytest.approx(3, abs=0.02)
    assert scrolled > 100
    page.locator(".option").first.click()
    page.wait_for_selector(ASKED)
    assert (
        page.evaluate(
            "document.querySelector('.pane .board').clientWidth / document.querySelector('.pane').clientWidth"
        )
        > 2.9
    )


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_moves_is_animated_unless_less_motion_is_asked_for(open_page: Opened, motion: Any) -> None:
    page = open_page(script=WATCH, motion=motion)
    begin(page, ["human", "random"], seed=7)
    page.wait_for_selector(ASKED)
    for _ in range(3):
        page.locator(".option").first.click()
        page.wait_for_selector(ASKED)
    moved = page.evaluate("moved.filter(([, [first]]) => first.translate).length")
    assert (moved > 0) == (motion == "no-preference")
    assert page.evaluate("moved.length > 0") == (motion == "no-preference")


@pytest.mark.parametrize(("width", "mode"), [(390, "phone"), (1280, "desk"), (1920, "wide")])
def test_the_parts_stand_as_the_window_allows(open_page: Opened, width: int, mode: str) -> None:
    page = open_page(width=width, height=900)
    begin(page, ["human", "random"], seed=7)
    page.wait_for_selector(ASKED)
    assert page.locator(".table").get_attribute("data-mode") == mode
    boxes = {name: page.locator(f".frame .{name}").bounding_box() for name in ("pane", "own")}
    beside = boxes["own"]["x"] >= boxes["pane"]["x"] + boxes["pane"]["width"]
    assert beside == (mode == "wide")


def test_seats_have_the_shapes_of_the_drawings_everywhere() -> None:
    shapes = re.findall(r'^  "(M[^"]+)",$', (STATIC / "mark.js").read_text(encoding="utf-8"), re.MULTILINE)
    assert shapes == [SYMBOLS[f"seat_{seat}"] for seat in range(MOST_SEATS)]


def test_a_text_that_is_too_long_keeps_its_whole_words_for_readers(open_page: Opened) -> None:
    page = open_page()
    page.wait_for_selector("form")
    found = page.evaluate(
        """async ([text, widths]) => {
            const { fitted } = await import("./shape.js");
            const drawing = { font: { advances: { "": 500 }, bold_advances: {} } };
            return widths.map((width) => fitted(drawing, text, 20, false, width));
        }""",
        ["a b c d e f", [0, 110, 100, 80, 30]],
    )
    whole, same, squeezed, smaller, short = found
    assert [one["text"] for one in found[:4]] == ["a b c d e f"] * 4
    assert [whole["length"], same["length"]] == [None, None]
    assert (squeezed["size"], squeezed["length"]) == (20, 100)
    assert smaller["size"] == pytest.approx(20 * 80 / (0.86 * 110))
    assert smaller["length"] == 80
    assert (short["text"], short["size"]) == ("a b.", 13)
