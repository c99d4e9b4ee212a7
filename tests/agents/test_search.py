"""Tree searches find known solutions, see no hidden information, and are functions of view and seed."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

from agents import registry
from agents.agent import Agent
from agents.registry import AgentError, Entry, make
from agents.scripted import ScriptedAgent
from agents.search.searcher import SearchAgent, roots_of
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State
from tests.envs.probes import HIGHEST, LOWEST
from tests.toys.kuhn.game import CARDS, Kuhn, KuhnState, dealt
from tests.toys.nim.game import Nim

#: Every kind of search, small.
SMALL = [
    "ismcts:simulations=60",
    "ismcts:simulations=60,observers=multiple",
    "ismcts:simulations=60,widening=1,rounds=0",
    "ismcts:simulations=60,opponents=rollout",
    "ismcts:simulations=30,threads=3",
    "pimc:simulations=60,worlds=5",
    "flat:simulations=60,utility=win",
]


def searcher(text: str, game: Any, seed: int = 0) -> SearchAgent:
    """A searching agent."""
    agent = make(text, game, seed)
    assert isinstance(agent, SearchAgent)
    return agent


@pytest.fixture(scope="module", autouse=True)
def fixed_opponents() -> None:
    """Two opponents that can be named as rollouts."""
    for policy in (LOWEST, HIGHEST):
        if policy.name not in registry.entries():
            registry.register(Entry(policy.name, "", partial(scripted, policy)))


def scripted(policy: Policy, text: str, game: Game, seed: int, _: Mapping[str, Any]) -> Agent:
    """An entry's `make` for a compiled policy."""
    return ScriptedAgent(text, game, policy, seed)


# -- known solutions


@pytest.mark.parametrize(
    "text",
    [
        "ismcts:simulations=20000,utility=win,exploration=0.7",
        "pimc:simulations=20000,worlds=1,utility=win,exploration=0.7",
    ],
)
@pytest.mark.parametrize("heap", [5, 6, 7, 9, 10, 11, 13, 14, 15])
def test_nim_is_played_perfectly(text: str, heap: int) -> None:
    """Perfect information: leave a multiple of four."""
    game = Nim()
    for player in (0, 1):
        view = View(game, game.load_position({"heap": heap, "current_player": player}), 0, player)
        assert game.action_texts[make(text, game, 3).act(view)] == f"take {heap % 4}"


def test_values_of_nim_come_near_the_truth() -> None:
    game = Nim()
    agent = searcher("ismcts:simulations=4000,utility=win", game)
    won = agent.search(View(game, game.load_position({"heap": 6, "current_player": 0}), 0, 0))
    lost = agent.search(View(game, game.load_position({"heap": 4, "current_player": 0}), 0, 0))
    assert won.values[1] > 0.9
    assert lost.values.max() < 0.2


def kuhn_deals() -> list[KuhnState]:
    """The six deals, all equally likely."""
    return [dealt(cards, seed=number) for number, cards in enumerate(itertools.permutations(CARDS, 2))]


def chips(seats: list[Agent]) -> float:
    """Return the mean gain of seat 0 over all deals."""
    gained = 0
    for state in kuhn_deals():
        while not state.is_over:
            player = state.current_player
            assert player is not None
            state.apply_id(seats[player].act(state.view(player)))
        totals = np.zeros(2, dtype=np.int32)
        state.game.kernel.score(state.game.constants, state.states, 0, totals)
        gained += int(totals[0]) - int(totals[1])
    return gained / 6 / 2  # a chip that one wins the other loses


@pytest.mark.parametrize(
    ("opponent", "value"),
    [
        ("lowest", 1.0),  # always passes: a bet wins the ante
        ("highest", 1 / 3),  # always bets: give up the jack, call with the king, the queen does not matter
    ],
)
def test_the_best_answer_to_a_known_opponent_in_kuhn_poker(opponent: str, value: float) -> None:
    """The exact values of the best responses, by hand; the search knows the policy of the opponent, not its cards."""
    game = Kuhn()
    text = f"ismcts:simulations=3000,opponents=rollout,rollout={opponent},utility=linear,scale=2,exploration=1"
    for seed in range(3):
        hunter, prey = make(text, game, seed), make(opponent, game)
        assert chips([hunter, prey]) == pytest.approx(value)
        assert chips([prey, hunter]) == pytest.approx(-value)


def test_more_simulations_find_the_better_move_in_a_longer_game() -> None:
    """IS-MCTS beats random play at Porta Nigra in every game of a small sample."""
    game = PortaNigra(2)
    for seed in range(3):
        state = State.new(2, seed)
        seats = [make("ismcts:simulations=80", game, seed), make("random", game, seed)]
        while not state.is_over:
            player = state.current_player
            assert player is not None
            state.apply_id(seats[player].act(state.view(player)))
        assert state.winners() == [0]


# -- functions of view and seed


def moments(players: int, count: int) -> list[State]:
    """Positions with a choice, spread over a random game."""
    state = State.new(players, 77 + players)
    rng = np.random.default_rng(players)
    found = []
    while not state.is_over:
        legal = state.legal_ids()
        if len(legal) > 1:
            found.append(state.clone())
        state.apply_id(int(rng.choice(legal)))
    return [found[i] for i in np.linspace(0, len(found) - 1, count).astype(int)]


@pytest.mark.parametrize("text", SMALL)
def test_an_agent_is_a_function_of_view_and_seed(text: str) -> None:
    states = moments(2, 5)
    game = states[0].game
    agent = make(text, game, 9)
    views = [state.view(state.current_player or 0) for state in states]
    answers = [agent.act(view) for view in views]
    assert [agent.act(view) for view in reversed(views)] == answers[::-1]
    assert [pickle.loads(pickle.dumps(agent)).act(view) for view in views] == answers
    shares = agent.policy(views[2])
    assert shares.dtype == np.float32
    assert shares.sum() == pytest.approx(1)
    assert not shares[views[2].action_mask == 0].any()
    assert shares.argmax() == answers[2]


def test_votes_add_up_and_trees_of_threads_differ() -> None:
    state = moments(2, 3)[1]
    view = state.view(state.current_player or 0)
    one = searcher("ismcts:simulations=400", state.game, 1).search(view)
    three = searcher("ismcts:simulations=400,threads=3", state.game, 1).search(view)
    assert one.votes.sum() == one.simulations == 400
    assert three.votes.sum() == three.simulations == 1200
    assert not np.array_equal(three.votes, 3 * one.votes)
    assert (one.values[one.votes > 0] >= 0).all()
    assert (one.values <= 1).all()


def test_a_budget_of_time_is_kept() -> None:
    state = moments(2, 3)[1]
    view = state.view(state.current_player or 0)
    agent = searcher("ismcts:simulations=1000000,seconds=0.2", state.game)
    agent.search(view)
    found = agent.search(view)
    assert 0.2 <= found.seconds < 2
    assert 32 <= found.simulations < 1_000_000


def test_without_a_number_of_simulations_the_time_alone_counts() -> None:
    """More than the default number, in a tree of bounded memory; a number that is given stays a limit."""
    state = moments(2, 3)[1]
    view = state.view(state.current_player or 0)
    searcher("ismcts:simulations=1,rounds=1", state.game).search(view)  # compiles, which is no search
    agent = searcher("ismcts:seconds=2,rounds=1,observers=multiple", state.game)
    assert agent.search(view).simulations > 1000
    assert sum(array.nbytes for array in agent._threads[0].tree) < 1 << 26
    assert searcher("ismcts:seconds=60,simulations=50", state.game).search(view).simulations == 50


def test_a_full_table_ends_growing_not_searching() -> None:
    state = moments(2, 3)[1]
    agent = searcher("ismcts:simulations=1", state.game)
    view = state.view(state.current_player or 0)
    for _ in range(5):
        result = agent.search(view)
        assert result.votes.sum() >= 0
    thread = agent._threads[0]
    arrays = tuple(thread.tree), tuple(thread.slots), tuple(thread.scratch)
    roots = roots_of(view.state, view.player, 7, 1)
    agent._loops.simulate(state.game.constants, roots, *arrays, agent._parameters, agent.rules, 0, 500)
    tree = thread.tree
    assert tree.used[0] <= tree.keys.size // 2 + 1
    assert (tree.keys != 0).sum() == tree.used[0]


# -- names and options


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ismcts:simulations=0", "simulations must be at least 1"),
        ("ismcts:simulations=many", "simulations must be an integer"),
        ("ismcts:seconds=nan", "seconds must be a finite number, not nan"),
        ("ismcts:seconds=1e9", "seconds must be at most 86400"),
        ("ismcts:exploration=inf", "exploration must be a finite number"),
        ("ismcts:widening=-inf", "widening must be a finite number"),
        ("ismcts:widening=1e9", "widening must be at most 1000000, not 1e9"),
        (f"ismcts:rounds={10**20}", "rounds must be at most 1000"),
        ("flat:threads=65", "threads must be at most 64"),
        ("ismcts:simulations=5000000", "simulations must be at most 4194304"),
        ("ismcts:rollout=nobody", "no agent 'nobody'"),
        ("ismcts:rollout=flat", "must name a compiled policy"),
        ("ismcts:observers=two", "observers must be one of single, multiple"),
        ("ismcts:simulations", "no parameter of the form key=value"),
        ("ismcts:depth=3", "it takes simulations, seconds"),
        ("ismcts:simulations=5,simulations=6", "given twice"),
        ("minimax", "there is no agent 'minimax'; there are"),
        ("random:x=1", "it takes none"),
        ("", "there is no agent ''"),
        ("pimc:worlds=0", "worlds must be at least 1"),
        ("flat:scale=0", "scale must be at least"),
    ],
)
def test_wrong_names_and_parameters(text: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        make(text, PortaNigra(2))


def test_every_number_has_bounds() -> None:
    for entry in registry.entries().values():
        for one in entry.parameters:
            if type(one.default) in (int, float):
                assert one.low is not None, (entry.name, one.name)
                assert one.high is not None, (entry.name, one.name)


def test_the_list_of_agents(capsys: pytest.CaptureFixture[str]) -> None:
    assert registry.main([]) == 0
    shown = capsys.readouterr().out
    for name in ("random", "ismcts", "pimc", "flat"):
        assert f"\n{name}" in f"\n{shown}"
    assert "simulations=1000" in shown
    with pytest.raises(SystemExit):
        registry.main(["--help"])
    helped = capsys.readouterr().out
    assert "\n  pimc " in helped
    assert registry.entries()["builder"].doc in helped
    with pytest.raises(ValueError, match="called 'random' already"):
        registry.register(registry.entries()["random"])
    if "only-here" not in registry.entries():
        registry.register(Entry("only-here", "", partial(scripted, LOWEST), games=("porta_nigra",)))
    with pytest.raises(AgentError, match="plays porta_nigra, not nim"):
        make("only-here", Nim())


def test_an_agent_made_by_hand_is_not_pickled() -> None:
    with pytest.raises(TypeError, match=r"not made by agents\.registry\.make"):
        pickle.dumps(ScriptedAgent("by hand", Nim(), LOWEST))
