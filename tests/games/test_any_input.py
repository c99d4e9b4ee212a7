"""Environment APIs answer any input with a named error or a correct result, and change nothing on an error."""

from __future__ import annotations

import json
import warnings
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.positions.components import ComponentError
from porta_nigra_env.envs.make import Factories
from porta_nigra_env.games import GAMES, game_class, state_class

every_game = pytest.mark.parametrize("game", GAMES)


@cache
def a_state(game: str) -> State:
    """A position of a game for three, if it can be, one decision after its beginning; nothing may change it."""
    seats = game_class(game).seats
    state = state_class(game).new(num_players=3 if 3 in seats else seats[0], seed=2)
    return state.apply(state.legal_actions()[0])


relaxed = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.binary(max_size=6)
anything: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


def damaged(text: str, place: int, piece: str) -> str:
    """`text` with a piece of other text in it."""
    place %= len(text) + 1
    return text[:place] + piece + text[place + len(piece) :]


damages = st.tuples(st.integers(0, 10_000), st.integers(0, 4_000), st.text(max_size=3))


@every_game
@relaxed
@given(action=st.text() | damages | anything)
def test_action_texts(game: str, action: Any) -> None:
    state = a_state(game)
    before, texts = state.to_bytes(), state.game.action_texts
    if isinstance(action, tuple):
        action = damaged(texts[action[0] % len(texts)], *action[1:])
    if isinstance(action, str) and action in texts:
        assert texts[state.action_id(action)] == action
    else:
        with pytest.raises(IllegalActionError):
            state.apply(action)
        assert state.to_bytes() == before


@every_game
@relaxed
@given(action=anything)
def test_action_ids(game: str, action: Any) -> None:
    state = a_state(game)
    before = state.to_bytes()
    if type(action) is int and action in state.legal_ids():
        state.clone().apply_id(action)
    else:
        with pytest.raises(IllegalActionError):
            state.apply_id(action)
        if type(action) is not int or not 0 <= action < len(state.game.action_texts):
            with pytest.raises(IllegalActionError):
                state.action_text(action)
    assert state.to_bytes() == before


@every_game
@relaxed
@given(players=anything, seed=anything, components=anything)
def test_new_games(game: str, players: Any, seed: Any, components: Any) -> None:
    try:
        state = state_class(game).new(num_players=players, seed=seed, components=components)
    except (ValueError, TypeError, ComponentError) as error:
        assert str(error)
    else:
        assert state.num_players == (GAMES[game].seats[0] if players is None else players)


@every_game
@relaxed
@given(player=anything, seed=anything)
def test_seats_and_seeds(game: str, player: Any, seed: Any) -> None:
    state = a_state(game)
    before = state.to_bytes()
    good_seat = type(player) is int and 0 <= player < 3
    for call in (state.observation, state.view, state.to_dict):
        # None means everything for a position, and the player to move for a view.
        if good_seat or (player is None and call != state.observation):
            call(player)
        else:
            with pytest.raises((ValueError, TypeError), match=r".+"):
                call(player)
    if good_seat and type(seed) is int and 0 <= seed < 2**63:
        state.determinize(player, seed)
    else:
        with pytest.raises((ValueError, TypeError), match=r".+"):
            state.determinize(player, seed)
    assert state.to_bytes() == before


@every_game
@relaxed
@given(text=st.text() | damages)
def test_json_texts(game: str, text: Any) -> None:
    if isinstance(text, tuple):
        text = damaged(a_state(game).to_json(indent=None), *text[1:])
    try:
        state = state_class(game).from_json(text)
    except ValueError as error:
        assert str(error)
    else:
        assert state_class(game).from_json(state.to_json()) == state


@every_game
@relaxed
@given(data=st.binary(max_size=40) | st.tuples(st.integers(0, 2_000), st.integers(0, 255)))
def test_stored_bytes(game: str, data: Any) -> None:
    if isinstance(data, tuple):  # one byte of a real state changed
        place, value = data
        stored = bytearray(a_state(game).to_bytes())
        stored[place % len(stored)] = value
        data = bytes(stored)
    try:
        with warnings.catch_warnings(action="error"):
            state = state_class(game).from_bytes(data)
    except ValueError as error:
        assert str(error)
    else:
        assert state.to_bytes() == data


@every_game
@relaxed
@given(options=st.fixed_dictionaries({}, optional={
    "num_players": anything, "components": anything, "reward": anything, "render_mode": anything,
}))  # fmt: skip
def test_environment_options(game: str, options: dict[str, Any]) -> None:
    try:
        env = Factories(game_class(game)).raw_env(**options)
    except (ValueError, TypeError) as error:
        assert str(error)
    else:
        env.reset(seed=1)
        assert env.agents


@every_game
@relaxed
@given(seed=anything, options=anything)
def test_reset_arguments(game: str, seed: Any, options: Any) -> None:
    env = Factories(game_class(game)).raw_env()
    env.reset(seed=3)
    before = env.states.tobytes()
    try:
        env.reset(seed=seed, options=options)
    except (ValueError, TypeError) as error:
        assert str(error)
        assert env.states.tobytes() == before


@every_game
def test_a_position_can_be_read_twice_and_is_left_alone(game: str) -> None:
    state = a_state(game)
    position = state.to_dict()
    copy = json.loads(json.dumps(position))
    assert state_class(game).from_dict(position) == state_class(game).from_dict(position) == state
    assert position == copy
