"""One seat in every environment API, with the same calls."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.sb3 import MaskedVecEnv
from porta_nigra_env.envs.vector import SeatVectorEnv

Seen = dict[str, Any]


class Driver:
    """An environment whose calls return all that a learner on seat 0 receives; the AEC environment is of all seats."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int | None = None, options: Any = None) -> Seen:
        return self.seen(*self.env.reset(seed=seed, options=options))

    def step(self, action: int | str) -> Seen:
        observation, reward, ended, _, info = self.env.step(action)
        return self.seen(observation, info, reward, ended)

    def seen(self, observation: Any, info: Any, reward: float = 0.0, ended: bool = False) -> Seen:
        return {
            "observation": observation, "mask": info["action_mask"], "reward": reward, "ended": ended,
            "places": info.get("places"), "board": self.env.render(),
        }  # fmt: skip


class VectorDriver(Driver):
    """The first row of a vector environment."""

    def step(self, action: int | str) -> Seen:
        observations, rewards, ended, _, infos = self.env.step(np.array([action]))
        return self.seen(observations, infos, rewards[0], ended[0])

    def seen(self, observation: Any, info: Any, reward: float = 0.0, ended: bool = False) -> Seen:
        return {
            "observation": observation[0], "mask": info["action_mask"][0], "reward": reward, "ended": ended,
            "places": info.get("places", [None])[0], "board": self.env.render()[0],
        }  # fmt: skip


class VecDriver(Driver):
    """The first row of a VecEnv, whose games begin again in the same step."""

    def reset(self, seed: int | None = None, options: Any = None) -> Seen:
        if seed is not None:
            self.env.seed(seed)
        self.env.set_options(options)
        return self.seen(self.env.reset(), {})

    def step(self, action: int | str) -> Seen:
        observations, rewards, ended, infos = self.env.step(np.array([action]))
        return self.seen(observations, infos[0], rewards[0], ended[0])

    def seen(self, observation: Any, info: Any, reward: float = 0.0, ended: bool = False) -> Seen:
        return {
            "observation": info["terminal_observation"] if ended else observation[0].copy(),
            "mask": np.zeros_like(self.env.action_masks()[0]) if ended else self.env.action_masks()[0].copy(),
            "reward": reward, "ended": ended, "places": info.get("places"),
            "board": None if ended else self.env.env_method("render")[0],
        }  # fmt: skip


class AecDriver(Driver):
    """The agent to move of an AEC environment."""

    def reset(self, seed: int | None = None, options: Any = None) -> Seen:
        self.env.reset(seed=seed, options=options)
        return self.all_seen()

    def step(self, action: int | str) -> Seen:
        self.env.step(action)
        return self.all_seen()

    def all_seen(self) -> Seen:
        observation, reward, ended, _, info = self.env.last()
        return {
            "observation": observation["observation"], "mask": observation["action_mask"], "reward": reward,
            "ended": ended, "places": info.get("places"), "board": self.env.render(),
        }  # fmt: skip


def drive(api: str, game: Game, **options: Any) -> Driver:
    """Return the driver of one of `APIS`."""
    if api == "aec":
        return AecDriver(GameAEC(game, render_mode="ansi", **options))
    options = {"seat": 0, "render_mode": "ansi", **options}
    if api == "seat":
        return Driver(SeatEnv(game, **options))
    if api == "sb3":
        return VecDriver(MaskedVecEnv(game, 1, **options))
    return VectorDriver(SeatVectorEnv(game, 1, autoreset_mode=api, **options))


APIS: Final = ("aec", "seat", "next_step", "disabled", "sb3")
