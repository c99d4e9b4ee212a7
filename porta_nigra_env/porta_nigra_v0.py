"""Porta Nigra as environments: `env` and `raw_env` for PettingZoo, `seat_env` for Gymnasium.

>>> from porta_nigra_env import porta_nigra_v0
>>> env = porta_nigra_v0.env(num_players=3)
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
"""

from __future__ import annotations

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from porta_nigra_env.envs.aec import GameAEC, Observed, wrap
from porta_nigra_env.envs.single import Opponents, SeatEnv
from porta_nigra_env.game import ComponentSource, PortaNigra

__all__ = ["env", "raw_env", "seat_env"]


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
