"""Games and recorded random play for the tests of the environments."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.pettingzoo import GameAEC, Observed, wrap
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.toys.kuhn.game import Kuhn

OTHER_FILE = Path(__file__).parents[1] / "games" / "porta_nigra" / "components" / "other.toml"

#: Every game the environments are tried with, by a name for test reports.
GAMES: dict[str, Callable[[], Game]] = {
    "two": lambda: PortaNigra(2),
    "three": lambda: PortaNigra(3),
    "four": lambda: PortaNigra(4),
    "other-three": lambda: PortaNigra(3, OTHER_FILE),
    "kuhn": lambda: Kuhn(),
}
PORTA_NIGRA = [name for name in GAMES if name != "kuhn"]


@cache
def game_of(name: str) -> Game:
    """The game of that name; one object for all tests, since games do not change."""
    return GAMES[name]()


def made(name: str, wrapped: bool = False, **options: Any) -> Any:
    """A `GameAEC`, bare or in PettingZoo's wrappers."""
    raw = GameAEC(game_of(name), **options)
    return wrap(raw) if wrapped else raw


def legal_ids(observation: Observed) -> list[int]:
    """Ids of the legal actions of an observation."""
    return [int(i) for i in np.flatnonzero(observation["action_mask"])]


def totals_of(env: GameAEC) -> npt.NDArray[np.int32]:
    """Scores of the position of an environment, from the kernel itself."""
    totals = np.zeros(env.game.num_players, dtype=np.int32)
    env.game.kernel.score(env.game.constants, env.states, 0, totals)
    return totals


@dataclass
class Turn:
    """The values of `last` for an agent, and its action (None at the end)."""

    agent: str
    observation: Observed
    reward: float
    terminated: bool
    action: int | None


def places_of(totals: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Return ranks by totals alone, 1 for the highest."""
    places: npt.NDArray[np.int64] = 1 + (totals[None, :] > totals[:, None]).sum(axis=1)
    return places


def play(env: Any, rng: random.Random | None) -> Iterator[Turn]:
    """Play random actions from the current position until every agent has left.

    A turn is yielded before its action is carried out.  Without `rng` the environment's own action space chooses.
    """
    while env.agents:
        agent = env.agent_selection
        observation, reward, terminated, truncated, info = env.last()
        assert set(info) == ({"scores", "places"} if terminated or truncated else set())
        assert truncated is False
        action = None
        if not terminated and rng is None:
            action = int(env.action_space(agent).sample(observation["action_mask"]))
        elif not terminated and rng is not None:
            action = rng.choice(legal_ids(observation))
        yield Turn(agent, observation, reward, terminated, action)
        env.step(action)


@dataclass
class Recorded:
    """A whole game as its agents observe it."""

    turns: list[Turn] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    final: bytes = b""

    @property
    def actions(self) -> list[int]:
        """The actions alone."""
        return [turn.action for turn in self.turns if turn.action is not None]


def recorded(name: str, seed: int, **options: Any) -> Recorded:
    """A random game of the bare environment."""
    env = made(name, **options)
    env.reset(seed=seed)
    game = Recorded(list(play(env, random.Random(seed))))
    game.totals = totals_of(env).tolist()
    game.final = env.states.tobytes()
    return game


def same(left: Turn, right: Turn) -> bool:
    """Return True if two turns are equal to the last bit."""
    return (
        (left.agent, left.reward, left.terminated, left.action)
        == (right.agent, right.reward, right.terminated, right.action)
        and left.observation.keys() == right.observation.keys()
        and all(np.array_equal(left.observation[key], right.observation[key]) for key in left.observation)
    )
