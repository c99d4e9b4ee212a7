"""The numbers of seats do not matter, and the seed alone decides the deal."""

from __future__ import annotations

import random
from typing import Any

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.policies import eager_policy, raider_policy

GAMES = 2 if COMPILED else 1
SEATS = (2, 3, 6)


def relabelled(position: dict[str, Any], turn: int) -> dict[str, Any]:
    """Return the position with all seats rotated by `turn`."""
    players = position["num_players"]
    twin = dict(position)
    for key in ("current_player", "active_player"):
        twin[key] = None if position[key] is None else (position[key] + turn) % players
    twin["players"] = [position["players"][(new - turn) % players] for new in range(players)]
    return twin


@pytest.mark.parametrize("players", SEATS)
def test_seats_are_only_names(players: int) -> None:
    compared = 0
    for number in range(GAMES):
        state, rng = State.new(num_players=players, seed=number), random.Random(number)
        turn = 1 + number % (players - 1)
        policy = (eager_policy, raider_policy)[number % 2]
        while not state.is_over:
            before = state.to_dict()
            twin = State.from_dict({**relabelled(before, turn), "rng": before["rng"]})
            assert twin.legal_actions() == state.legal_actions()
            for seat in range(players):
                assert state.observation(seat).tobytes() == twin.observation((seat + turn) % players).tobytes()
            scores = twin.scores()
            assert state.scores() == [scores[(seat + turn) % players] for seat in range(players)]
            action = policy(state.legal_actions(), rng)
            compared += 1
            found = twin.apply(action).to_dict()
            assert {**found, "rng": None} == {**relabelled(state.apply(action).to_dict(), turn), "rng": None}
    assert compared > 40 * GAMES


def test_games_of_one_seed_have_the_same_deck() -> None:
    """Duplicate deals: the deck belongs to the seed alone."""
    decks = [State.new(num_players=players, seed=9).to_dict()["deck"] for players in State.game_class.seats]
    assert all(deck == decks[0] for deck in decks)
