"""The first screen: all games with their pictures and facts."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from porta_nigra_env.games import GAMES, game_entry
from tests.page.fixtures import Opened
from tests.page.test_access import check_access

#: Seconds of a choice, and the facts as the page writes them.
SECONDS = 10
FACTS = {"en": "{} players · {} minutes · {} MB", "de": "{} Mitspieler · {} Minuten · {} MB"}


def spread(numbers: Any) -> str:
    """The least and the most, in the page's notation."""
    return "\N{EN DASH}".join(map(str, sorted({min(numbers), max(numbers)})))


@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("de", 390)])
def test_it_shows_all_games(open_page: Opened, site: dict[str, bytes], language: str, width: int) -> None:
    page = open_page(width=width, script=f"localStorage.setItem('language', '\"{language}\"')")
    page.wait_for_selector("form")
    entries = json.loads(site["games.json"])
    cards = page.locator(".shelf a")
    assert cards.locator("strong").all_inner_texts() == [entry["title"] for entry in entries]
    for entry, told in zip(entries, cards.locator(".small").all_inner_texts(), strict=True):
        card = entry["card"]
        minutes = spread([int(count * SECONDS / 60 + 0.5) for count in card["choices"].values()])
        seats = spread(game_entry(entry["name"]).seats)
        size = f"{card['bytes'] / 1e6:.1f}".replace(".", {"en": ".", "de": ","}[language])
        assert told == FACTS[language].format(seats, minutes, size)
    check_access(page, width)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_are_of_the_theme(open_page: Opened, scheme: str) -> None:
    page = open_page(scheme=scheme)
    page.wait_for_selector(".shelf img >> visible=true")
    shown = page.locator(".shelf img >> visible=true")
    assert shown.count() == len(GAMES)
    page.wait_for_function(
        "() => [...document.querySelectorAll('.shelf img')].filter((one) => one.checkVisibility())"
        ".every((one) => one.complete && one.naturalWidth > 0)"
    )
    first = shown.first
    assert str(first.get_attribute("src")).endswith(f"#{scheme}")
    before = first.screenshot()
    page.click("[aria-label='Light or dark']")
    page.wait_for_timeout(300)
    assert page.locator(".shelf img >> visible=true").first.screenshot() != before


def test_a_game_is_chosen_by_keyboard(open_page: Opened) -> None:
    page = open_page()
    page.wait_for_selector("form")
    page.focus(".shelf li:last-child a")
    page.keyboard.press("Enter")
    name = list(GAMES)[-1]
    page.wait_for_selector(f".shelf a[aria-current][href='#play?game={name}']")
    assert page.locator("[aria-label=Game]").input_value() == name
    assert page.locator("input[name=players]").count() == len(game_entry(name).seats)
    # The choice is stored, and the first game is one step back.
    page.goto(page.url.partition("#")[0])
    page.wait_for_selector(f".shelf a[aria-current][href='#play?game={name}']")


@pytest.mark.parametrize(
    ("fragment", "title"),
    [
        ("", "Games"),
        ("#learn", "Learn"),
        ("#replay", "Replay"),
        ("#study", "Study"),
        ("#study?deal=today", "Deal of the day"),
    ],
)
def test_each_screen_has_a_title(open_page: Opened, fragment: str, title: str) -> None:
    page = open_page(fragment)
    page.wait_for_selector("main h1")
    page.wait_for_function("title => document.title === `${title} · At the table`", arg=title)


@pytest.mark.parametrize("name", GAMES)
def test_a_picture_is_small_and_drawn_in_both_themes(site: dict[str, bytes], name: str) -> None:
    entry = next(one for one in json.loads(site["games.json"]) if one["name"] == name)
    text = site[entry["card"]["picture"]].decode()
    assert len(text) < 15_000
    root = ElementTree.fromstring(text)
    shapes = [one for one in root.iter() if one.get("class")]
    assert len(shapes) > 20
    classes = {one.get("class") for one in shapes}
    for start in ("", "svg:target "):
        assert classes == set(re.findall(rf"(?<=[>}}]){start}\.(s\d+){{", text))
    # All uses have a definition.
    known = {one.get("id") for one in root.iter()}
    assert {str(one.get("href")).removeprefix("#") for one in root.iter() if one.get("href")} <= known
    colours = [re.findall(rf"(?<=[>}}]){start}\.s\d+{{([^}}]*)}}", text) for start in ("", "svg:target ")]
    assert colours[0] != colours[1]
