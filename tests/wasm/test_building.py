"""Modules of small games, built by the tests: reproducible bytes and clear errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from porta_nigra_env.wasm.lowering import Lowering
from tests.toys.dice.game import Dice, State
from tests.toys.kuhn.game import Kuhn
from tests.wasm.comparison import compare_choices, compare_traces
from tests.wasm.machine import Machine
from tests.wasm.searches import (
    Guided,
    Network,
    TreeSearch,
    compiled_guided,
    compiled_search,
    random_weights,
    tree_rules,
)

BUILD = "import sys; from pathlib import Path; from {module} import {name}; "
PLAIN = BUILD + "from porta_nigra_env.wasm.build import Product; Product({name}).write(Path(sys.argv[1]))"
SEARCHING = BUILD + "from agents.web.page.products import product; product({name}).write(Path(sys.argv[1]))"


def begin(program: str, folder: Path, hash_seed: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], env={**os.environ, "PYTHONHASHSEED": hash_seed}
    )


KUHN = PLAIN.format(module="tests.toys.kuhn.game", name="Kuhn")


def test_a_small_game_plays_like_the_kernel(tmp_path: Path) -> None:
    """Its random numbers are products that overflow and must wrap."""
    assert begin(KUHN, tmp_path, "1").wait() == 0
    machine = Machine(next(tmp_path.glob("kuhn.*.wasm")), Kuhn(2))
    assert compare_traces(machine, Kuhn(2), 100_000, seed=1) > 10_000
    compare_choices(machine, Kuhn(2), 100, seed=1)


@pytest.mark.long
def test_builds_are_reproducible(tmp_path: Path) -> None:
    """The order of Python's sets has no effect."""
    runs = [begin(KUHN, tmp_path / seed, seed) for seed in "12"]
    assert [run.wait() for run in runs] == [0, 0]
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / seed).iterdir()} for seed in "12")
    assert len(first) == 2
    assert first == second


@pytest.fixture(scope="module")
def dice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module of the dice game with its searches."""
    folder = tmp_path_factory.mktemp("wasm")
    assert begin(SEARCHING.format(module="tests.toys.dice.game", name="Dice"), folder, "0").wait() == 0
    return next(folder.glob("dice.*.wasm"))


@pytest.mark.long
@pytest.mark.parametrize("players", Dice.seats)
def test_plays_like_the_kernel(dice: Path, players: int) -> None:
    game = Dice(players)
    machine = Machine(dice, game)
    compare_traces(machine, game, 100_000, seed=players)
    compare_choices(machine, game, 200, seed=players)


@pytest.mark.long
@pytest.mark.parametrize(("players", "observer"), [(2, 1), (3, 0)])
def test_searches_equal_those_of_agents(dice: Path, players: int, observer: int) -> None:
    """Compare along a game: IS-MCTS in chunks, and the guided search with a random network."""
    game = Dice(players)
    machine = Machine(dice, game)
    rules = tree_rules(game)._replace(observer=observer)
    search = TreeSearch(machine, game, rules, 200)
    network = Network(machine, random_weights(game, width=16, blocks=2, seed=players), normed=observer)
    guided = Guided(network, game, simulations=100, parallel=8, observer=observer)
    state = State.new(num_players=players, seed=3)
    for decision in range(8):
        view = state.view()
        votes, values = search.run(view, decision, chunk=70)
        wanted = compiled_search(game, view, rules, 200, decision)
        assert votes.tolist() == wanted[0].tolist()
        assert values.tolist() == wanted[1].tolist()
        both = zip(guided.run(view, decision), compiled_guided(network, game, view, guided, decision), strict=True)
        assert all(actual.tolist() == expected.tolist() for actual, expected in both)
        state.apply(state.legal_actions()[decision % len(state.legal_actions())])


@pytest.mark.long
def test_forced_actions_are_simulated(dice: Path) -> None:
    """All simulations with a forced action begin with it."""
    game = Dice(2)
    machine = Machine(dice, game)
    guided = Guided(Network(machine, random_weights(game, 8, 1, 1)), game, 40, 8, 1)
    guided.begin(State.new(num_players=2, seed=3).view(), 4)
    for first in range(1, 41, 8):
        guided.round(first, 8, forced=2)
    visits, _ = guided.tally()
    assert visits[2] == 40
    assert visits.sum() == 40


def calls_itself(number: int) -> int:
    return calls_itself(number - 1) if number else 0


def test_recursive_functions_are_refused() -> None:
    with pytest.raises(ValueError, match="calls_itself calls itself"):
        Lowering().twin(calls_itself)
