"""No hidden information is visible, and determinization redraws it with the right frequencies."""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games.porta_nigra.components.names import NUM_ACTION_CARDS, NUM_HONOUR_CARDS, NUM_SUPPLY_CARDS
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.games.worlds import determinized, worlds_told_alike

States = npt.NDArray[np.void]
Determinize = Callable[[PortaNigra, States, int, int], States]
SAMPLES = 20 if COMPILED else 3
#: Quantiles of chi-square at 1 - 1e-6 by degrees of freedom: with fixed seeds a test either always passes or never.
CHI_SQUARE_LIMIT = {2: 27.6, 5: 37.7, 9: 48.2, 14: 58.1, 23: 74.7}


def positions(players: int, games: int, every: int) -> Iterator[tuple[PortaNigra, States]]:
    """Positions from random games at regular intervals, interim scorings and ends included."""
    game = PortaNigra(players)
    states = np.zeros(1, dtype=game.dtype)
    words = np.zeros(game.num_words, dtype=np.uint64)
    rng = np.array([31, players, 0], dtype=np.int64)
    for seed in range(games):
        game.kernel.reset(game.constants, states, 0, seed, players)
        while states["current_player"][0] >= 0:
            yield game, states.copy()
            game.loops.playout(game.constants, states, 0, words, rng, every)
        yield game, states.copy()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_view_is_the_same_in_all_determinizations(players: int) -> None:
    differing = worlds_told_alike(positions(players, 2 if COMPILED else 1, 23), SAMPLES)
    assert differing > 100 if COMPILED else differing > 10


@pytest.mark.parametrize("players", [2, 3, 4])
def test_nothing_reachable_from_a_view_holds_the_true_state(players: int) -> None:
    for game, states in positions(players, 1, 31):
        for player in range(players):
            view = View(game, states, 0, player)
            arrays = [view.state, view.observation, view.action_mask]
            for array in arrays:
                assert not array.flags.writeable
                assert not np.shares_memory(array, states)
                assert array.base is None or bytes(array.base) == array.tobytes(), "the base holds no more"
            assert not view.state["key"].any()
            assert not view.state["counters"].any()
            others = [seat for seat in range(players) if seat != player]
            assert not view.state["hand"][0][others].any()
            for seat in range(players):
                left = int(view.state["num_action_draw"][0][seat])
                cells = view.state["action_cards"][0][seat][NUM_ACTION_CARDS - left :]
                assert (cells == -1).all()
            assert set(View.__slots__) == {"action_mask", "game", "observation", "player", "state"}


def test_a_view_is_lasting() -> None:
    # An agent may keep a view: later steps of the game must not show in it.
    game = PortaNigra(2)
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.constants, states, 0, 5, 2)
    view = View(game, states, 0, int(states["current_player"][0]))
    before = view.state.tobytes(), view.observation.tobytes(), view.action_mask.tobytes()
    game.kernel.step(game.constants, states, 0, int(view.legal_ids()[0]))
    assert (view.state.tobytes(), view.observation.tobytes(), view.action_mask.tobytes()) == before
    assert copy.deepcopy(view.state).tobytes() == before[0]


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
    # Small remnants, so that all arrangements can be listed: opponent with three unseen cards (two in hand), own pile
    # of three, four supply cards and three honour cards of different kinds left.
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

    found: dict[str, Counter[tuple[int, ...]]] = {name: Counter() for name in ("hand", "own", "supply", "honour")}
    for seed in range(count):
        twin = determinize(game, states, player, seed)[0]
        bits = int(twin["hand"][opponent])
        found["hand"][tuple(card for card in range(NUM_ACTION_CARDS) if (bits >> card) & 1)] += 1
        assert int(twin["hand"][player]) == 0b11
        found["own"][tuple(int(card) for card in twin["action_cards"][player][NUM_ACTION_CARDS - 3 :])] += 1
        found["supply"][tuple(int(card) for card in twin["supply_cards"][NUM_SUPPLY_CARDS - 4 :])] += 1
        found["honour"][tuple(int(kind) for kind in twin["honour_cards"][NUM_HONOUR_CARDS - 3 :])] += 1
    return {
        "hand": (found["hand"], [tuple(hand) for hand in itertools.combinations((2, 5, 7), 2)]),
        "own": (found["own"], list(itertools.permutations((4, 6, 7)))),
        "supply": (found["supply"], list(itertools.permutations(supply))),
        "honour": (found["honour"], list(itertools.permutations(kinds))),
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


@pytest.mark.parametrize("players", [2, 3, 4])
def test_determinization_changes_the_future(players: int) -> None:
    # A search that kept the random key would know every later shuffle.
    keys = set()
    for game, states in positions(players, 1, 41):
        for seed in range(4):
            twin = determinized(game, states, 0, seed)
            assert twin["key"][0].tolist() != states["key"][0].tolist()
            keys.add((seed, *twin["key"][0].tolist()))
    assert len(keys) == 4, "the key comes from the seed alone, not from the true one"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_public_cards_and_counts_survive_determinization(players: int) -> None:
    for game, states in positions(players, 1, 29):
        for player in range(players):
            twin = determinized(game, states, player, 3)
            changed = {name for name in game.dtype.names or () if twin[name].tobytes() != states[name].tobytes()}
            hidden = {"key", "counters", "hand", "action_cards", "supply_cards", "building_cards", "honour_cards"}
            assert changed <= hidden
            for pile in ("supply_cards", "building_cards", "honour_cards"):
                assert sorted(twin[pile][0].tolist()) == sorted(states[pile][0].tolist())
