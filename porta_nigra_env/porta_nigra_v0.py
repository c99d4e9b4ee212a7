"""Porta Nigra as environments.

`env` and `raw_env` for PettingZoo, `seat_env` and `vector_env` for Gymnasium, `batch_env` for many games as arrays,
`sb3_vec_env` for Stable-Baselines3.

>>> from porta_nigra_env import porta_nigra_v0
>>> env = porta_nigra_v0.env(num_players=3)
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from porta_nigra_env.envs.aec import GameAEC, Observed, wrap
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.single import Opponents, SeatEnv
from porta_nigra_env.envs.vector import SeatVectorEnv
from porta_nigra_env.games.porta_nigra.game import ComponentSource, PortaNigra

if TYPE_CHECKING:
    from porta_nigra_env.envs.sb3 import MaskedVecEnv

__all__ = ["batch_env", "env", "raw_env", "sb3_vec_env", "seat_env", "vector_env"]


def raw_env(
    num_players: int = 2,
    components: ComponentSource = "standard",
    reward: str = "outcome",
    render_mode: str | None = None,
    render_view: str = "current",
) -> GameAEC:
    """The environment without wrappers; it checks its input itself, see `envs.aec.GameAEC`.

    Args:
        num_players: 2, 3 or 4.
        components: "standard", the path of a component file, or loaded `Components`.
        reward: "outcome", "margin" or "vp", see `envs.rewards.REWARDS`.
        render_mode: None or "ansi".
        render_view: whose cards a rendered board shows: "current", an agent's name, or "all".
    """
    return GameAEC(PortaNigra(num_players, components), reward, render_mode, render_view)


def env(
    num_players: int = 2,
    components: ComponentSource = "standard",
    reward: str = "outcome",
    render_mode: str | None = None,
    render_view: str = "current",
) -> OrderEnforcingWrapper[str, Observed, int | None]:
    """`raw_env` in PettingZoo's three wrappers: an illegal action ends the game with -1 for its agent."""
    return wrap(raw_env(num_players, components, reward, render_mode, render_view))


def seat_env(
    num_players: int = 2,
    components: ComponentSource = "standard",
    seat: int | str = "random",
    opponents: Opponents = None,
    reward: str = "outcome",
    illegal_action: str = "terminate",
    render_mode: str | None = None,
) -> SeatEnv:
    """One learner's seat, see `envs.single.SeatEnv`; what ``gymnasium.make("PortaNigra-v0")`` makes."""
    return SeatEnv(PortaNigra(num_players, components), seat, opponents, reward, illegal_action, render_mode)


def batch_env(
    num_envs: int, num_players: int = 2, components: ComponentSource = "standard", **options: Any
) -> BatchEnv:
    """Many games as arrays, see `envs.batch.BatchEnv` for the options."""
    return BatchEnv(PortaNigra(num_players, components), num_envs, **options)


def vector_env(
    num_envs: int = 1, num_players: int = 2, components: ComponentSource = "standard", **options: Any
) -> SeatVectorEnv:
    """One learner's seat in many games, see `envs.vector.SeatVectorEnv` for the options; what
    ``gymnasium.make_vec("PortaNigra-v0", num_envs=1024)`` makes."""
    return SeatVectorEnv(PortaNigra(num_players, components), num_envs, **options)


def sb3_vec_env(
    num_envs: int, num_players: int = 2, components: ComponentSource = "standard", **options: Any
) -> MaskedVecEnv:
    """The same as a masked VecEnv, see `envs.sb3.MaskedVecEnv` for the options; needs Stable-Baselines3."""
    from porta_nigra_env.envs.sb3 import MaskedVecEnv

    return MaskedVecEnv(PortaNigra(num_players, components), num_envs, **options)
