"""Whatever is thrown at a public face, it answers with a named error or a right result, and nothing changes."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.core.components import ComponentError
from porta_nigra_env.core.game import IllegalActionError
from porta_nigra_env.games.porta_nigra.game import State

STATE = State.new(num_players=3, seed=2).apply("place basilica")
TEXTS = STATE.game.action_texts
relaxed = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.binary(max_size=6)
anything: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


def damaged(text: str, place: int, piece: str) -> str:
    """`text` with a piece of other text in it."""
    place %= len(text) + 1
    return text[:place] + piece + text[place + len(piece) :]


near_misses = st.builds(damaged, st.sampled_from(TEXTS), st.integers(0, 60), st.text(max_size=3))


@relaxed
@given(action=st.text() | near_misses | anything)
def test_action_texts(action: Any) -> None:
    before = STATE.to_bytes()
    if isinstance(action, str) and action in TEXTS:
        assert TEXTS[STATE.action_id(action)] == action
    else:
        with pytest.raises(IllegalActionError):
            STATE.apply(action)
        assert STATE.to_bytes() == before


@relaxed
@given(action=anything)
def test_action_ids(action: Any) -> None:
    before = STATE.to_bytes()
    if type(action) is int and action in STATE.legal_ids():
        STATE.clone().apply_id(action)
    else:
        with pytest.raises(IllegalActionError):
            STATE.apply_id(action)
        if type(action) is not int or not 0 <= action < len(TEXTS):
            with pytest.raises(IllegalActionError):
                STATE.action_text(action)
    assert STATE.to_bytes() == before


@relaxed
@given(players=anything, seed=anything, components=anything)
def test_new_games(players: Any, seed: Any, components: Any) -> None:
    try:
        state = State.new(num_players=players, seed=seed, components=components)
    except (ValueError, TypeError, ComponentError) as error:
        assert str(error)
    else:
        assert state.num_players == (2 if players is None else players)


@relaxed
@given(player=anything, seed=anything)
def test_seats_and_seeds(player: Any, seed: Any) -> None:
    before = STATE.to_bytes()
    good_seat = type(player) is int and 0 <= player < 3
    for call in (STATE.observation, STATE.view, STATE.to_dict):
        # None is everything for a position, and whoever is to move for a view.
        if good_seat or (player is None and call != STATE.observation):
            call(player)
        else:
            with pytest.raises((ValueError, TypeError), match=r".+"):
                call(player)
    if good_seat and type(seed) is int and 0 <= seed < 2**63:
        STATE.determinize(player, seed)
    else:
        with pytest.raises((ValueError, TypeError), match=r".+"):
            STATE.determinize(player, seed)
    assert STATE.to_bytes() == before


@relaxed
@given(
    text=st.text() | st.builds(damaged, st.just(STATE.to_json(indent=None)), st.integers(0, 4_000), st.text(max_size=4))
)
def test_json_texts(text: str) -> None:
    try:
        state = State.from_json(text)
    except ValueError as error:
        assert str(error)
    else:
        assert State.from_json(state.to_json()) == state


@relaxed
@given(data=st.binary(max_size=40) | st.tuples(st.integers(0, 2_000), st.integers(0, 255)))
def test_stored_bytes(data: Any) -> None:
    if isinstance(data, tuple):  # one byte of a real state changed
        place, value = data
        stored = bytearray(STATE.to_bytes())
        stored[place % len(stored)] = value
        data = bytes(stored)
    try:
        with warnings.catch_warnings(action="error"):
            state = State.from_bytes(data)
    except ValueError as error:
        assert str(error)
    else:
        assert state.to_bytes() == data


@relaxed
@given(options=st.fixed_dictionaries({}, optional={
    "num_players": anything, "components": anything, "reward": anything, "render_mode": anything,
}))  # fmt: skip
def test_environment_options(options: dict[str, Any]) -> None:
    try:
        env = porta_nigra_v0.raw_env(**options)
    except (ValueError, TypeError) as error:
        assert str(error)
    else:
        env.reset(seed=1)
        assert env.agents


@relaxed
@given(seed=anything, options=anything)
def test_reset_arguments(seed: Any, options: Any) -> None:
    env = porta_nigra_v0.raw_env()
    env.reset(seed=3)
    before = env.states.tobytes()
    try:
        env.reset(seed=seed, options=options)
    except (ValueError, TypeError) as error:
        assert str(error)
        assert env.states.tobytes() == before


def test_a_position_can_be_read_twice_and_is_left_alone() -> None:
    position = STATE.to_dict()
    copy = json.loads(json.dumps(position))
    assert State.from_dict(position) == State.from_dict(position) == STATE
    assert position == copy
