"""Play by action strings and ids in every game: replays give the same games, and the mask is exact."""

from __future__ import annotations

import random
from importlib import import_module

import numpy as np
import pytest

from porta_nigra_env.envs.batch import BatchEnv
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


@at_every_table
def test_raw_quantities_are_the_observations_before_scaling(name: str, players: int) -> None:
    """Whole games in lock-step: uint8 is float32 times the scales, at most 255."""
    game = make_game(name, players)
    scaled, raw = (BatchEnv(game, 16, observations=kind, autoreset_mode="disabled") for kind in ("float32", "uint8"))
    scales = game.observations.scales().astype(np.float64)
    step, shown = scaled.reset(seed=players), raw.reset(seed=players)
    chance = np.random.default_rng(players)
    while (scaled.current_player >= 0).any():
        assert np.array_equal(shown.observations, np.minimum(np.rint(step.observations * scales), 255))
        actions = scaled.random_actions(chance)
        step, shown = scaled.step(actions), raw.step(actions)
    assert not shown.observations.any()  # over, without a learner


@pytest.mark.parametrize("name", GAMES)
def test_raw_quantities_end_at_255(name: str) -> None:
    """Fields that may exceed a byte show 255: every amount that the bounds of the layout allow."""
    game = make_game(name)
    env = BatchEnv(game, 1, observations="uint8")
    env.reset(seed=1)
    fields = {"sesterces", "torches", "influence", "vp", "coins", "strength", "bid", "received", "stones", "turn"}
    found = [field for field in fields if field in (game.dtype.names or ())]
    limits = [field.spec.scale * field.spec.high for field in game.observations if field.name in found]
    assert len(limits) == len(found) >= 2
    assert min(limits) > 255
    for amount, wanted in ((254, 254), (255, 255), (256, 255), (511, 255), (1700, 255)):
        for field in found:
            env.states[field] = amount
        env.refresh()
        for field in found:
            part = env.observations[0, game.observations[field].slice]
            assert set(part.tolist()) <= {wanted, 0}
            assert part[0] == wanted
