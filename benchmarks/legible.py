"""Legibility of the page: the smallest text of the board, squeezed letters, and the elements in view at once.

A random game is played by clicks in a browser.  After every step the texts of the board are measured as the browser
shows them, in CSS pixels.  Sizes are layout, not time, so they are the same on every machine with the same fonts.
"""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass
from typing import Any, Final

#: Width and height of a computer's window and of a phone.
SIZES: Final = {"desk": (1280, 800), "phone": (390, 844)}
#: Measures the page.  Letters are squeezed if the length of a text is set below its natural one.
_MEASURE: Final = """() => {
    const away = { top: 1e9, bottom: 1e9, left: 1e9, right: 1e9, height: 0 };
    const box = (one) => one?.getBoundingClientRect() ?? away;
    const inView = (one) => {
        const { top, bottom, left, right, height } = box(one);
        return height > 0 && top >= 0 && bottom <= innerHeight + 1 && left >= 0 && right <= innerWidth + 1;
    };
    const map = [1e9], panels = [1e9], squeeze = [1];
    for (const one of document.querySelectorAll(".board text")) {
        const svg = one.closest("svg"), size = one.getAttribute("font-size") * (one.getScreenCTM()?.a ?? 0);
        if (!size || box(one).top > box(svg).bottom) continue;
        (one.closest(".panel") ? panels : map).push(size);
        const length = one.getAttribute("textLength");
        if (!length) continue;
        one.removeAttribute("textLength");
        squeeze.push(length / one.getComputedTextLength());
        one.setAttribute("textLength", length);
    }
    const own = document.querySelector(".own"), boards = document.querySelectorAll(".pane > .board");
    const ofHand = (name) => [...own.querySelectorAll(".spot")].filter((one) => one.dataset.place.startsWith(name));
    const hand = ofHand("hand").length ? ofHand("hand") : ofHand("card");
    const isHeld = (one) => inView(one) && box(one).bottom <= box(own).bottom;
    const choice = document.querySelector(".option"), newest = document.querySelector(".latest");
    return {
        map: Math.min(...map),
        panels: Math.min(...panels),
        squeeze: Math.min(...squeeze),
        scale: boards[boards.length - 1].getScreenCTM().a,
        prompt: inView(document.querySelector(".status h1")),
        hand: [own.querySelector(".board path"), ...hand].every(isHeld),
        choices: !choice || inView(choice),
        newest: !newest.childElementCount || inView(newest),
        within: document.documentElement.scrollWidth <= innerWidth,
    };
}"""
#: Chooses an action of the list at a share of it from its top, and waits for the next choice.
_CHOOSE: Final = """async (share) => {
    const all = (text) => [...document.querySelectorAll(text)], steps = () => all(".log li").length, before = steps();
    const asked = () => all(".option").length > 0 || all(".outcome").length > 0;
    all(".option")[Math.floor(share * all(".option").length)].click();
    all(".asks:not([hidden]) button").at(-1)?.click();
    while (steps() === before || !asked()) await new Promise((go) => setTimeout(go, 20));
    await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
}"""


@dataclass(frozen=True)
class Legibility:
    """The worst view over some steps.

    Attributes:
        map: smallest text of the board without the panels of seats, in CSS pixels.
        panels: smallest text of the open and folded panels.
        squeeze: least width of a text as a share of its natural width.
        scales: different scales of the board, rounded to a thousandth.
        prompt: whether the prompt is in view, without scrolling.
        hand: whether the own hand is.
        choices: whether the first choice is.
        newest: whether the newest line of the log is.
        within: whether nothing is wider than the window.
        zoomed: smallest text of the board at the largest step of the button.
    """

    map: float
    panels: float
    squeeze: float
    scales: int
    prompt: bool
    hand: bool
    choices: bool
    newest: bool
    within: bool
    zoomed: float

    @property
    def line(self) -> str:
        """The figures as a line of a table."""
        seen = [name for name in ("prompt", "hand", "choices", "newest") if getattr(self, name)]
        least = f"{self.map:5.1f} {self.panels:7.1f} {self.zoomed:7.1f} {self.squeeze:8.2f} {self.scales:7}"
        return f"{least}  {', '.join(seen)}"

    def as_dict(self) -> dict[str, float]:
        """Return the figures for a file."""
        return asdict(self)


def legible(
    browser: Any, address: str, game: str, players: int, size: str, steps: int, language: str = "en"
) -> Legibility:
    """Play `steps` random steps of the first seat, the others at random too, and measure after each."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=size == "phone")
    page = context.new_page()
    chosen = {"game": game, "language": language, "pace": "at once"}
    page.add_init_script(
        "".join(f"localStorage.setItem('{name}', '{json.dumps(one)}');" for name, one in chosen.items())
    )
    page.goto(address)
    page.wait_for_selector("form")
    page.locator(f"input[name=players][value='{players}']").check()
    for seat in range(1, players):
        page.select_option(f"select[data-seat='{seat}']", "random")
    page.fill("input[name=seed]", "7")
    page.click("button[type=submit]")
    page.wait_for_selector(".option")
    chance, found = random.Random(players), []
    for _ in range(steps):
        found.append(page.evaluate(_MEASURE))
        page.evaluate(_CHOOSE, chance.random())
        if page.locator(".outcome").count():
            break
    for _ in range(3):
        page.evaluate("() => [...document.querySelectorAll('.tools button')].at(-1).click()")
    zoomed = page.evaluate(_MEASURE)["map"]
    context.close()
    return Legibility(
        **{name: min(one[name] for one in found) for name in ("map", "panels", "squeeze")},
        scales=len({round(one["scale"], 3) for one in found}),
        **{name: all(one[name] for one in found) for name in ("prompt", "hand", "choices", "newest", "within")},
        zoomed=zoomed,
    )
