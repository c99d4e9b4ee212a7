"""Laws of play: the names of seats do not matter, replays repeat, the mask is what can be played."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.cache import COMPILED
from porta_nigra_env.core.game import IllegalActionError
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.policies import eager_policy, raider_policy, random_policy

GAMES = 2 if COMPILED else 1
SEATS = (2, 3, 6)


def relabelled(position: dict[str, Any], turn: int) -> dict[str, Any]:
    """The position with every seat moved on by `turn`; clockwise order stays what it was."""
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


@pytest.mark.parametrize("players", SEATS)
def test_any_prefix_of_a_game_can_be_replayed(players: int) -> None:
    for seed in range(GAMES):
        state, rng = State.new(num_players=players, seed=seed), random.Random(seed)
        actions: list[str] = []
        records = [state.to_bytes()]
        while not state.is_over:
            actions.append(random_policy(state.legal_actions(), rng))
            records.append(state.apply(actions[-1]).to_bytes())
        length = rng.randrange(len(actions))
        again = State.new(num_players=players, seed=seed)
        for action in actions[:length]:
            again.apply(action)
        assert again.to_bytes() == records[length]
        for action in actions[length:]:
            again.apply(action)
        assert again.to_bytes() == records[-1]


@pytest.mark.parametrize("players", [2, 6])
def test_what_is_outside_the_mask_is_refused_without_a_trace(players: int) -> None:
    state, rng = State.new(num_players=players, seed=players), random.Random(players)
    while not state.is_over:
        before, mask = state.to_bytes(), state.action_mask()
        legal = set(state.legal_ids())
        assert len(legal) >= 2
        assert legal == set(np.flatnonzero(mask).tolist())
        assert {state.action_id(text) for text in state.legal_actions()} == legal
        for action in rng.sample(sorted(set(range(len(mask))) - legal), 3):
            with pytest.raises(IllegalActionError):
                state.apply_id(action)
            with pytest.raises(IllegalActionError):
                state.apply(state.action_text(action))
        assert state.to_bytes() == before
        state.apply_id(rng.choice(sorted(legal)))
    with pytest.raises(IllegalActionError, match="over"):
        state.apply("done")


def test_games_of_one_seed_have_the_same_deck_whoever_plays() -> None:
    """Duplicate deals: the deck belongs to the seed alone."""
    decks = [State.new(num_players=players, seed=9).to_dict()["deck"] for players in State.game_class.seats]
    assert all(deck == decks[0] for deck in decks)
