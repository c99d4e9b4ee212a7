"""Exact solutions of Kuhn poker with the general code."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from tests.toys.kuhn.game import ACTIONS, CARDS, DECISIONS, ENDS, KuhnState, dealt

DEALS = list(itertools.permutations(CARDS, 2))
#: Probability of a bet for a card and a history of letters.
Policy = Callable[[str, str], Fraction]


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


def test_perft_counts() -> None:
    for cards in DEALS:
        state = dealt(cards)
        states = np.zeros(4, dtype=state.game.dtype)
        states[0] = state.states[0]
        words = np.zeros((4, 1), dtype=np.uint64)
        counts = [int(state.game.loops.perft(state.game.constants, states, words, depth)) for depth in (1, 2, 3)]
        assert counts == [2, 4, 5]


@pytest.mark.parametrize(
    ("cards", "history", "won"),
    [
        (("king", "jack"), "pp", 1), (("jack", "king"), "pp", -1), (("queen", "king"), "bb", -2),
        (("king", "queen"), "pbb", 2), (("jack", "king"), "bp", 1), (("king", "jack"), "pbp", -1),
    ],
)  # fmt: skip
def test_payoffs_of_every_end(cards: tuple[str, str], history: str, won: int) -> None:
    state = dealt(cards, history)
    assert state.is_over
    assert chips(state) == [won, -won]
    assert state.winners() == [0 if won > 0 else 1]
    assert state.returns() == [1.0 if won > 0 else -1.0, -1.0 if won > 0 else 1.0]


def equilibrium(alpha: Fraction) -> Policy:
    """Return Kuhn's equilibrium for the first player (alpha in 0..1/3) and the unique one of the second."""
    bets = {
        ("jack", ""): alpha, ("queen", ""): Fraction(0), ("king", ""): 3 * alpha,
        ("jack", "pb"): Fraction(0), ("queen", "pb"): alpha + Fraction(1, 3), ("king", "pb"): Fraction(1),
        ("jack", "p"): Fraction(1, 3), ("queen", "p"): Fraction(0), ("king", "p"): Fraction(1),
        ("jack", "b"): Fraction(0), ("queen", "b"): Fraction(1, 3), ("king", "b"): Fraction(1),
    }  # fmt: skip
    return lambda card, history: bets[card, history]


def value(policies: tuple[Policy, Policy], state: KuhnState, cards: tuple[str, ...], history: str = "") -> Fraction:
    """Return the mean chips that the first player wins from this state."""
    if state.is_over:
        return Fraction(chips(state)[0])
    seat = state.current_player
    assert seat is not None
    bet = policies[seat](cards[seat], history)
    return bet * value(policies, state.clone().apply("bet"), cards, history + "b") + (1 - bet) * value(
        policies, state.clone().apply("pass"), cards, history + "p"
    )


def game_value(policies: tuple[Policy, Policy]) -> Fraction:
    return sum((value(policies, dealt(cards), cards) for cards in DEALS), Fraction(0)) / len(DEALS)


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 5), Fraction(1, 3)])
def test_the_value_is_minus_one_eighteenth(alpha: Fraction) -> None:
    policy = equilibrium(alpha)
    assert game_value((policy, policy)) == Fraction(-1, 18)


def test_no_pure_policy_exploits_the_equilibrium() -> None:
    policy = equilibrium(Fraction(1, 5))
    spots = [[(card, history) for card in CARDS for history in own] for own in (("", "pb"), ("p", "b"))]
    best = [Fraction(-9), Fraction(9)]
    for seat in (0, 1):
        for choices in itertools.product((0, 1), repeat=6):
            table = dict(zip(spots[seat], choices, strict=True))

            def pure(card: str, history: str, table: dict[tuple[str, str], int] = table) -> Fraction:
                return Fraction(table[card, history])

            pair = (pure, policy) if seat == 0 else (policy, pure)
            best[seat] = (max, min)[seat](best[seat], game_value(pair))
        if not COMPILED:
            break  # 64 policies per seat; interpreted code checks one seat
    assert best[0] == Fraction(-1, 18)
    assert best[1] == (Fraction(-1, 18) if COMPILED else 9)


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
