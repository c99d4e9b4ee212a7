"""A search that is shown all hands and nothing of the future; it exists to measure what hidden hands are worth.

It differs from `mirror` in its worlds alone: what some player knows is in all of them as it is, and what nobody knows,
the order of the piles, is drawn anew.  So two of them tell apart what `cheating-mcts`, which sees the future as well,
mixes up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.networks.mirror import MirrorAgent, make_mirror_agent
from agents.registry import AgentError
from agents.search.mirror import MirrorSearch
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.game.game import Game, States, copied
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv


def open_world(game: Game, truth: States, seed: int) -> States:
    """The state with what nobody knows drawn anew, (1,): every player sees in it what she sees in the true one.

    Each player's world knows what she knows; from there come the fields that are hers.  That is right for games whose
    players keep their secrets in rows of their own.

    Args:
        truth: (1,).
        seed: of what is drawn.
    """
    worlds = np.repeat(truth, game.num_players)
    for seat in range(game.num_players):
        game.kernel.determinize(game.constants, worlds, seat, seat, seed)
    world, seats = worlds[:1].copy(), slice(1, game.num_players)
    for name in game.dtype.names or ():
        shape = game.dtype[name].shape
        if shape and shape[0] == max(game.seats):
            own = np.arange(game.num_players)
            world[name][0][seats] = worlds[name][own, own][seats]
    return world


def check_world(game: Game, truth: States, world: States) -> None:
    """ValueError if a player would see that it is another world."""
    for seat in range(game.num_players):
        if View(game, world, 0, seat).state.tobytes() != View(game, truth, 0, seat).state.tobytes():
            said = "what a player knows does not stand in rows of her own; no world can be put together"
            raise ValueError(f"{game.name}: {said}")


class SeeingSearch(MirrorSearch):
    """A search in the worlds that agree with what all players know together.

    Attributes:
        truth: (1,), the true state; set before every decision.
    """

    truth: States

    def _worlds(self, view: View, seed: int, first: int, count: int) -> Any:
        """States (count,), the worlds from the number `first` on."""
        seeds = (later_seed(seed, first + row + 1) for row in range(count))
        return np.concatenate([open_world(self.game, self.truth, one) for one in seeds])


class SeeingMirrorAgent(MirrorAgent):
    """As `MirrorAgent`, asked with the true state."""

    cheats: ClassVar[bool] = True
    search: SeeingSearch

    def act(self, view: View) -> int:
        raise TypeError(f"{self.name} cheats: it is asked with act_on_truth, not with a view")

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        raise TypeError(f"{self.name} cheats: it is asked with act_on_truth, not with a view")

    def act_on_truth(self, states: States, row: int) -> int:
        self.search.truth = copied(states[row : row + 1])
        return super().act(View(self.game, states, row, int(states["current_player"][row])))


def make_seeing_agent(text: str, game: Game, seed: int, values: Mapping[str, Any]) -> Agent:
    """The agent of a registry entry; AgentError for a game whose worlds cannot be put together."""
    env = BatchEnv(game, 16)
    env.reset(seed=0)
    for _ in range(60):
        env.step(env.random_actions())
    try:
        for row in range(env.num_envs):
            truth = copied(env.states[row : row + 1])
            check_world(game, truth, open_world(game, truth, row))
    except ValueError as error:
        raise AgentError(f"agent {text!r}: {error}") from error
    return make_mirror_agent(text, game, seed, values, SeeingSearch, SeeingMirrorAgent)
