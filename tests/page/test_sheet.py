"""The score sheet of the page: sources add up to totals, and are those of Python."""

from __future__ import annotations

import pytest

from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import GAMES, game_class, make_game
from tests.page.fixtures import Opened

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
def test_the_sources_of_300_games_add_up(open_page: Opened, name: str) -> None:
    page = open_page()
    players = game_class(name).seats[-1]
    found = page.evaluate(PLAYED, {"name": name, "players": players, "games": 300})
    assert found["wrong"] == 0
    game = make_game(name, players)
    for seed, one in enumerate(found["ends"]):
        state = State(game, game.new_states(seed))
        for action in one["actions"]:
            state.apply_id(action)
        assert one["sheet"] == game.points_by_source(state.states)[0].tolist()
