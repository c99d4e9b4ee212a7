"""What actions would have come to: each is tried where a game stands, and a network plays all seats on from there.

The world is the one that the game is played in, hidden cards and the order of piles included.  To whom decides there
it is one of those that agree with what she knows, drawn as fairly as any: over many games what an action comes to is
its mean over these.  That serves to learn from, as results of games do, and never to play: `agents.search` looks ahead
in worlds drawn anew, dozens for a decision.  One world for each of a hundred times as many decisions tells a learner
more than a hundred for one.
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

#: Games that a thread plays on at once: what they need fits into the cache of a core.
ROWS: Final = 1024


class Judged(NamedTuple):
    """What a network says of k decisions: log_shares float32 (k, num_actions), logarithms of its probabilities, far
    below zero where illegal; values float32 (k, seats) in units of the reward, the mover's first."""

    log_shares: Any
    values: Any


class Tried(NamedTuple):
    """What came of the likeliest actions of k decisions.

    actions: int64 (k, candidates), the likeliest first; ahead: float32 (k, candidates), by how much each came to more
    for the mover than what the network would draw from them, in units of the reward; there: bool (k, candidates),
    False where fewer actions are legal.
    """

    actions: Any
    ahead: Any
    there: Any


class Lookahead:
    """Tries actions by a network that stays as it is.

    Args:
        games: one for each number of players that may come up.
        learner: with the network; it is asked only.
        plies: decisions that it plays on for, of all seats, before its values stand for the rest.
        candidates: actions that are tried, the likeliest.
    """

    def __init__(self, games: Sequence[Game], learner: Learner, plies: int, candidates: int) -> None:
        self.learner, self.plies, self.candidates = learner, plies, candidates
        threads = len(learner.replicas)
        self._envs = {
            game.num_players: BatchEnv(
                game, ROWS * threads, autoreset_mode="DISABLED", observations="uint8", reward=learner.network.reward,
                illegal_action="terminate", threads=threads,
            )
            for game in games
        }  # fmt: skip

    def judge(self, inputs: Inputs) -> Judged:
        """What the network says of some decisions."""
        logits = np.zeros(inputs.masks.shape, dtype=np.float32)
        values = np.zeros((len(inputs.masks), self.learner.network.shape.seats), dtype=np.float32)

        def work(model: Any, rows: slice) -> None:
            with torch.no_grad():
                outputs = self.learner.forward(model, inputs, rows)
            logits[rows] = outputs.logits.float().numpy()
            values[rows] = outputs.values.float().numpy()

        self.learner.spread(work, len(logits))
        logits[inputs.masks == 0] = NEVER
        logits -= logits.max(axis=1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return Judged(logits, values * float(self.learner.network.value_scale))

    def tried(self, states: Any, inputs: Inputs, log_shares: Any, rng: np.random.Generator) -> Tried:
        """Try the likeliest actions of k decisions, one at least, of games of one number of players.

        Args:
            states: (k,) state array, hidden cards included.
            inputs: of their movers.
            log_shares: float32 (k, num_actions), what `judge` says of them.
            rng: of what is drawn.
        """
        order = np.argsort(-log_shares, axis=1, kind="stable")[:, : self.candidates]
        there = np.take_along_axis(inputs.masks, order, axis=1) != 0
        row, place = np.nonzero(there)
        # The same numbers for all actions of a decision: what differs is what the actions did.
        uniforms = rng.random((self.plies, len(states)))
        results = np.zeros(order.shape)
        players = int(inputs.players[0])
        size = self._envs[players].num_envs
        for first in range(0, len(row), size):
            some = slice(first, first + size)
            who = row[some]
            results[who, place[some]] = self._played_on(
                players, states[who], order[who, place[some]], inputs.movers[who].astype(np.int64), uniforms[:, who]
            )
        shares = np.where(there, np.exp(np.take_along_axis(log_shares, order, axis=1)), 0.0)
        drawn = (shares * results).sum(axis=1, keepdims=True) / np.maximum(shares.sum(axis=1, keepdims=True), 1e-30)
        return Tried(order, np.where(there, results - drawn, 0.0).astype(np.float32), there)

    def _played_on(self, players: int, states: Any, actions: Any, movers: Any, uniforms: Any) -> Any:
        """What k actions come to for who decided, each in its state, float64 (k,); uniforms: (plies, k)."""

        def player(step: BatchStep, rows: Any, ply: int) -> tuple[Any, Any]:
            masks, seats = step.action_masks[rows], step.current_player[rows]
            count, nothing = len(masks), np.zeros((len(masks), 0), dtype=np.float16)
            inputs = Inputs(step.observations[rows], masks, seats, np.full(count, players, dtype=np.int8), nothing)
            if ply == self.plies:
                return seats, self.judge(inputs).values
            choices = Choices(
                np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.float32),
                np.zeros((count, self.learner.network.shape.seats), dtype=np.float32),
            )  # fmt: skip
            self.learner.decide(inputs, uniforms[ply, rows], choices)
            return choices.actions, choices.values

        results, _ = rollout_results(self._envs[players], states, actions, self.plies, player)
        return results[np.arange(len(states)), movers]
