"""Modules of the page are up to date and produce the same results as the compiled kernel."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.web.page.__main__ import main as build
from agents.web.page.card import card_bytes
from agents.web.page.products import ENDINGS, FOLDER, product
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game
from porta_nigra_env.players.network import NumpyNetwork
from porta_nigra_env.players.published import load_numpy
from tests.wasm.comparison import compare_choices, compare_drawings, compare_games
from tests.wasm.machine import Machine
from tests.wasm.searches import (
    Guided,
    Network,
    TreeSearch,
    compiled_guided,
    compiled_search,
    network_of,
    random_weights,
    tree_rules,
)

#: Steps for every game and number of players, in short and long runs.
DECISIONS, MANY_DECISIONS = 1_000, 20_000

games = pytest.mark.parametrize("name", GAMES)
constants = pytest.mark.parametrize(
    ("name", "players"), [(name, n) for name, entry in GAMES.items() for n in entry.seats]
)


@lru_cache
def module_of(name: str) -> Path:
    """The published module of a game."""
    path = FOLDER / f"{product(game_class(name)).stem}.wasm"
    assert path.exists(), "the sources of the module have changed: make wasm"
    return path


def machine_of(game: Game) -> Machine:
    return Machine(module_of(game.name), game)


@games
def test_modules_are_built_from_the_current_sources(name: str) -> None:
    """A game has one module, built from the current sources, and its manifest and card match the game."""
    path = module_of(name)
    assert {one.name for one in FOLDER.glob(f"{name}.*")} == {path.with_suffix(ending).name for ending in ENDINGS}
    assert path.with_suffix(".card.json").read_bytes() == card_bytes(game_class(name)), "make wasm"
    described = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert described == json.loads(json.dumps(product(game_class(name)).manifest())), "make wasm"


def test_a_stale_manifest_is_rewritten(tmp_path: Path) -> None:
    """Its sources are unchanged, so the code is not rebuilt."""
    path = module_of(DEFAULT_GAME)
    (tmp_path / path.name).write_bytes(b"code")
    described = path.with_suffix(".json")
    (tmp_path / described.name).write_text("{}")
    build(["--build-modules", "--games", DEFAULT_GAME, "--out", str(tmp_path)])
    assert (tmp_path / path.name).read_bytes() == b"code"
    assert (tmp_path / described.name).read_bytes() == described.read_bytes()


@constants
def test_plays_like_the_kernel(name: str, players: int) -> None:
    game = make_game(name, players)
    assert compare_games(machine_of(game), game, DECISIONS, seed=players) > 1


@pytest.mark.long
@constants
def test_plays_like_the_kernel_for_long(name: str, players: int) -> None:
    game = make_game(name, players)
    assert compare_games(machine_of(game), game, MANY_DECISIONS, seed=10 + players) > 1


@constants
def test_policies_choose_the_same_actions(name: str, players: int) -> None:
    game = make_game(name, players)
    compare_choices(machine_of(game), game, decisions=100, seed=7 * players)


@constants
def test_draws_like_python(name: str, players: int) -> None:
    game = make_game(name, players)
    drawing: Any = game.drawing()
    if drawing is None:
        return  # a game may have none
    compare_drawings(machine_of(game), game, drawing, positions=8, seed=players)


@pytest.mark.parametrize(
    "name", [name if name == DEFAULT_GAME else pytest.param(name, marks=pytest.mark.long) for name in GAMES]
)
def test_searches_equal_those_of_agents(name: str) -> None:
    """The same seed gives the same votes; with a network, the numbers equal numpy's up to rounding."""
    game = make_game(name, GAMES[name].seats[0])
    networks = game.networks()
    game = make_game(name, next(iter(networks), game.num_players))
    machine, view = machine_of(game), played(game, 60)
    search = TreeSearch(machine, game, tree_rules(game), simulations=60)
    votes, values = search.run(view, seed=5, chunk=25)
    wanted = compiled_search(game, view, tree_rules(game), 60, seed=5)
    assert votes.sum() == 60
    assert votes.tolist() == wanted[0].tolist()
    np.testing.assert_allclose(values, wanted[1], rtol=1e-12)
    network = network_of(machine, game)
    guided = Guided(network, game, simulations=64, parallel=8, observer=1)
    for actual, expected in zip(guided.run(view, seed=9), compiled_guided(network, game, view, guided, 9), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-12)


def played(game: Game, decisions: int) -> Any:
    """Return the view of the player to move after a number of random steps."""
    states, words = game.new_states(3), np.zeros(game.num_words, dtype=np.uint64)
    game.loops.playout(game.constants, states, 0, words, np.array([1, 2, 3]), decisions)
    return State(game, states).view()


@pytest.mark.parametrize("name", [name for name in GAMES if game_class(name).networks()])
def test_published_networks_match_numpy(name: str) -> None:
    """Compare the published network, with weights of 16 bits, to numpy with 32."""
    kind = game_class(name)
    game = make_game(name, next(iter(kind.networks())))
    rows = np.stack([played(game, decisions).observation for decisions in range(0, 160, 10)])
    logits, values = network_of(machine_of(game), game)(rows)
    wanted = load_numpy(kind.networks()[game.num_players], game)(rows)
    np.testing.assert_allclose(logits, wanted[0], atol=2e-3 * np.abs(wanted[0]).max())
    np.testing.assert_allclose(values, wanted[1], atol=5e-3)


@pytest.mark.parametrize("normed", [0, 1])
def test_a_deep_network_matches_numpy(normed: int) -> None:
    """Compare networks with and without normalized layers; the width is not a multiple of the vector size."""
    game = make_game(DEFAULT_GAME)
    weights = random_weights(game, width=37, blocks=3, seed=normed)
    rows = np.stack([played(game, decisions).observation for decisions in range(0, 160, 40)])
    outputs = Network(machine_of(game), weights, normed)(rows)
    wanted = NumpyNetwork({name: array.astype(np.float32) for name, array in weights.items()}, normed)(rows)
    for actual, expected in zip(outputs, wanted, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-4 * np.abs(expected).max())
