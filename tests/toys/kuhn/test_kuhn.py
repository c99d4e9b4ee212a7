"""Exact solutions of Kuhn poker with the general code."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from tests.toys.kuhn.game import ACTIONS, CARDS, DECISIONS, ENDS, KuhnState, dealt
from tests.toys.kuhn.strategy import POINTS, exploitability, result, worth

DEALS = list(itertools.permutations(CARDS, 2))


def histories(state: KuhnState, played: str = "") -> Iterator[tuple[str, KuhnState]]:
    yield played, state
    for action in state.legal_actions():
        yield from histories(state.clone().apply(action), played + action[0])


def chips(state: KuhnState) -> list[int]:
    totals = np.zeros(2, dtype=np.int32)
    state.game.kernel.score(state.game.constants, state.states, 0, totals)
    return [int(total) for total in totals]


def test_there_are_54_histories_after_the_deal() -> None:
    # With the root, and three chance nodes after the first card, these are the 58 histories of Kuhn poker.
    nodes = [(played, state) for cards in DEALS for played, state in histories(dealt(cards))]
    assert len(nodes) == 6 * (len(DECISIONS) + len(ENDS)) == 54
    assert len(nodes) + 1 + len(CARDS) == 58
    assert {played for played, state in nodes if state.is_over} == set(ENDS)
    assert sum(state.is_over for _, state in nodes) == 30


def test_payoffs_of_every_end() -> None:
    """The states pay as the strategies of `tests.toys.kuhn.strategy` are valued."""
    for cards in DEALS:
        for played, state in histories(dealt(cards)):
            if state.is_over:
                won = result(played, tuple(CARDS.index(card) for card in cards))
                assert chips(state) == [won, -won]
                assert state.winners() == [0 if won > 0 else 1]
                assert state.returns() == [np.sign(won), -np.sign(won)]


def test_exploitability_of_known_strategies() -> None:
    points = [(history, card) for histories in POINTS.values() for history in histories for card in range(3)]
    always = dict.fromkeys(points, 1.0)
    assert worth(always) == pytest.approx(0.0)
    # The best response to constant bets folds the jack and calls or bets with the other cards.
    assert exploitability(always) == pytest.approx(1 / 3)


@pytest.mark.parametrize("alpha", [0, 1 / 5, 1 / 3])
def test_no_policy_exploits_the_equilibrium(alpha: float) -> None:
    """The first player bluffs with the jack with probability alpha; the strategy of the second is unique."""
    nash = {
        ("", 0): alpha, ("", 1): 0.0, ("", 2): 3 * alpha, ("pb", 0): 0.0, ("pb", 1): alpha + 1 / 3, ("pb", 2): 1.0,
        ("p", 0): 1 / 3, ("p", 1): 0.0, ("p", 2): 1.0, ("b", 0): 0.0, ("b", 1): 1 / 3, ("b", 2): 1.0,
    }  # fmt: skip
    assert worth(nash) == pytest.approx(-1 / 18)
    assert exploitability(nash) == pytest.approx(0.0, abs=1e-12)


def test_observations_are_information_sets() -> None:
    seen: dict[bytes, set[tuple[int, str, str]]] = {}
    for cards in DEALS:
        for played, state in histories(dealt(cards)):
            if not state.is_over:
                seat = state.current_player
                assert seat is not None
                seen.setdefault(state.observation(seat).tobytes(), set()).add((seat, cards[seat], played))
    assert len(seen) == 12
    assert all(len(states) == 1 for states in seen.values())


def test_determinization_samples_the_other_card_uniformly() -> None:
    state = dealt(("queen", "king"), "p")
    samples = 2_000 if COMPILED else 200
    drawn = [state.determinize(0, seed).to_dict()["cards"] for seed in range(samples)]
    assert all(cards[0] == 1 for cards in drawn)
    kings = sum(cards[1] == 2 for cards in drawn)
    assert {cards[1] for cards in drawn} == {0, 2}
    assert abs(kings - samples / 2) < 5 * (samples / 4) ** 0.5


def test_round_trips_and_invalid_positions() -> None:
    state = dealt(("jack", "queen"), "pb")
    assert KuhnState.from_dict(state.to_dict()) == state
    assert state.to_dict(view=0)["cards"] == [0, -1]
    assert [state.action_text(state.action_id(text)) for text in ACTIONS] == list(ACTIONS)
    good = state.to_dict()
    for change in ({"format": "x"}, {"cards": [0, 0]}, {"cards": [0]}, {"history": [1, 1, 1]}, {"num_players": 3},
                   {"colour": 1}, {"rng": [1]}, {"length": 300}):  # fmt: skip
        with pytest.raises(ValueError, match=next(iter(change)) if "history" not in change else "length"):
            KuhnState.from_dict({**good, **change})
