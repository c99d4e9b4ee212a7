"""Open-hand search, a measurement of the value of hidden hands: it sees all hands but nothing of the future.

It differs from mirror-descent search in its determinizations alone.  Information that any player has is true in all of
them; information that no player has, such as the order of the piles, is sampled.  The pair separates two effects that
`cheating-mcts`, which also sees the future, mixes.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from agents.networks.mirror import MirrorAgent, make_mirror_agent
from agents.options import AgentError, MirrorOptions
from agents.search.mirror import MirrorSearch
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.game.game import Game, States, copied
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv


def open_determinization(game: Game, truth: States, seed: int) -> States:
    """Return a state (1,) in which every player has the same view as in the true one; the rest is sampled.

    The state takes each player's rows from that player's determinization.  That is correct for games whose players
    keep their secrets in rows by seat.

    Args:
        truth: (1,).
        seed: of the sample.
    """
    by_seat = np.repeat(truth, game.num_players)
    for seat in range(game.num_players):
        game.kernel.determinize(game.constants, by_seat, seat, seat, seed)
    state, seats = by_seat[:1].copy(), slice(1, game.num_players)
    for name in game.dtype.names or ():
        shape = game.dtype[name].shape
        if shape and shape[0] == max(game.seats):
            own = np.arange(game.num_players)
            state[name][0][seats] = by_seat[name][own, own][seats]
    return state


def check_determinization(game: Game, truth: States, state: States) -> None:
    """Raise ValueError if a player sees a difference between two states."""
    for seat in range(game.num_players):
        if View(game, state, 0, seat).state.tobytes() != View(game, truth, 0, seat).state.tobytes():
            raise ValueError(
                f"{game.name}: the secrets of the players are not in rows by seat; open-hand search needs that"
            )


class OpenHandSearch(MirrorSearch):
    """A search in determinizations that agree with the information of all players together.

    Attributes:
        truth: (1,), the true state; set before every step.
    """

    truth: States

    def _determinize(self, view: View, seed: int, first: int, count: int) -> States:
        seeds = (later_seed(seed, first + row + 1) for row in range(count))
        return np.concatenate([open_determinization(self.game, self.truth, each) for each in seeds])


class OpenHandAgent(MirrorAgent):
    """A `MirrorAgent` that needs the true state."""

    cheats: ClassVar[bool] = True
    search: OpenHandSearch

    def act(self, view: View) -> int:
        raise TypeError(f"{self.name} cheats: it is asked with act_on_truth, not with a view")

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        raise TypeError(f"{self.name} cheats: it is asked with act_on_truth, not with a view")

    def act_on_truth(self, states: States, row: int) -> int:
        self.search.truth = copied(states[row : row + 1])
        return super().act(View(self.game, states, row, int(states["current_player"][row])))


def make_open_hand_agent(text: str, game: Game, seed: int, options: MirrorOptions) -> MirrorAgent:
    """Make the agent `seeing-mirror` of the registry; AgentError for a game without rows by seat."""
    env = BatchEnv(game, 16)
    env.reset(seed=0)
    for _ in range(60):
        env.step(env.random_actions())
    try:
        for row in range(env.num_envs):
            truth = copied(env.states[row : row + 1])
            check_determinization(game, truth, open_determinization(game, truth, row))
    except ValueError as error:
        raise AgentError(f"agent {text!r}: {error}") from error
    return make_mirror_agent(text, game, seed, options, OpenHandSearch, OpenHandAgent)
