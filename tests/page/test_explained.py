"""Boards of whole random games: every part and every action explains itself, and the lettering is translated."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from agents.web.page import explained, lettering
from agents.web.page.rules import data_of, rules_of
from agents.web.page.words import words_of
from porta_nigra_env.core.narration.language import LANGUAGES
from porta_nigra_env.games import GAMES, make_game
from tests.page.fixtures import Opened
from tests.page.playing import in_each_language
from tests.page.test_rules import language_script

#: Plays random games of every number of players.  It returns the texts and places of their boards, the widths of
#: texts, the actions, and all parts and actions without an explanation.
PLAYED = """async ([name, every]) => {
  const modules = ["games", "board", "drawing"].map((one) => import(`./${one}.js`));
  const [games, { Board }, drawn] = await Promise.all(modules);
  const { CENTRED, KIND, LEFT, RECT, STYLE, SYMBOL, TEXT } = drawn;
  const entry = (await games.catalogue()).find((one) => one.name === name);
  const game = await (await games.open(entry)).speak(), { drawing } = game.manifest.common;
  const board = new Board(game, () => {}), surfaces = ["paper", "panel", "area", "asked"];
  const { texts: source, lettering } = drawing;
  document.body.append(board.element);
  const [texts, places, bare, actions, silent, clashes] = Array.from({ length: 6 }, () => new Set());
  const wide = {};
  let chance = 7, boards = 0;
  const draw = (count) => (chance = (chance * 1103515245 + 12345) % 2147483648) % count;
  const across = (rows, at, width) => {
    const { x, w } = drawn.boxOf(rows, at), part = { [CENTRED]: 1 / 2, [LEFT]: 0 }[rows[at + KIND]] ?? 1;
    return [x + (w - width) * part, x + (w - width) * part + width];
  };
  // Texts that lie on others, or on symbols, in the language of the page only.
  const clash = (rows) => {
    const lines = drawn.starts(rows).filter((at) => rows[at + KIND] >= SYMBOL).map((at) => {
      const { y, w, h } = drawn.boxOf(rows, at), { bold } = drawing.styles[rows[at + STYLE]];
      const isText = rows[at + KIND] > SYMBOL, string = (some) => drawn.stringOf(drawing, rows, at, some);
      const width = (some) => (isText ? Math.min(w, drawn.widthOf(drawing, string(some), h, bold)) : w);
      return { at, isText, y, h, ends: [source, lettering].map((some) => across(rows, at, width(some))) };
    });
    const common = ([from, to], [start, end]) => Math.min(to, end) - Math.max(from, start);
    for (const one of lines.filter(({ isText }) => isText)) {
      for (const other of lines) {
        if (one === other || common([one.y, one.y + one.h], [other.y, other.y + other.h]) <= 3) continue;
        const [english, here] = one.ends.map((ends, i) => common(ends, other.ends[i]));
        if (english <= 0 && here > 2) clashes.add(drawn.stringOf(drawing, rows, one.at));
      }
    }
  };
  const look = (rows) => {
    for (const [place, box] of drawn.placesOf(rows)) {
      const { name: called } = drawing.places[place], told = board.words.data.places[called] ?? null;
      places.add(called);
      if (!board.tip.names({ box, name: told, place }).length) bare.add(called);
    }
    for (const at of drawn.starts(rows)) {
      const kind = rows[at + KIND], style = drawing.styles[rows[at + STYLE]], { x, y, w, h } = drawn.boxOf(rows, at);
      if (kind > SYMBOL) {
        const written = [source, lettering].map((some) => drawn.stringOf(drawing, rows, at, some));
        const widths = written.map((text) => drawn.widthOf(drawing, text, h, style.bold) / w), key = rows[at + TEXT];
        wide[key] = widths.map((width, i) => Math.max(width, wide[key]?.[i] ?? 0));
      } else if (kind === SYMBOL || (kind === RECT && !surfaces.includes(style.name))) {
        const part = kind === SYMBOL ? drawing.symbols[rows[at + TEXT]].name : "shape";
        if (w * h > 0 && !board.tip.above(x + w / 2, y + h / 2)) bare.add(`${part} of style ${style.name}`);
      }
    }
  };
  for (const players of game.seats) {
    const kernel = game.kernel(players), words = game.words(players);
    let state = kernel.start(BigInt(players));
    for (let step = 0; ; step += 1) {
      const legal = kernel.legal(state), viewer = step % 2 ? kernel.mover(state) : -1;
      for (const action of legal) {
        const told = game.kind(action);
        actions.add(action);
        if (!told?.title || !told.text) silent.add(action);
      }
      if (step % every === 0 || !legal.length) {
        board.show(kernel, state, { viewer, actions: legal, words });
        look(board.drawn.now);
        clash(board.drawn.now);
        for (const one of board.element.querySelectorAll(".shapes text")) texts.add(one.ariaLabel ?? one.textContent);
        boards += 1;
      }
      if (!legal.length) break;
      state = kernel.after(state, legal[draw(legal.length)]);
    }
  }
  const sets = Object.entries({ texts, places, bare, actions, silent, clashes }).map(([name, set]) => [name, [...set]]);
  return { boards, wide, ...Object.fromEntries(sets) };
}"""
#: Lettering that is the same in German: code letters of bricks, coins and provinces, and Latin names.
SAME = {
    "porta_nigra": {"S", "R", "W", "porta nigra", "senator", "sena", "arch", "reserve"},
    "aquileia": {"B", "S", "G", "max {}", "bronze", "gold", "I Mercatus", "II Arena", "IV Theatrum", "V Forum"}
    | {"VI Portus", "Dolus", "Pecunia", "Equi", "Servi", "Potentia", "Latro", "dolus", "pecunia", "potentia"}
    | {"theatrum", "latro", "portus bronze", "portus gold", "gold {}", "arena {}", "forum {}"},
    "gloria_mundi": {"F", "gold", "1 gold", "start", "farm", "hand"},
}
#: Reaches the sign of a bought honour card, as "torchbearer" does in English.
TOUCHING = {"Vorarbeiter"}
#: How far a text may be squeezed to fit, unless the English one is as well.
SQUEEZED = 1.6


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text).replace(r"\{\}", r"-?\d*"))


@in_each_language
@pytest.mark.parametrize("name", GAMES)
def test_boards_of_random_games_explain_themselves(open_page: Opened, name: str, language: str) -> None:
    page = open_page(script=language_script(name, language))
    page.wait_for_selector("form")
    found: dict[str, Any] = page.evaluate(PLAYED, [name, 3 if language == "de" else 7])
    assert found["boards"] > 100
    assert len(found["actions"]) > 50
    assert len(found["places"]) > 40
    assert found["bare"] == []
    assert found["silent"] == []
    if language == "de":
        check_lettering(name, found)


def check_lettering(name: str, found: dict[str, Any]) -> None:
    """Check that each drawn text is in German, fits, and covers no other."""
    game = make_game(name)
    drawing, german = game.drawing(), lettering.texts_of(game, "de")
    assert drawing is not None
    assert german is not None
    allowed = [_pattern(text) for text in dict.fromkeys(german)]
    assert [text for text in found["texts"] if not any(each.fullmatch(text) for each in allowed)] == []
    assert set(found["clashes"]) <= TOUCHING
    for number, (english, translated) in found["wide"].items():
        assert translated <= max(SQUEEZED, english + 0.05), drawing.texts[int(number)]


@pytest.mark.parametrize("name", GAMES)
def test_lettering_is_the_same_only_where_it_is_listed(name: str) -> None:
    game = make_game(name)
    drawing, german = game.drawing(), lettering.texts_of(game, "de")
    assert drawing is not None
    assert german is not None
    assert lettering.texts_of(game, "en") is None
    pairs = [pair for pair in zip(drawing.texts, german, strict=True) if lettering.is_said(game, pair[0])]
    same = {re.sub(r" \d$", " {}", english) for english, text in pairs if english.lower() == text.lower()}
    assert same == SAME[name]


@pytest.mark.parametrize("name", GAMES)
def test_every_explanation_has_two_sentences_and_a_ruling(name: str) -> None:
    game = make_game(name)
    rulings = set(re.findall(r"'bold', '([A-Z]\d+)'", str(rules_of(name))))
    for language in LANGUAGES:
        words = words_of(game, language)
        assert words is not None
        assert words["explanations"].keys() == words["names"].keys()
        for component, text in words["explanations"].items():
            said, ruling = re.fullmatch(r"(.*) \(([A-Z]\d+)\)", text).groups()  # type: ignore[union-attr]
            assert ruling in rulings, text
            assert len(re.findall(r"[^\d][.](?= [A-ZÄÖÜ]|$)", said)) >= 2, (component, text)
        explained_by = {*words["places"].values(), *words["sections"].values()} - {""}
        assert explained_by <= words["explanations"].keys()


@pytest.mark.parametrize("name", GAMES)
def test_every_kind_of_action_and_every_place_is_explained(name: str) -> None:
    game = make_game(name)
    drawing, found = game.drawing(), explained.places(game)
    assert drawing is not None
    assert {field.name for field in game.actions} == data_of(name, "explained")["actions"].keys()
    answering = {place for places in drawing.action_places for place in places}
    assert answering <= found.keys()
    drawn = {*drawing.places, *drawing.symbols, *drawing.texts, *(f"{explained.STYLE}{one}" for one in drawing.styles)}
    given = data_of(name, "places")
    begun = {section.removeprefix("symbol ") for section in given.pop(explained.SECTIONS)}
    assert begun <= drawn
    assert [begin for begin in given if not any(one == begin or one.startswith(f"{begin} ") for one in drawn)] == []
