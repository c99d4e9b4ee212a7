"""Common parts of all positions: frame, seats, piles and random state; errors name the field."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.arrays.rng import MASK32, seed_key
from porta_nigra_env.core.positions import position as check
from porta_nigra_env.core.positions.components import Components
from porta_nigra_env.core.positions.position import PositionError

SET = Components("box", "first", "ab" * 32, "{}", np.zeros(1, dtype=[("number", np.int32)]))
FRAME = {"format": "game/1", "components": "box", "num_players": 3, "current_player": 1}


def changed(**fields: Any) -> dict[str, Any]:
    return {**FRAME, **fields}


# ------------------------------------------------------------------------------------------------ the frame


def test_a_matching_frame_is_accepted() -> None:
    for frame in (FRAME, changed(components_digest=SET.digest), changed(components_digest=None)):
        check.check_format(frame, "game/1")
        check.check_components(frame, SET)
    check.check_format({}, "game/1")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": "game/2"}, "format: expected 'game/1', not 'game/2'"),
        ({"format": 1}, "format: expected 'game/1', not 1"),
        ({"components": "other"}, "components: expected 'box', not 'other'"),
        ({"components_digest": "cd"}, f"components_digest: the components in use have {SET.digest}, not 'cd'"),
        ({"components_digest": 5}, f"components_digest: the components in use have {SET.digest}, not 5"),
    ],
)
def test_another_frame_is_refused(fields: dict[str, Any], message: str) -> None:
    def read() -> None:
        check.check_format(changed(**fields), "game/1")
        check.check_components(changed(**fields), SET)

    with pytest.raises(PositionError) as refused:
        read()
    assert str(refused.value) == message


def test_labels_do_not_matter_for_the_digest() -> None:
    check.check_components(changed(components_digest=SET.digest), dataclasses.replace(SET, edition="second"))


@pytest.mark.parametrize("players", [2, 4, 5])
def test_the_number_of_players_is_one_of_the_seats(players: int) -> None:
    assert check.num_players(changed(num_players=players), (2, 4, 5)) == players


@pytest.mark.parametrize(
    ("players", "message"),
    [(1, "must be in 2..5"), (6, "must be in 2..5"), (3, "must be one of 2, 4, 5, not 3"), ("2", "expected an integer"),
     (True, "expected an integer")],
)  # fmt: skip
def test_another_number_of_players_is_refused(players: Any, message: str) -> None:
    with pytest.raises(PositionError, match=f"^num_players: {message}"):
        check.num_players(changed(num_players=players), (2, 4, 5))


def test_the_current_player_is_a_seat_or_null_at_the_end() -> None:
    assert check.current_player(changed(current_player=2), 3, over=False) == 2
    assert check.current_player(changed(current_player=None), 3, over=True) == -1
    for value, over in ((3, False), (-1, False), (None, False), (True, False), (0, True)):
        with pytest.raises(PositionError, match=r"^current_player: "):
            check.current_player(changed(current_player=value), 3, over)


# ------------------------------------------------------------------------------------------------ single values


def test_long_values_are_truncated() -> None:
    assert check.shown("x" * 78) == repr("x" * 78)
    assert len(check.shown("x" * 79)) == 80
    assert check.shown([1] * 90, 20).endswith("...")
    assert len(check.shown([1] * 90, 20)) == 20
    assert check.shown(10**5000) == "a huge int"


# ------------------------------------------------------------------------------------------------ piles


def test_a_pile_has_its_lists_at_both_ends() -> None:
    cells = np.zeros(6, dtype=np.int8)
    check.fill_pile(cells, "pile", [4, 2], [1, 0, 3])
    assert cells.tolist() == [4, 2, -1, 1, 0, 3]
    check.fill_pile(cells, "pile", [], [])
    assert cells.tolist() == [-1] * 6
    check.fill_pile(cells, "pile", [0, 1, 2], [3, 4, 5])
    assert cells.tolist() == list(range(6))


def test_a_pile_does_not_hold_more_than_its_cards() -> None:
    with pytest.raises(PositionError, match=r"^pile: more than the 3 cards there are"):
        check.fill_pile(np.zeros(3, dtype=np.int8), "pile", [0, 1], [2, 3])


# ------------------------------------------------------------------------------------------------ the random state


def random_state(streams: int, seed: int = 7) -> Any:
    state = np.zeros(1, dtype=[("key", np.int64, (2,)), ("counters", np.int32, (streams,))])[0]
    seed_key(state["key"], state["counters"], seed, 1)
    return state


@pytest.mark.parametrize("streams", [1, 2, 6])
def test_a_random_state_is_read_back(streams: int) -> None:
    state, twin = random_state(streams), random_state(streams, 8)
    state["counters"][-1] = MASK32 >> 1
    text = check.rng_text(state["key"].tolist(), state["counters"].tolist())
    check.read_rng_or_seed({"rng": text}, twin, 9, 1)
    assert twin == state
    assert text.startswith("p1:")
    assert text.count(".") == streams + 1


@pytest.mark.parametrize("position", [{}, {"rng": None}])
def test_without_a_random_state_the_seed_fixes_it(position: dict[str, Any]) -> None:
    state = random_state(2)
    check.read_rng_or_seed(position, state, 9, 1)
    assert state == random_state(2, 9)


@pytest.mark.parametrize(
    "text",
    ["", "p1:", "p2:1.2.3.4", "p1:1.2.3", "p1:1.2.3.4.5", "p1:1.2.3.x", "p1:0x1.2.3.4", "p1:01.2.3.4", "p1:1_0.2.3.4",
     "p1:+1.2.3.4", "p1: 1.2.3.4", "p1:A.2.3.4", "p1:-1.2.3.4", "p1:100000000.2.3.4", "p1:1.2.80000000.4", 5,
     {"count": 0}, ["p1:1.2.3.4"]],
)  # fmt: skip
def test_other_random_states_are_refused(text: Any) -> None:
    with pytest.raises(PositionError, match=r"^rng: expected null or a string that to_dict has written, not "):
        check.read_rng_or_seed({"rng": text}, random_state(2), 1, 1)


def test_a_random_state_of_the_right_length_is_read() -> None:
    state = random_state(2)
    check.read_rng_or_seed({"rng": "p1:1.2.3.4"}, state, 1, 1)
    assert (state["key"].tolist(), state["counters"].tolist()) == ([1, 2], [3, 4])
