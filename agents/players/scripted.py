"""Agents that are compiled policies: the same choice function inside a batch and, here, for views."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from porta_nigra_env.core.batch import bind_batch
from porta_nigra_env.core.game import Game, States
from porta_nigra_env.core.policy import Policy
from porta_nigra_env.core.view import BatchView, View


class ScriptedAgent(Agent):
    """A compiled policy as an agent.

    In `BatchEnv` and `play_games` the policy takes its chance from the row, here from the agent's seed and the view.
    """

    def __init__(self, name: str, game: Game, policy: Policy, seed: int = 0) -> None:
        super().__init__(name, game, seed)
        self.compiled = policy
        self._act_rows = bind_batch(game, [policy]).act_rows
        self._parameters = policy.parameters.copy()
        self._chance = np.zeros(3, dtype=np.int64)
        self._words = np.zeros(game.num_words, dtype=np.uint64)

    def act(self, view: View) -> int:
        return int(self._act(view.state, np.array([view.player], dtype=np.int8))[0])

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        return self._act(views.states, views.players)

    def _act(self, states: States, players: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        actions = np.zeros(len(states), dtype=np.int64)
        infosets = states.view(np.uint8).reshape(len(states), -1)
        self._act_rows(
            self.game.tables, states, infosets, players, self.seed, self._words, self._parameters, self._chance, actions
        )
        return actions
