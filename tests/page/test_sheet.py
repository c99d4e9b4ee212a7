"""The score sheet of the page: sources add up to totals, and are those of Python."""

from __future__ import annotations

import json
from itertools import pairwise, takewhile
from typing import Any

import pytest

from agents.web.page.products import module_of
from agents.web.page.rules import sheet_columns
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game

#: Random games in the browser; their sheets at every tenth step and at the end.
PLAYED = """async ({name, players, games}) => {
  const { catalogue, open } = await import("./games.js");
  const game = await open((await catalogue()).find((one) => one.name === name)), kernel = game.kernel(players);
  const sum = (values) => values.reduce((all, one) => all + one, 0);
  let wrong = 0;
  const ends = [];
  for (let seed = 0; seed < games; seed += 1) {
    let state = kernel.start(BigInt(seed));
    const actions = [];
    const look = () => (wrong += kernel.sheet(state).map(sum).join() === kernel.totals(state).join() ? 0 : 1);
    for (let step = 0; kernel.mover(state) >= 0; step += 1) {
      if (step % 10 === 0) look();
      actions.push(kernel.choose("random", state, BigInt(1000 * seed + step)));
      state = kernel.after(state, actions.at(-1));
    }
    look();
    if (seed < 3) ends.push({ actions, sheet: kernel.sheet(state) });
  }
  return { wrong, ends };
}"""


@pytest.mark.parametrize("name", [name for name in GAMES if game_class(name).point_sources])
def test_the_sources_of_300_games_add_up(modules: Any, name: str) -> None:
    players = game_class(name).seats[-1]
    found = modules.evaluate(PLAYED, {"name": name, "players": players, "games": 300})
    assert found["wrong"] == 0
    game = make_game(name, players)
    for seed, one in enumerate(found["ends"]):
        state = State(game, game.new_states(seed))
        for action in one["actions"]:
            state.apply_id(action)
        assert one["sheet"] == game.points_by_source(state.states)[0].tolist()


#: The rows of the sheet after some steps of a random game: class, name and points.
ROWS = """async ({name, players, steps}) => {
  const { catalogue, open } = await import("./games.js");
  const { sheetOf } = await import("./sheet.js");
  const game = await (await open((await catalogue()).find((one) => one.name === name))).speak();
  const kernel = game.kernel(players);
  let state = kernel.start(7n);
  for (let step = 0; step < steps; step += 1) state = kernel.after(state, kernel.choose("greedy", state, BigInt(step)));
  const points = (row) => [...row.querySelectorAll("td")].map((cell) => Number(cell.textContent));
  const rows = [...sheetOf(game, kernel, state).querySelectorAll("tbody tr")];
  return rows.map((row) => [row.className, row.querySelector("th").textContent, points(row)]);
}"""


def test_majorities_are_told_one_by_one_and_add_up(modules: Any) -> None:
    game = make_game(DEFAULT_GAME, 4)
    rows = modules.evaluate(ROWS, {"name": DEFAULT_GAME, "players": 4, "steps": 250})
    named = [name.capitalize() for names in sheet_columns(game, "en") for name in names]
    parts = [name for kind, name, _ in rows if kind == "part"]
    assert len(parts) > 2
    assert {name.capitalize() for name in parts} <= set(named)
    for at, (kind, _, points) in enumerate(rows):
        inner = list(takewhile(lambda row: row[0] == "part", rows[at + 1 :]))
        if kind != "part" and inner:
            assert [sum(column) for column in zip(*(one for _, _, one in inner), strict=True)] == points


@pytest.mark.parametrize("name", GAMES)
def test_columns_have_names_for_whole_sources(name: str) -> None:
    sheet = json.loads(module_of(game_class(name)).manifest)["sheet"]
    sizes = [last - first for first, last in pairwise([*sheet["sources"], sheet["columns"]])]
    named = [len(names) for names in sheet_columns(make_game(name), "de")]
    assert all(number in (0, size) for number, size in zip(named, sizes, strict=True))
