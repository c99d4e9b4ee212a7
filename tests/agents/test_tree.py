"""The parts of the search: keys, tables, what a result is worth, and what is compiled of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.registry import make
from agents.search import tree as search
from agents.search.keys import find, mixed, new_sight, sight_key
from agents.search.searcher import SearchAgent
from agents.search.tree import Run, bind_search, new_tree
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.batch.policy import Policy, jit
from porta_nigra_env.core.compile.identity import identity
from porta_nigra_env.core.game import contract
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.toys.nim.game import Nim


def searcher(text: str, game: Any, seed: int = 0) -> SearchAgent:
    """A searching agent."""
    agent = make(text, game, seed)
    assert isinstance(agent, SearchAgent)
    return agent


def test_keys_are_different_and_found_again() -> None:
    keys = {mixed(root, number) for root in (1, mixed(1, 5), mixed(mixed(1, 5), 9)) for number in range(3000)}
    assert len(keys) == 9000
    assert all(0 < key < 1 << 62 for key in keys)
    table = np.zeros(1 << 15, dtype=np.int64)
    for key in keys:
        place = find(table, key)
        assert table[place] == 0
        table[place] = key
    assert all(table[find(table, key)] == key for key in keys)


def test_every_bit_of_what_is_seen_counts() -> None:
    """Also those of the last bytes, where a record is no whole number of words."""
    for game in (PortaNigra(2), Nim()):
        sight = new_sight(game)
        size = game.dtype.itemsize
        seen = sight.states.view(np.uint8)
        seen[:] = np.arange(size) % 256
        keys = {int(sight_key(sight))}
        for i in range(size):
            for bit in range(8):
                seen[i] ^= 1 << bit
                keys.add(int(sight_key(sight)))
                seen[i] ^= 1 << bit
        assert len(keys) == 8 * size + 1
        assert all(0 < key < 1 << 62 for key in keys)
        assert sight_key(new_sight(game)) == sight_key(new_sight(game))


def test_results_by_utility() -> None:
    """Wins follow from places, here with a tie of totals that is broken; margins from totals."""

    def score(constants: Any, states: Any, row: int, totals: Any) -> None:
        totals[:] = (10, 14, 14)

    def rank(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
        places[:] = (3, 2, 1)

    def shared(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
        places[:] = (3, 1, 1)

    game = PortaNigra(3)
    tree = new_tree(game, 1, 1)
    rules = searcher("ismcts", game).rules

    def results(utility: int, scale: float, ranked: Any = shared) -> list[float]:
        replacements = {contract.score: score, contract.rank: ranked}
        value_seats = search.template.specialize("test", replacements, lambda one: one)[search.value_seats]
        value_seats(game.constants, tree, rules._replace(utility=utility, scale=scale))
        return [float(one) for one in tree.results]

    assert results(search.WIN, 1.0) == [0, 0.5, 0.5]
    assert results(search.WIN, 1.0, rank) == [0, 0, 1]
    assert results(search.LINEAR, 2.0, rank) == [-2, 0, 0]
    assert results(search.LOGISTIC, 4.0) == pytest.approx([1 / (1 + np.e), 0.5, 0.5])


def test_policies_of_one_factory_do_not_share_machine_code() -> None:
    """Two closures of the same name, bound one after the other: each plays as it says."""

    def factory(place: int) -> Any:
        @jit
        def choose(
            constants: Any, states: Any, row: int, player: int, words: Any, parameters: Any, policy_rng: Any
        ) -> int:
            return bits.select(words, place)

        return choose

    game = Nim()
    loops = [bind_search(game, Policy("nth", factory(place), reads_state=False)) for place in (0, 1)]
    assert len({identity(factory(place)) for place in (0, 1, 1)}) == 2
    assert loops[0].search is not loops[1].search
    values = []
    for one in loops:
        tree = new_tree(game, 10, 1)
        root = game.load_position({"heap": 8, "current_player": 0})
        rules = searcher("flat:utility=win", game).rules
        one.search(game.constants, root, tree, np.zeros(0), rules, Run(0, 1, 1, 0, 3))
        votes, sums = np.zeros(3, dtype=np.int64), np.zeros(3)
        one.count_votes(game.constants, root, tree, rules, Run(0, 1, 1, 0, 3), votes, sums)
        values.append(sums.tolist())
    # From eight, one is taken at a time by the first, two by the second: who begins loses, and wins with the third.
    assert values[0] != values[1]


def test_a_search_is_refused_a_policy_of_another_game() -> None:
    builder = PortaNigra(2).policies()["builder"]
    with pytest.raises(ValueError, match="policy 'builder' is made for porta_nigra, not for nim"):
        bind_search(Nim(), builder)


def test_a_tree_has_room_for_its_simulations() -> None:
    tree = new_tree(PortaNigra(2), 1000, 5)
    assert len(tree.keys) // 2 >= 1000
