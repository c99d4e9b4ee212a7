"""One-step lookahead: the likeliest actions are tried in the actual state, then a network plays all seats.

The actual state includes hidden cards and the order of piles.  For the mover it is an unbiased sample of the states
that agree with its information, so results average correctly over many games.  That is enough to learn from, but not
to play: `agents.search` samples dozens of states per step.  One state for each of a hundred times as many steps teaches
more than a hundred states for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import torch

from agents.sampling import NEVER
from agents.search.continuation import rollout_results
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv, BatchStep
from training.ppo.collector import Choices, Inputs
from training.ppo.learner import Learner

#: Rollouts per thread at once; their data fits the cache of a core.
ROWS: Final = 1024


class Evaluation(NamedTuple):
    """Policy and value estimate for k steps.

    log_probs: float32 (k, num_actions), far below zero for illegal actions.
    values: float32 (k, seats) in units of the reward, the mover's first.
    """

    log_probs: Any
    values: Any


class Trial(NamedTuple):
    """Results of the likeliest actions of k steps.

    actions: int64 (k, candidates), the likeliest first.
    ahead: float32 (k, candidates), the mover's result minus the mean result under the policy, in units of the reward.
    legal: bool (k, candidates), False where fewer actions are legal.
    """

    actions: Any
    ahead: Any
    legal: Any


class Lookahead:
    """Tries actions with a fixed network.

    Args:
        games: one per number of players.
        learner: owns the network.
        rollout_steps: length of a rollout, over all seats, before values replace the result.
        candidates: number of actions to try.
    """

    def __init__(self, games: Sequence[Game], learner: Learner, rollout_steps: int, candidates: int) -> None:
        self.learner, self.rollout_steps, self.candidates = learner, rollout_steps, candidates
        threads = len(learner.replicas)
        self._envs = {
            game.num_players: BatchEnv(
                game, ROWS * threads, autoreset_mode="DISABLED", observations="uint8", reward=learner.network.reward,
                illegal_action="terminate", threads=threads,
            )
            for game in games
        }  # fmt: skip

    def evaluate(self, inputs: Inputs) -> Evaluation:
        """Return policy and value estimates."""
        logits = np.zeros(inputs.masks.shape, dtype=np.float32)
        values = np.zeros((len(inputs.masks), self.learner.network.shape.seats), dtype=np.float32)

        def work(model: Any, rows: slice) -> None:
            with torch.no_grad():
                outputs = self.learner.forward(model, inputs, rows)
            logits[rows] = outputs.logits.float().numpy()
            values[rows] = outputs.values.float().numpy()

        self.learner.run_chunks(work, len(logits))
        logits[inputs.masks == 0] = NEVER
        logits -= logits.max(axis=1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return Evaluation(logits, values * float(self.learner.network.value_scale))

    def try_actions(self, states: Any, inputs: Inputs, log_probs: Any, rng: np.random.Generator) -> Trial:
        """Try the likeliest actions of k >= 1 steps of games with one number of players.

        Args:
            states: (k,) state array, hidden cards included.
            inputs: inputs of the movers.
            log_probs: float32 (k, num_actions), from `evaluate`.
            rng: source of the rollouts' actions.
        """
        order = np.argsort(-log_probs, axis=1, kind="stable")[:, : self.candidates]
        legal = np.take_along_axis(inputs.masks, order, axis=1) != 0
        row, column = np.nonzero(legal)
        # Common random numbers for all actions of a step reduce the variance of differences.
        uniforms = rng.random((self.rollout_steps, len(states)))
        results = np.zeros(order.shape)
        players = int(inputs.players[0])
        size = self._envs[players].num_envs
        for first in range(0, len(row), size):
            chunk = slice(first, first + size)
            rows, columns = row[chunk], column[chunk]
            results[rows, columns] = self._roll_out(
                players, states[rows], order[rows, columns], inputs.movers[rows].astype(np.int64), uniforms[:, rows]
            )
        probs = np.where(legal, np.exp(np.take_along_axis(log_probs, order, axis=1)), 0.0)
        mean = (probs * results).sum(axis=1, keepdims=True) / np.maximum(probs.sum(axis=1, keepdims=True), 1e-30)
        return Trial(order, np.where(legal, results - mean, 0.0).astype(np.float32), legal)

    def _roll_out(self, players: int, states: Any, actions: Any, movers: Any, uniforms: Any) -> Any:
        """Return the movers' results of k actions, float64 (k,); uniforms: (rollout_steps, k)."""

        def player(step: BatchStep, rows: Any, depth: int) -> tuple[Any, Any]:
            masks, seats = step.action_masks[rows], step.current_player[rows]
            count, nothing = len(masks), np.zeros((len(masks), 0), dtype=np.float16)
            inputs = Inputs(step.observations[rows], masks, seats, np.full(count, players, dtype=np.int8), nothing)
            if depth == self.rollout_steps:
                return seats, self.evaluate(inputs).values
            choices = Choices(
                np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.float32),
                np.zeros((count, self.learner.network.shape.seats), dtype=np.float32),
            )  # fmt: skip
            self.learner.decide(inputs, uniforms[depth, rows], choices)
            return choices.actions, choices.values

        results, _ = rollout_results(self._envs[players], states, actions, self.rollout_steps, player)
        return results[np.arange(len(states)), movers]
