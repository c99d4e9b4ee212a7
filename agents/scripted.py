"""Agents that are compiled policies: one choice function for a batch and for views."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.options import NoOptions
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.envs.opponents import PolicyRows


class ScriptedAgent(Agent):
    """A compiled policy as an agent.

    In `BatchEnv` and `play_games` the policy draws from the row's policy RNG, here from the agent's seed and the view.
    """

    batched = True

    def __init__(self, name: str, game: Game, policy: Policy, seed: int = 0) -> None:
        super().__init__(name, game, seed)
        self.compiled = policy
        self._rows = PolicyRows(game, policy)

    def act(self, view: View) -> int:
        return self._rows.act(view, self.seed)

    def drawn(self, view: View) -> npt.NDArray[np.float32] | None:
        if self.compiled is not RANDOM:
            return None
        mask = view.action_mask.astype(np.float32)
        probabilities: npt.NDArray[np.float32] = mask / mask.sum()
        return probabilities

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        return self._rows.act_rows(views.states, views.players, self.seed)

    def act_seeded(self, views: BatchView, seeds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return self._rows.act_rows(views.states, views.players, seeds)


def make_scripted(text: str, game: Game, seed: int, _: NoOptions) -> ScriptedAgent:
    """Make a compiled player of the registry."""
    return ScriptedAgent(text, game, {RANDOM.name: RANDOM, **game.policies()}[text], seed)
