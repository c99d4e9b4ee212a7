"""Rules of cups and coins: bids, cups, the end and tie-breaks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from tests.toys.dice.game import Dice, State
from tests.toys.dice.state import ROUNDS


def player(**more: Any) -> dict[str, Any]:
    return {"coins": 6, "pot_points": 0, "cup_points": 0, "bid": -1, "cup": 1, "thrown": [], **more}


def position(players: list[dict[str, Any]], current: int = 0, round_: int = 1, pot: int = 4) -> State:
    """Return a state with these players, current player, round and eyes of the pot."""
    game = Dice(len(players))
    states = game.new_states(0)
    states["current_player"], states["round"], states["pot"] = current, round_, pot
    for seat, fields in enumerate(players):
        for name in ("coins", "pot_points", "cup_points", "cup"):
            states[name][0, seat] = fields[name]
        states["bids"][0, seat] = fields["bid"]
        states["thrown"][0, seat, : len(fields["thrown"])] = fields["thrown"]
    return State(game, states)


def last_stop(*players: dict[str, Any]) -> State:
    """Return the end of a game after the stop of the last player."""
    entries = [player(**{"bid": 0, **fields}) for fields in players]
    return position(entries, len(players) - 1, ROUNDS).apply("stop")


def values_of(state: State, name: str, view: int | None = None) -> list[Any]:
    values: list[Any] = state.to_dict(view=view)[name][: state.num_players]
    return values


@pytest.mark.parametrize(
    ("bids", "winner"),
    [((0, 1, 2), 2), ((3, 3, 1), 2), ((2, 2, 0), 2), ((3, 1, 3), 1), ((1, 1, 1), None), ((0, 0, 0), None)],
)
def test_the_highest_unique_bid_is_paid_and_wins_the_pot(bids: tuple[int, ...], winner: int | None) -> None:
    state = position([player() for _ in bids], pot=5)
    for bid in bids:
        assert state.legal_actions() == [f"bid {coins}" for coins in range(4)]
        state.apply(f"bid {bid}")
    assert values_of(state, "pot_points") == [5 * (seat == winner) for seat in range(3)]
    assert values_of(state, "coins") == [6 - bids[seat] * (seat == winner) for seat in range(3)]
    assert values_of(state, "bids") == list(bids)
    assert state.legal_actions() == ["stop", "throw"]


@pytest.mark.parametrize(
    ("cups", "coins", "places", "returns"),
    [
        ((5, 5), (3, 4), [2, 1], [-1, 1]),
        ((5, 5), (4, 4), [1, 1], [0, 0]),
        ((5, 4), (0, 6), [1, 2], [1, -1]),
        ((5, 5, 5), (2, 6, 6), [3, 1, 1], [-0.5, 0.25, 0.25]),
        ((6, 5, 5, 5), (0, 1, 6, 1), [1, 3, 2, 3], [1, -1 / 3, -1 / 3, -1 / 3]),
        ((3, 3, 3, 3, 3), (1, 2, 3, 4, 5), [5, 4, 3, 2, 1], [-0.25, -0.25, -0.25, -0.25, 1]),
        ((6,) * 6, (6,) * 6, [1] * 6, [0] * 6),
    ],
)
def test_coins_break_ties(
    cups: tuple[int, ...], coins: tuple[int, ...], places: list[int], returns: list[float]
) -> None:
    state = last_stop(*({"cup": cup, "coins": left} for cup, left in zip(cups, coins, strict=True)))
    assert state.totals().tolist() == list(cups)
    assert state.places().tolist() == places
    assert state.winners() == [seat for seat, place in enumerate(places) if place == 1]
    assert state.returns() == pytest.approx(returns)


def test_equal_totals_can_have_different_ranks() -> None:
    first, second = (last_stop({"cup": 5, "coins": coins}, {"cup": 5, "coins": 2}) for coins in (1, 3))
    assert first.totals().tolist() == second.totals().tolist() == [5, 5]
    assert first.returns() == [-1, 1]
    assert second.returns() == [1, -1]


def test_cups_and_fists_are_hidden() -> None:
    state = position([player(cup=3), player(cup=5)]).apply("bid 2")
    assert [values_of(state, "cup", view) for view in (None, 0, 1)] == [[3, 5], [3, 0], [0, 5]]
    assert [values_of(state, "bids", view)[0] for view in (None, 0, 1)] == [2, 2, -1]
    state.apply("bid 0")
    assert values_of(state, "bids", 1) == [2, 0]


def test_determinizations_are_uniform() -> None:
    state = position([player(cup=3, coins=2), player(cup=5)]).apply("bid 2")
    samples = 3_000 if COMPILED else 300
    sampled = [state.determinize(1, seed) for seed in range(samples)]
    assert {values_of(twin, "cup")[1] for twin in sampled} == {5}
    for name, possible in (("cup", range(1, 7)), ("bids", range(3))):
        drawn = Counter(values_of(twin, name)[0] for twin in sampled)
        expected = samples / len(possible)
        assert set(drawn) == set(possible)
        assert all(abs(count - expected) < 5 * expected**0.5 for count in drawn.values())
