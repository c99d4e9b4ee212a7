"""No hidden information is visible, and determinization redraws it with the right frequencies."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.porta_nigra.components.names import NUM_ACTION_CARDS, NUM_HONOUR_CARDS, NUM_SUPPLY_CARDS
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.games.determinizations import determinized

States = npt.NDArray[np.void]
Determinize = Callable[[PortaNigra, States, int, int], States]
#: Quantiles of chi-square at 1 - 1e-6 by degrees of freedom: with fixed seeds a test either always passes or never.
CHI_SQUARE_LIMIT = {2: 27.6, 5: 37.7, 9: 48.2, 14: 58.1, 23: 74.7}


def chi_square(counts: Counter[tuple[int, ...]], outcomes: list[tuple[int, ...]]) -> float:
    total = sum(counts.values())
    expected = total / len(outcomes)
    assert set(counts) <= set(outcomes)
    return sum((counts[outcome] - expected) ** 2 / expected for outcome in outcomes)


def draws(determinize: Determinize, count: int) -> dict[str, tuple[Counter[tuple[int, ...]], list[tuple[int, ...]]]]:
    """Count each hidden arrangement over many seeds, and list all possible ones."""
    game = PortaNigra(2)
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.constants, states, 0, 11, 2)
    # Few cards are left, so that all arrangements can be listed: three unseen cards of the opponent (two in hand) and
    # three in the own pile. Four supply cards and three different honour cards remain.
    state = states[0]
    opponent = 1 - int(state["current_player"])
    player = 1 - opponent
    for seat, (hand, draw, discard) in {opponent: ((2, 5), (7,), (0, 1, 3, 4, 6)),
                                        player: ((0, 1), (4, 6, 7), (2, 3, 5))}.items():  # fmt: skip
        state["hand"][seat] = sum(1 << card for card in hand)
        state["action_cards"][seat] = -1
        state["action_cards"][seat][: len(discard)] = discard
        state["action_cards"][seat][NUM_ACTION_CARDS - len(draw) :] = draw
        state["num_action_discard"][seat] = len(discard)
        state["num_action_draw"][seat] = len(draw)
    state["num_supply_draw"] = 4
    supply = [int(card) for card in state["supply_cards"][NUM_SUPPLY_CARDS - 4 :]]
    kinds = (0, 3, 8)
    state["honour_cards"][NUM_HONOUR_CARDS - int(state["num_honour_draw"]) :] = -1
    state["honour_cards"][NUM_HONOUR_CARDS - 3 :] = kinds
    state["num_honour_draw"] = 3

    drawn: dict[str, Counter[tuple[int, ...]]] = {name: Counter() for name in ("hand", "own", "supply", "honour")}
    for seed in range(count):
        twin = determinize(game, states, player, seed)[0]
        bits = int(twin["hand"][opponent])
        drawn["hand"][tuple(card for card in range(NUM_ACTION_CARDS) if (bits >> card) & 1)] += 1
        assert int(twin["hand"][player]) == 0b11
        drawn["own"][tuple(int(card) for card in twin["action_cards"][player][NUM_ACTION_CARDS - 3 :])] += 1
        drawn["supply"][tuple(int(card) for card in twin["supply_cards"][NUM_SUPPLY_CARDS - 4 :])] += 1
        drawn["honour"][tuple(int(kind) for kind in twin["honour_cards"][NUM_HONOUR_CARDS - 3 :])] += 1
    return {
        "hand": (drawn["hand"], [tuple(hand) for hand in itertools.combinations((2, 5, 7), 2)]),
        "own": (drawn["own"], list(itertools.permutations((4, 6, 7)))),
        "supply": (drawn["supply"], list(itertools.permutations(supply))),
        "honour": (drawn["honour"], list(itertools.permutations(kinds))),
    }


def frequencies_hold(determinize: Determinize, count: int) -> bool:
    return all(
        chi_square(counts, outcomes) < CHI_SQUARE_LIMIT[len(outcomes) - 1]
        for counts, outcomes in draws(determinize, count).values()
    )


def identity(game: PortaNigra, states: States, player: int, seed: int) -> States:
    return states.copy()


def hands_kept(game: PortaNigra, states: States, player: int, seed: int) -> States:
    """A tempting mistake: piles are shuffled, the opponent's hand stays."""
    twin = determinized(game, states, player, seed)
    for field in ("hand", "action_cards"):
        twin[field] = states[field]
    return twin


def test_hidden_cards_are_drawn_with_the_right_frequencies() -> None:
    assert frequencies_hold(determinized, 6_000 if COMPILED else 600)


@pytest.mark.parametrize("wrong", [identity, hands_kept])
def test_a_determinization_that_keeps_hidden_cards_is_found(wrong: Determinize) -> None:
    assert not frequencies_hold(wrong, 600)
