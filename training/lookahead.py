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

from agents.networks.network import NEVER
from porta_nigra_env.core.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from training.collector import Choices, Inputs
from training.learner import Learner

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

    def tried(self, states: Any, inputs: Inputs, judged: Judged, rng: np.random.Generator) -> Tried:
        """Try the likeliest actions of k decisions of games of one number of players.

        Args:
            states: (k,) state array, hidden cards included.
            inputs: of their movers.
            judged: what `judge` says of them.
            rng: of what is drawn.
        """
        order = np.argsort(-judged.log_shares, axis=1, kind="stable")[:, : self.candidates]
        there = np.take_along_axis(inputs.masks, order, axis=1) != 0
        row, place = np.nonzero(there)
        # The same numbers for all actions of a decision: what differs is what the actions did.
        uniforms = rng.random((self.plies, len(states)))
        results = np.zeros(order.shape)
        players = int(inputs.players[0]) if len(states) else 0
        size = self._envs[players].num_envs if players else 1
        for first in range(0, len(row), size):
            some = slice(first, first + size)
            who = row[some]
            results[who, place[some]] = self._played_on(
                players, states[who], order[who, place[some]], inputs.movers[who].astype(np.int64), uniforms[:, who]
            )
        shares = np.where(there, np.exp(np.take_along_axis(judged.log_shares, order, axis=1)), 0.0)
        drawn = (shares * results).sum(axis=1, keepdims=True) / np.maximum(shares.sum(axis=1, keepdims=True), 1e-30)
        return Tried(order, np.where(there, results - drawn, 0.0).astype(np.float32), there)

    def _played_on(self, players: int, states: Any, actions: Any, movers: Any, uniforms: Any) -> Any:
        """What k actions come to for who decided, each in its state, float64 (k,); uniforms: (plies, k)."""
        env, used = self._envs[players], len(states)
        # What is left of the rows plays along and is not looked at.
        env.load(np.resize(states, env.num_envs), seed=0)
        step = env.step(np.resize(actions, env.num_envs))
        results = step.rewards[np.arange(used), movers].astype(np.float64)
        for ply in range(self.plies + 1):
            rows = np.flatnonzero(step.current_player[:used] >= 0)
            if not len(rows):
                break
            # Most of the time all go on, and nothing has to be copied.
            seen = slice(used) if len(rows) == used else rows
            seats = step.current_player[rows]
            inputs = Inputs(
                step.observations[seen], step.action_masks[seen], seats, np.full(len(rows), players, dtype=np.int8),
                np.zeros((len(rows), 0), dtype=np.float16),
            )  # fmt: skip
            choices = Choices(
                np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.float32),
                np.zeros((len(rows), self.learner.network.shape.seats), dtype=np.float32),
            )  # fmt: skip
            self.learner.decide(inputs, uniforms[min(ply, self.plies - 1), rows] if self.plies else rows * 0.0, choices)
            if ply == self.plies:
                results[rows] += choices.values[np.arange(len(rows)), (movers[rows] - seats) % players]
                break
            # Rows that are not looked at: whatever they do, the game there goes on or ends.
            drawn = step.action_masks.argmax(axis=1).astype(np.int64)
            drawn[rows] = choices.actions
            step = env.step(drawn)
            results[rows] += step.rewards[rows, movers[rows]]
        return results
