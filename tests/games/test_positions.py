"""Positions of every game with a table of cases: round trips to the byte, and refusals by field."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.positions.position import PositionError
from tests.games import positions
from tests.games.positions import DROP, Changes, PositionCases, change, field_of, paths_of, play, play_on

CASES: dict[str, PositionCases] = {
    name: import_module(f"tests.games.{name}.text.cases").CASES for name in ("aquileia", "gloria_mundi")
}
every_game = pytest.mark.parametrize("cases", CASES.values(), ids=CASES)
every_phase = pytest.mark.parametrize(
    ("cases", "phase"),
    [pytest.param(cases, phase, id=f"{name}-{phase}") for name, cases in CASES.items() for phase in cases.steps],
)
every_file = pytest.mark.parametrize(
    ("cases", "components"),
    [
        pytest.param(cases, path, id=f"{name}-{kind}")
        for name, cases in CASES.items()
        for kind, path in zip(("standard", "other"), cases.files, strict=True)
    ],
)


def without_rng(position: dict[str, Any]) -> dict[str, Any]:
    return {**position, "rng": None}


# ------------------------------------------------------------------------------------------------ round trips


@every_game
def test_the_example_loads_and_round_trips(cases: PositionCases) -> None:
    position = cases.example()
    state = cases.state_class.from_dict(position)
    assert position == cases.example(), "from_dict must leave its input alone"
    written = state.to_dict()
    assert without_rng(written) == position
    assert list(written) == list(position)
    assert [list(entry) for entry in written["players"]] == [list(entry) for entry in position["players"]]
    assert cases.state_class.from_dict(written) == state
    assert cases.state_class.from_json(state.to_json()).to_bytes() == state.to_bytes()
    assert state.legal_actions() == cases.legal


@every_phase
def test_a_position_of_each_phase_loads_and_round_trips(cases: PositionCases, phase: str) -> None:
    state = cases.state_class.from_dict(cases.in_phase(phase))
    assert without_rng(state.to_dict()) == cases.in_phase(phase)
    for seat in range(state.num_players):
        assert state.view(seat).position() == state.to_dict(view=seat)
    legal = state.legal_actions()
    assert legal == sorted(set(legal))
    assert bool(legal) == (phase != "over")


@every_file
def test_every_position_of_a_game_round_trips_byte_for_byte(cases: PositionCases, components: str) -> None:
    met: Counter[str] = Counter()
    seats = cases.game.seats
    for players in (seats[0], seats[len(seats) // 2], seats[-1]):
        for seed in range(3 if COMPILED else 1):
            for state in play(cases.state_class.new(players, seed, components), seed):
                position = state.to_dict()
                met[position["phase"]] += 1
                assert cases.state_class.from_dict(json.loads(json.dumps(position))).to_bytes() == state.to_bytes()
                assert ("components_digest" in position) == (components != "standard")
    # Some phases are rare; positions of all phases are read above.
    assert set(met) >= set(cases.common)


@every_game
def test_a_seed_fixes_the_future_of_a_position_without_one(cases: PositionCases) -> None:
    one, same, other = (cases.state_class.from_dict(cases.example(), seed=seed) for seed in (5, 5, 6))
    assert one.to_bytes() == same.to_bytes() != other.to_bytes()
    position = cases.example()
    del position["rng"]
    assert cases.state_class.from_dict(position, seed=5) == one


@every_file
def test_no_line_of_the_board_is_longer_than_100(cases: PositionCases, components: str) -> None:
    for state in play(cases.state_class.new(cases.game.seats[-1], 3, components), 3):
        assert max(map(len, str(state).splitlines())) <= 100


# ------------------------------------------------------------------------------------------------ refusals


def frame_refusals(cases: PositionCases) -> Iterator[tuple[Changes, str, str]]:
    """Yield changes of the example in the fields that every game has."""
    position, seats = cases.example(), cases.game.seats
    yield from (({key: DROP}, key, "missing") for key in position if key not in ("components", "rng"))
    yield from (({f"players.0.{key}": DROP}, f"players[0].{key}", "missing") for key in position["players"][0])
    yield {"format": f"{position['format']}0"}, "format", f"'{position['format']}'"
    yield {"components": "mine"}, "components", "no component set called 'mine'"
    yield {"components_digest": "00"}, "components_digest", "no component set"
    for players in (seats[0] - 1, seats[-1] + 1):
        yield {"num_players": players}, "num_players", f"{seats[0]}..{seats[-1]}"
    players = position["num_players"]
    yield {"num_players": players + 1}, "players", f"expected {players + 1} entries, not {players}"
    for seat in (None, -1, players):
        yield {"current_player": seat}, "current_player", f"0..{players - 1}"
    yield from (({"rng": text}, "rng", "to_dict") for text in ("rng", "p1:1.2"))


@every_game
def test_the_frame_is_checked_by_field(cases: PositionCases) -> None:
    for changes, field, said in frame_refusals(cases):
        positions.assert_refused(cases.state_class, change(cases.example(), changes), field, said)
    over = change(cases.in_phase("over"), {"current_player": 0})
    positions.assert_refused(cases.state_class, over, "current_player", "null")


@every_phase
def test_a_value_of_another_type_is_refused_by_its_field(cases: PositionCases, phase: str) -> None:
    position = cases.in_phase(phase)
    for path in paths_of(position):
        *steps, last = path
        inside: Any = copy.deepcopy(position)
        damaged = inside
        for step in steps:
            inside = inside[step]
        value = inside[last]
        wrong = {"nonsense": 1.5} if isinstance(value, list) else 1.5
        inside[last] = wrong
        positions.assert_refused(cases.state_class, damaged, field_of(path), "")
        if isinstance(value, list):
            inside[last] = {"count": len(value)}
            positions.assert_refused(cases.state_class, damaged, field_of(path), "this is what one seat sees")
        if isinstance(value, dict):
            inside[last] = {**value, "surprise": 1}
            positions.assert_refused(cases.state_class, damaged, f"{field_of(path)}.surprise", "unknown key")


NAMED = [
    pytest.param(cases, *refusal, id=f"{name}-{number}-{refusal[0]}-{refusal[2]}")
    for name, cases in CASES.items()
    for number, refusal in enumerate(cases.refused)
]


@pytest.mark.parametrize(("cases", "phase", "changes", "field", "said"), NAMED)
def test_an_unsafe_position_is_refused_by_its_field(
    cases: PositionCases, phase: str, changes: Changes, field: str, said: str
) -> None:
    positions.assert_refused(cases.state_class, change(cases.in_phase(phase), changes), field, said)


@every_game
def test_a_view_is_refused_as_such(cases: PositionCases) -> None:
    state = cases.state_class.from_dict(cases.example())
    for seat in range(state.num_players):
        with pytest.raises(PositionError, match="this is what one seat sees"):
            cases.state_class.from_dict(state.to_dict(view=seat))


@pytest.mark.parametrize("position", [None, 3, [], "text", {}])
@every_game
def test_other_values_than_positions_are_refused(cases: PositionCases, position: Any) -> None:
    with pytest.raises(PositionError):
        cases.state_class.from_dict(position)


@pytest.mark.parametrize("value", [10**5_000, "m" * 100_000], ids=["digits", "letters"])
@every_game
def test_a_huge_value_is_refused_in_a_short_message(cases: PositionCases, value: Any) -> None:
    game = cases.game(cases.example()["num_players"])
    for field in (*cases.example(), "components_digest"):
        if field not in ("components", "num_players"):
            with pytest.raises(PositionError, match=f"^{field}: ") as caught:
                game.load_position({**cases.example(), field: value})
            assert len(str(caught.value)) < 300


# ------------------------------------------------------------------------------------------------ accepted positions

GOOD = [
    pytest.param(cases, *good, id=f"{name}-{number}-{good[0]}")
    for name, cases in CASES.items()
    for number, good in enumerate(cases.good)
]


@pytest.mark.parametrize(("cases", "phase", "changes"), GOOD)
def test_a_safe_position_is_accepted_and_played_to_the_end(cases: PositionCases, phase: str, changes: Changes) -> None:
    play_on(cases.state_class.from_dict(change(cases.in_phase(phase), changes)), 1)


@every_game
@settings(max_examples=300 if COMPILED else 40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damaged_positions_load_and_can_be_played_or_are_refused(cases: PositionCases, data: st.DataObject) -> None:
    phase = data.draw(st.sampled_from(list(cases.steps)))
    position = positions.damage(cases.in_phase(phase), data.draw(positions.damages(cases.words)))
    try:
        state = cases.state_class.from_dict(position)
    except PositionError:
        return
    play_on(state, 2)
