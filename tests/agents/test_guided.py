"""Guided search: known solutions, independence of other games in the batch, time limits and full tables."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.networks.network import save_network
from agents.networks.neural import GuidedAgent
from agents.registry import AgentError, make
from agents.sampling import NEVER
from agents.search.arrays import PUCT, new_tree
from agents.search.guided import GuidedResult, GuidedSearch
from agents.search.halving import Halving
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.agents.test_network import positions, random_network
from tests.toys.kuhn.game import Kuhn
from tests.toys.kuhn.strategy import strategy
from tests.toys.nim.game import Nim

#: Seats of the networks here, more than the games have.
SEATS = 4


def knows_nothing(observations: Any, masks: Any) -> tuple[Any, Any]:
    """All actions alike, all positions even."""
    return np.zeros(masks.shape, dtype=np.float32), np.zeros((len(masks), SEATS), dtype=np.float32)


def ask(search: GuidedSearch, view: View, seed: int = 1, **more: Any) -> GuidedResult:
    return search.run(view.state, np.array([view.player], dtype=np.int8), np.array([seed]), **more)


def nim(heap: int, player: int) -> View:
    game = Nim()
    return View(game, game.load_position({"heap": heap, "current_player": player}), 0, player)


@pytest.mark.parametrize("gumbel", [True, False])
@pytest.mark.parametrize("heap", [5, 6, 7, 9, 10, 11])
def test_nim_is_played_perfectly_by_random_network_that_knows_nothing(heap: int, gumbel: bool) -> None:
    for player in (0, 1):
        view = nim(heap, player)
        found = ask(GuidedSearch(view.game, knows_nothing, 1500, gumbel=gumbel), view)
        assert found.actions[0] == heap % 4 - 1
        assert found.improved[0].argmax() == heap % 4 - 1
        assert found.values[0, heap % 4 - 1] > 0.5


def test_random_network_that_knows_needs_few_simulations() -> None:
    """Values by order of play: the observer loses with a multiple of four."""

    def knows(observations: Any, masks: Any) -> tuple[Any, Any]:
        values = np.zeros((len(masks), SEATS), dtype=np.float32)
        lost = observations[:, 2:].argmax(axis=1) % 4 == 0
        values[:, 0], values[:, 1] = np.where(lost, -1, 1), np.where(lost, 1, -1)
        return np.zeros(masks.shape, dtype=np.float32), values

    for heap in (17, 18, 19):
        view = nim(heap, 1)
        assert ask(GuidedSearch(view.game, knows, 12, parallel=3), view).actions[0] == heap % 4 - 1


@pytest.mark.parametrize("gumbel", [True, False])
def test_kuhn_poker_where_only_the_win_counts(gumbel: bool) -> None:
    """Giving up loses, so a bet is called with every card that may win: the queen and the king."""
    search = GuidedSearch(Kuhn(), knows_nothing, 400, gumbel=gumbel)
    bets = strategy(lambda view: ask(search, view).improved[0].astype(np.float32))
    for history in ("b", "pb"):
        assert bets[history, 1] > 0.9
        assert bets[history, 2] > 0.9


@pytest.mark.parametrize("gumbel", [True, False])
@pytest.mark.parametrize("players", [2, 3])
def test_games_are_searched_together_as_they_are_alone(players: int, gumbel: bool) -> None:
    env = positions(players, 40)
    game = env.game
    rows = np.flatnonzero(env.action_masks.sum(axis=1) > 1)[:6]
    views = env.views(rows)
    search = GuidedSearch(game, knows_nothing, 40, parallel=4, gumbel=gumbel)
    seeds = np.arange(len(rows)) + 100
    together = search.run(views.states, views.players, seeds, noise=1.0)
    for i in range(len(rows)):
        alone = search.run(views.states[i : i + 1], views.players[i : i + 1], seeds[i : i + 1], noise=1.0)
        for name in ("visits", "values", "logits", "expected", "actions", "improved"):
            np.testing.assert_array_equal(getattr(together, name)[i], getattr(alone, name)[0], err_msg=name)
    shared = GuidedSearch(game, knows_nothing, 40, parallel=4, gumbel=gumbel, threads=4)
    for count in (len(rows), 3):
        apart = shared.run(views.states[:count], views.players[:count], seeds[:count], noise=1.0)
        for one in fields(GuidedResult):
            np.testing.assert_array_equal(getattr(apart, one.name), getattr(together, one.name)[:count])
    assert (together.visits.sum(axis=1) == 40).all()
    legal = views.action_masks != 0
    assert not together.visits[~legal].any()
    assert (together.logits[~legal] == NEVER).all()
    np.testing.assert_allclose(together.improved.sum(axis=1), 1.0)
    assert not together.improved[~legal].any()


def test_considered_actions_are_tried_equally_and_then_the_better_half() -> None:
    view = nim(10, 0)
    found = ask(GuidedSearch(view.game, knows_nothing, 60, parallel=3), view)
    # Three actions: 30 simulations for all of them, 30 for the better two.
    assert sorted(found.visits[0].tolist()) == [10, 25, 25]


@pytest.mark.parametrize("actions", range(2, 17))
@pytest.mark.parametrize(("simulations", "parallel"), [(48, 4), (96, 16), (50, 8), (7, 3)])
def test_remaining_candidates_have_equal_visits(actions: int, simulations: int, parallel: int) -> None:
    """Also where phases end in the middle of a round, so that the better one of them is chosen."""
    halving = Halving(np.zeros((1, actions)), np.zeros((1, actions)), simulations)
    scores, visits = np.arange(actions, dtype=np.float64)[None], np.zeros((1, actions), dtype=np.int64)
    while visits.sum() < simulations:
        count = min(parallel, simulations - int(visits.sum()))
        np.add.at(visits[0], halving.next(count, -scores, 0.0), 1)
    left = halving.candidates[0]
    assert visits[0, left].max() - visits[0, left].min() <= 1
    assert halving.best(scores, visits).tolist() == [max(one for one in left if visits[0, one] > 0)]


def test_the_clock_is_asked_once_a_round() -> None:
    asked: list[float] = []

    def spent() -> float:
        asked.append(len(asked) / 100)
        return asked[-1]

    ask(GuidedSearch(Nim(), knows_nothing, 10, parallel=4), nim(10, 0), spent=spent)
    assert len(asked) == 3


@pytest.mark.parametrize("gumbel", [True, False])
@pytest.mark.parametrize("simulations", [1, 2, 3, 4])
def test_few_simulations_are_enough_for_a_root_of_many_actions(simulations: int, gumbel: bool) -> None:
    """Every simulation passes an edge of the root, and the table of an earlier search is cleared."""
    env = BatchEnv(PortaNigra(2), 200)
    env.reset(seed=1)
    widest = env.view(0)
    for _ in range(120):
        # Drawn alike at every step, which makes odd games with many actions.
        env.step(env.random_actions(np.random.default_rng(1)))
        view = env.view(int(env.action_masks.sum(axis=1).argmax()))
        widest = max(widest, view, key=lambda one: len(one.legal_ids()))
    assert len(widest.legal_ids()) > 64
    search = GuidedSearch(env.game, knows_nothing, simulations, gumbel=gumbel)
    for seed in range(3):
        found = ask(search, widest, seed)
        assert found.visits.sum() == simulations
        assert found.visits[0, found.actions[0]] > 0


def test_nothing_is_chosen_that_no_simulation_has_tried() -> None:
    """The values of the leaves are less than the network's value of the root."""

    def vain(observations: Any, masks: Any) -> tuple[Any, Any]:
        values = np.full((len(masks), SEATS), -0.2, dtype=np.float32)
        values[observations[:, : observations.shape[1]].sum(axis=1) == first] = 0.3
        return np.zeros(masks.shape, dtype=np.float32), values

    env = positions(2, 60)
    row = int(env.action_masks.sum(axis=1).argmax())
    view = env.view(row)
    assert len(view.legal_ids()) > 8
    first = view.observation.sum()
    found = ask(GuidedSearch(env.game, vain, 8, parallel=4), view)
    assert found.visits.sum() == 8
    assert (found.visits > 0).sum() == 8
    assert found.visits[0, found.actions[0]] > 0


def test_a_limit_of_time_halves_the_candidates_as_one_of_simulations_does() -> None:
    env = positions(2, 60)
    row = int(env.action_masks.sum(axis=1).argmax())
    view = env.view(row)
    count = min(16, len(view.legal_ids()))
    search = GuidedSearch(env.game, knows_nothing, 5000, parallel=4)
    clock = iter(np.linspace(0, 1.2, 240))
    found = ask(search, view, spent=lambda: next(clock))
    tried = np.sort(found.visits[0][found.visits[0] > 0])
    assert found.visits.sum() < 5000
    assert len(tried) == count
    # Two are left in the last quarter, or third, of the time: the best have far more visits than those that fell first.
    assert tried[-1] > 4 * tried[0]
    assert tried[-3] < tried[-1]


@pytest.mark.parametrize("search", ["guided", "mirror"])
def test_random_network_that_expects_points_is_refused(search: str, tmp_path: Path) -> None:
    game = PortaNigra(2)
    network = random_network(game)
    network.reward = "margin"
    path = tmp_path / "points.safetensors"
    save_network(path, network, [game])
    make(f"network:checkpoint={path}", game)
    with pytest.raises(ValueError, match="reward 'margin'; a search needs"):
        make(f"{search}:checkpoint={path}", game)


def test_values_are_entered_for_every_seat() -> None:
    """The network expects the seat on the left of the observer to win."""

    def left_wins(observations: Any, masks: Any) -> tuple[Any, Any]:
        values = np.full((len(masks), SEATS), -0.5, dtype=np.float32)
        values[:, 1] = 1.0
        return np.zeros(masks.shape, dtype=np.float32), values

    env = positions(3, 40)
    row = int(np.flatnonzero(env.action_masks.sum(axis=1) > 1)[0])
    view = env.view(row)
    found = ask(GuidedSearch(env.game, left_wins, 1, parallel=1), view)
    assert found.expected[0, (view.player + 1) % 3] == 1.0
    assert found.expected[0].sum() == pytest.approx(0.0)


def test_an_action_that_the_network_thinks_nothing_of_is_found_with_flatter_priors() -> None:
    """The only winning action of Nim has a logit of 20 less than the others."""

    def wrong(observations: Any, masks: Any) -> tuple[Any, Any]:
        logits = np.zeros(masks.shape, dtype=np.float32)
        logits[:, 1] = -20.0
        return logits, np.zeros((len(masks), SEATS), dtype=np.float32)

    view = nim(6, 0)
    found = {t: ask(GuidedSearch(view.game, wrong, 40, gumbel=False, prior_temperature=t), view) for t in (1.0, 20.0)}
    assert found[1.0].visits[0, 1] == 0
    assert found[20.0].visits[0, 1] > 5
    for one in found.values():
        np.testing.assert_allclose(one.logits[0], [0.0, -20.0, 0.0], atol=1e-5)
    # Training learns from the network's probabilities, improved by the search.
    assert found[20.0].improved[0, 1] == pytest.approx(0.0, abs=0.5)


@pytest.mark.parametrize("players", [2, 3])
def test_mean_results_are_those_of_all_simulations(players: int) -> None:
    env = positions(players, 40)
    row = int(np.flatnonzero(env.action_masks.sum(axis=1) > 1)[0])
    view = env.view(row)
    found = ask(GuidedSearch(env.game, knows_nothing, 60), view)
    own = (found.visits[0] * found.values[0]).sum() / found.visits[0].sum()
    assert found.means.shape == (1, players)
    assert found.means[0, view.player] == pytest.approx(own)
    assert found.means[0].sum() == pytest.approx(0.0, abs=1e-6)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    games: list[Game] = [PortaNigra(2), PortaNigra(3)]
    path = tmp_path / "network.safetensors"
    save_network(path, random_network(games[0]), games)
    return path


def test_an_agent_alone_and_for_many_games(file: Path) -> None:
    env = positions(2, 12)
    agent = make(f"guided:checkpoint={file},simulations=20", env.game, seed=4)
    assert isinstance(agent, GuidedAgent)
    views = env.views()
    together = agent.act_batch(views)
    assert together.tolist() == [agent.act(view) for view in views]
    assert all(view.action_mask[action] for view, action in zip(views, together.tolist(), strict=True))
    for view in views:
        shares = agent.policy(view)
        assert shares.sum() == pytest.approx(1.0, abs=1e-5)
        assert not shares[view.action_mask == 0].any()


def test_a_budget_of_time_ends_a_search(file: Path) -> None:
    env = positions(2, 12)
    agent = make(f"guided:checkpoint={file},simulations=60000,seconds=0.05,parallel=4", env.game, seed=4)
    assert isinstance(agent, GuidedAgent)
    view = next(view for view in env.views() if len(view.legal_ids()) > 1)
    agent.act(view)
    assert agent.last is not None
    assert 0 < agent.last.visits.sum() < 60000
    # Without a number of simulations the time alone counts, in a tree of bounded memory.
    agent = make(f"guided:checkpoint={file},seconds=2", env.game, seed=4)
    assert isinstance(agent, GuidedAgent)
    agent.act(view)
    assert agent.last is not None
    assert agent.last.visits.sum() > 200
    assert sum(array.nbytes for array in agent.search._tree) < 1 << 25


@pytest.mark.parametrize(
    ("options", "message"),
    [("simulations=0", "at least 1"), ("root=best", "one of gumbel, puct"), ("parallel=x", "must be an integer")],
)
def test_bad_parameters(options: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        make(f"guided:{options}", PortaNigra(2))


def test_a_full_table_stops_growing_but_not_searching(monkeypatch: pytest.MonkeyPatch) -> None:
    env = BatchEnv(PortaNigra(2), 1)
    env.reset(seed=3)
    while env.action_masks.sum() < 5:
        env.step(env.random_actions())
    view = env.view(0)
    search = GuidedSearch(env.game, knows_nothing, 300, parallel=4)
    search._allocate(1)
    search._tree = new_tree(env.game, 1, 64, PUCT)
    found = ask(search, view)
    assert found.visits.sum() == 300
    assert search._tree.used[0] <= 32
    assert view.action_mask[found.actions[0]]
