"""Play by action strings and ids in every game: replays give the same games, and the mask is exact."""

from __future__ import annotations

import random
from importlib import import_module

import numpy as np
import pytest

from porta_nigra_env.games import GAMES, game_entry, make_game, state_class

TABLES = [(name, players) for name in GAMES for players in game_entry(name).seats]
at_every_table = pytest.mark.parametrize(("name", "players"), TABLES)


@at_every_table
def test_any_prefix_of_a_game_can_be_replayed(name: str, players: int) -> None:
    rng, states = random.Random(players), state_class(name)
    state = states.new(num_players=players, seed=players)
    actions: list[str] = []
    records = [state.to_bytes()]
    while not state.is_over:
        actions.append(rng.choice(state.legal_actions()))
        records.append(state.apply(actions[-1]).to_bytes())
        assert states.from_dict(state.to_dict()) == state  # conservation of cards and pieces, cleared fields
    length = rng.randrange(len(actions))
    again = states.new(num_players=players, seed=players)
    for action in actions[:length]:
        again.apply(action)
    assert again.to_bytes() == records[length]
    for action in actions[length:]:
        again.apply(action)
    assert again.to_bytes() == records[-1]


@pytest.mark.parametrize("name", GAMES)
def test_observed_amounts_are_the_quotients(name: str) -> None:
    """Observations multiply by reciprocals: the same float32 as the documented division, for every possible amount."""
    amounts = np.arange(import_module(f"porta_nigra_env.games.{name}.state").LARGEST_AMOUNT + 1)
    for field in (*make_game(name).observations, *make_game(name).privileged):
        scale = field.spec.scale
        divided, multiplied = (amounts / scale).astype(np.float32), (amounts * (1.0 / scale)).astype(np.float32)
        assert np.array_equal(divided, multiplied), field.name
