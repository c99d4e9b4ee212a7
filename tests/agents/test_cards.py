"""Gains of cards: known effects are found, and prices count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.arena.analysis import counts_of, watch
from agents.arena.cards import FEW_TAKEN, Cards, gains, gains_table
from agents.porta_nigra.analysis import cards
from agents.registry import make
from porta_nigra_env.games import make_game
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State

PRICES = np.array([1.0, 1.0, 2.0, 1.0])
NAMES = ["good", "fair", "dear", "useless"]
#: Points by card: good is worth more than its price, useless less; dear is the only card of its price.
POINTS = np.array([3.0, 1.0, 2.0, 0.0])


def random_games(games: int, seed: int = 1) -> tuple[Cards, Any]:
    """Return cards of games of three seats, in which points and noise decide."""
    rng = np.random.default_rng(seed)
    taken = rng.integers(0, 2, (games, 3, len(NAMES)))
    points = taken @ POINTS + rng.normal(scale=3.0, size=(games, 3))
    places = 1 + (points[:, :, None] < points[:, None, :]).sum(axis=2)
    return Cards(NAMES, PRICES, "coins", taken), places


def test_known_effects_are_found() -> None:
    found = {one.card: one for one in gains(*random_games(4000))}
    assert list(found) == ["good", "dear", "fair", "useless"]
    assert found["good"].gain.low > found["dear"].gain.value > found["fair"].gain.high > 0
    assert found["useless"].gain.low < 0 < found["useless"].gain.high
    assert found["good"].above.low > 0 > found["fair"].above.high > found["useless"].above.high
    assert found["dear"].above.value == pytest.approx(0)


def test_another_card_does_not_lend_its_gain() -> None:
    """A useless card that comes with the good one wins more often, but its gain is 0."""
    cards_, places = random_games(4000)
    taken = np.asarray(cards_.taken).copy()
    follows = np.random.default_rng(2).random(taken.shape[:2]) < 0.7
    taken[:, :, 3] = np.where(follows, taken[:, :, 0], taken[:, :, 3])
    with_it = taken[:, :, 3] > 0
    assert (places[with_it] == 1).mean() > (places[~with_it] == 1).mean() + 0.1
    found = {one.card: one for one in gains(cards_._replace(taken=taken), places)}
    assert found["useless"].gain.low < 0 < found["useless"].gain.high


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    truth = {one.card: one.gain.value for one in gains(*random_games(60000, 99))}
    found = [one for seed in range(60) for one in gains(*random_games(150, seed))]
    inside = np.mean([one.gain.low <= truth[one.card] <= one.gain.high for one in found])
    assert 0.9 < inside < 0.99


def test_rare_cards_have_no_gain() -> None:
    cards_, places = random_games(200)
    taken = np.asarray(cards_.taken).copy()
    taken[:, :, 1] = 0
    taken[: FEW_TAKEN - 1, 0, 1] = 1
    taken[:, :, 2] = 1
    cards_ = cards_._replace(taken=taken)
    assert {one.card for one in gains(cards_, places)} == {"good", "useless"}
    assert "`fair`" not in gains_table(cards_, places)
    assert gains(cards_._replace(taken=0 * taken), places) == []


def test_cards_are_those_of_the_same_games_played_one_by_one() -> None:
    game = PortaNigra(3)
    agent = make("greedy", game, 3)
    found = cards(watch(game, agent, 3, 50), game)
    assert len(found.names) == len(found.prices) == found.taken.shape[2]
    assert found.prices[found.names.index("fifteen_points")] == 3
    bought = np.zeros_like(found.taken)
    for row in range(3):
        state = State.new(3, 50 + row)
        while not state.is_over:
            player = state.current_player
            assert player is not None
            text = state.action_text(agent.act(state.view(player)))
            if text.startswith("honour "):
                bought[row, player, game.action_id(text) - game.actions["honour"].start] += 1
            state.apply(text)
    assert bought.any()
    assert np.array_equal(bought, found.taken)


@pytest.mark.parametrize("name", ["aquileia", "gloria_mundi"])
def test_every_game_has_cards_with_prices(name: str) -> None:
    game, counts = make_game(name), counts_of(name)
    assert counts is not None
    found = counts.cards(watch(game, make("greedy", game, 3), 4, 50), game)
    assert found.taken.shape[:2] == (4, game.num_players)
    assert len(found.names) == len(found.prices) == found.taken.shape[2]
    assert found.prices.min() >= 1
    assert found.taken.sum() > 0
