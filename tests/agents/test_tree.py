"""The parts of the tree search: keys, tables, utilities, and specialization."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.registry import make
from agents.search import tree as search
from agents.search.arrays import LINEAR, LOGISTIC, OUTCOME, WIN, new_scratch, new_slots, new_tree, table_size
from agents.search.keys import child_key, find_slot, info_state_key, new_info_state
from agents.search.searcher import SearchAgent, roots_of
from agents.search.tree import bind_search
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.batch.policy import Policy, jit
from porta_nigra_env.core.compile.identity import identity
from porta_nigra_env.core.game import contract
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.toys.nim.game import Nim


def test_keys_are_unique_and_found_again() -> None:
    keys = {
        child_key(root, number)
        for root in (1, child_key(1, 5), child_key(child_key(1, 5), 9))
        for number in range(3000)
    }
    assert len(keys) == 9000
    assert all(0 < key < 1 << 62 for key in keys)
    table = np.zeros(1 << 15, dtype=np.int64)
    for key in keys:
        slot = find_slot(table, key)
        assert table[slot] == 0
        table[slot] = key
    assert all(table[find_slot(table, key)] == key for key in keys)


@pytest.mark.parametrize("game", [PortaNigra(2), Nim()])
def test_every_bit_of_an_information_state_changes_its_key(game: Any) -> None:
    """The bits of the last bytes included, where a record is no whole number of words."""
    info_state = new_info_state(game)
    data = info_state.states.view(np.uint8)
    data[:] = np.arange(len(data)) % 256
    keys = {int(info_state_key(info_state))}
    for i in range(len(data)):
        for bit in range(8):
            data[i] ^= 1 << bit
            keys.add(int(info_state_key(info_state)))
            data[i] ^= 1 << bit
    assert len(keys) == 8 * game.dtype.itemsize + 1
    assert all(0 < key < 1 << 62 for key in keys)
    assert info_state_key(new_info_state(game)) == info_state_key(new_info_state(game))


def test_results_by_utility() -> None:
    """Wins follow from ranks, here with a broken tie of totals; margins follow from totals."""

    def score(constants: Any, states: Any, row: int, totals: Any) -> None:
        totals[:] = (10, 14, 14)

    def rank(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
        places[:] = (3, 2, 1)

    def shared(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
        places[:] = (3, 1, 1)

    game = PortaNigra(3)
    scratch = new_scratch(game)

    def results(utility: int, scale: float, ranked: Any = shared) -> list[float]:
        replacements: dict[Any, Any] = {contract.score: score, contract.rank: ranked}
        score_seats = search.template.specialize("test", replacements, lambda function: function)[search.score_seats]
        score_seats(game.constants, np.zeros(1, dtype=game.dtype), scratch, 0, utility, scale)
        return [float(result) for result in scratch.results]

    assert results(WIN, 1.0) == [0, 0.5, 0.5]
    assert results(WIN, 1.0, rank) == [0, 0, 1]
    assert results(OUTCOME, 1.0, rank) == [-0.5, -0.5, 1]
    assert results(LINEAR, 2.0, rank) == [-2, 0, 0]
    assert results(LOGISTIC, 4.0) == pytest.approx([1 / (1 + np.e), 0.5, 0.5])


def test_policies_of_one_factory_do_not_share_machine_code() -> None:
    """Two closures of the same name, bound one after the other, play differently."""

    def factory(index: int) -> Any:
        @jit
        def choose(
            constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any
        ) -> int:
            return bits.select(words, index)

        return choose

    game = Nim()
    both = [bind_search(game, Policy("nth", factory(index), reads_state=False)) for index in (0, 1)]
    assert len({identity(factory(index)) for index in (0, 1, 1)}) == 2
    assert both[0].simulate is not both[1].simulate
    agent = make("flat:utility=win", game)
    assert isinstance(agent, SearchAgent)
    roots = roots_of(game.load_position({"heap": 8, "current_player": 0}), 0, 1, 1)
    values = []
    for loops in both:
        tree, slots, scratch = new_tree(game, 1, 64), new_slots(game, 1, 1), new_scratch(game)
        arrays = tuple(tree), tuple(slots), tuple(scratch), np.zeros(0)
        loops.simulate(game.constants, roots, *arrays, agent.rules, 0, 3)
        votes, sums = np.zeros(3, dtype=np.int64), np.zeros(3)
        loops.count_votes(game.constants, roots, tuple(tree), tuple(scratch), 0, votes, sums)
        values.append(sums.tolist())
    # From eight, the first takes one at a time and the second two: the starting player loses, and wins with the third.
    assert values[0] != values[1]


def test_a_search_is_refused_a_policy_of_another_game() -> None:
    builder = PortaNigra(2).policies()["builder"]
    with pytest.raises(ValueError, match="policy 'builder' is made for porta_nigra, not for nim"):
        bind_search(Nim(), builder)


def test_a_table_has_space_for_its_edges() -> None:
    assert table_size(1000) // 2 >= 1000
