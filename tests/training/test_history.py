"""Policies with memory: PPO with histories solves a game that needs them, and its networks play everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.arena.matches import Setup
from agents.networks.history import HistoryNetwork, HistoryShape
from agents.networks.network import load_network, save_network
from agents.networks.neural import MirrorAgent, NetworkAgent, evaluator_of
from agents.registry import make
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.checkpoint import CheckpointError
from porta_nigra_env.players.network import Shape
from tests.agents.tournaments import played, porta_nigra
from tests.toys.recall.game import Recall
from tests.training.small import Refused, assert_resumes, make_training, words
from training import ppo
from training.run.evaluation import BestAction

#: Events of a history.
LENGTH = 8


def right_answers(training: Any, games: int = 64) -> float:
    """Return the share of right answers of the trained network."""
    env = BatchEnv(Recall(), games, history=training.options.history, autoreset_mode="disabled")
    env.reset(0)
    decide, rows = BestAction(training.network.eval()), np.arange(games)
    while (env.current_player >= 0).all():
        env.step(decide(env, rows))
    return float(env.final_scores.mean())


@pytest.mark.long
@pytest.mark.parametrize("history", [0, LENGTH])
def test_a_game_that_needs_memory_is_solved_with_histories_only(history: int) -> None:
    torch.manual_seed(0)
    training = make_training(
        [Recall()],
        history=history,
        reward="points",
        num_envs=64,
        num_steps=24,
        learning_rate=3e-3,
        keep_fraction=1.0,
        total_timesteps=92_160,
    )
    for _ in range(60):
        training.iterate()
    share = right_answers(training)
    assert share > 0.95 if history else share < 0.5


def test_a_run_with_histories_resumes(tmp_path: Path) -> None:
    assert_resumes(lambda: make_training(history=LENGTH, total_timesteps=1024), tmp_path / "checkpoint", 2, 2)


def history_agent(folder: Path) -> tuple[str, PortaNigra]:
    """Return the string of an untrained network's agent, and its game."""
    game = PortaNigra(2)
    torch.manual_seed(1)
    network = HistoryNetwork(HistoryShape.with_history(Shape.of(game, width=8), game, LENGTH))
    torch.nn.init.normal_(network.policy.weight)
    save_network(folder / "network", network, [game])
    return f"network:checkpoint={folder / 'network'}", game


def test_its_agent_plays_alike_in_batches_environments_and_tournaments(tmp_path: Path) -> None:
    text, game = history_agent(tmp_path)
    agent = make(text, game)
    env, batch = GameAEC(game, history=LENGTH + 3), BatchEnv(game, 1, history=LENGTH)
    env.reset(seed=9)
    batch.reset(seed=9)
    for _ in range(60):
        action = agent.act(env.view(env.agent_selection))
        assert agent.act_batch(batch.views()).tolist() == [action]
        env.step(action)
        batch.step([action])
        if not env.agents or any(env.terminations.values()):
            break
    result = played(Setup(porta_nigra, (text, "random"), 2), [2], 1, tmp_path / "tournament")
    assert result is not None


def test_its_answers_depend_on_the_history(tmp_path: Path) -> None:
    text, game = history_agent(tmp_path)
    agent = make(text, game)
    assert isinstance(agent, NetworkAgent)
    batch = BatchEnv(game, 1, history=LENGTH)
    batch.reset(3)
    for _ in range(12):
        batch.step(batch.random_actions())
    view = batch.views()[0]
    before = agent.policy(view)
    view.history = np.zeros_like(view.history)
    assert not np.allclose(before, agent.policy(view))


def test_the_mirror_search_plays_with_histories(tmp_path: Path) -> None:
    """The rollouts of a search read what the real game gives after the same action: here all events are public."""
    text, game = history_agent(tmp_path)
    agent = make(text.replace("network", "mirror", 1) + ",plies=0,worlds=4,rows=64", game)
    assert isinstance(agent, MirrorAgent)
    batch = BatchEnv(game, 1, history=LENGTH)
    batch.reset(3)
    for _ in range(40):
        batch.step(batch.random_actions())
    while batch.action_masks[0].sum() < 2:
        batch.step(batch.random_actions())
    view, read = batch.views()[0], list[Any]()
    inner = agent.search.evaluator

    def evaluator(*inputs: Any) -> tuple[Any, Any]:
        read.append(inputs[2].copy())
        return inner(*inputs)

    agent.search.evaluator = evaluator
    assert agent.history == LENGTH
    assert agent.act(view) in view.legal_ids()
    first = view.legal_ids()[0]
    batch.step([first])
    assert (read[0] == view.history).all()
    assert any((tokens == batch.histories[0]).all() for tokens in np.concatenate(read[1:]))


def test_missing_histories_and_searches_are_refused(tmp_path: Path, refused: Refused) -> None:
    text, game = history_agent(tmp_path)
    view = State(game, game.new_states(1)).view()
    with pytest.raises(ValueError, match="its network reads 8 events, and the views have 0; make the environment with"):
        make(text, game).policy(view)
    with pytest.raises(CheckpointError, match="this search does not extend"):
        evaluator_of(load_network(tmp_path / "network", game))
    for option in ("--pool-fraction 0.5", "--collectors 2"):
        refused(ppo.main, words(f"--history 4 {option}"), "--history: leave out")
