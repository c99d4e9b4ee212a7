# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Rewards and observations of your own
#
# Wrappers of Gymnasium change what a learner sees and is paid for. The game stays as it is.

# %%
from IPython.display import SVG

from porta_nigra_env import State

SVG(State.new(num_players=2, seed=5).svg(view=0))

# %% [markdown]
# The environment plays all other seats. `reward` is `"outcome"`, `"margin"` or `"points"`; each pays the difference of a
# potential, so its sum over an episode is the value at the end.

# %%
import gymnasium

env = gymnasium.make("PortaNigra-v0", num_players=2, opponents="builder", reward="points")
observation, info = env.reset(seed=5)
print(observation.shape, observation.dtype, int(info["action_mask"].sum()), "legal actions")

# %% [markdown]
# A reward for sesterces beside the points. `view()` returns what the learner may know, and its position names the
# numbers. The bonus is a difference of a potential as well, so it does not change which policy is best.

# %%
from typing import Any

import numpy as np


class Thrift(gymnasium.Wrapper):
    """Adds a share of the change in the player's sesterces to the reward."""

    def __init__(self, env: gymnasium.Env, share: float) -> None:
        super().__init__(env)
        self.share = share

    def money(self) -> int:
        view = self.get_wrapper_attr("view")()
        return view.position()["players"][view.player]["sesterces"]

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        result = super().reset(**options)
        self.before = self.money()
        return result

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = super().step(action)
        now = self.money()
        reward, self.before = float(reward) + self.share * (now - self.before), now
        return observation, reward, terminated, truncated, info


thrifty = Thrift(env, share=0.1)
observation, info = thrifty.reset(seed=5)
rewards = []
while True:
    action = int(np.flatnonzero(info["action_mask"])[0])
    observation, reward, terminated, truncated, info = thrifty.step(action)
    rewards.append(reward)
    if terminated or truncated:
        break
print(f"{len(rewards)} steps, sum of rewards {sum(rewards):.1f}, scores {info['scores']}")

# %% [markdown]
# An observation of fewer numbers: every field of the observation has a name and a slice, so a wrapper can select.

# %%
layout = State.new(num_players=2).game.observations
print(", ".join(field.name for field in layout))

# %%
kept = np.concatenate([np.arange(layout.size)[layout[name].slice] for name in ("round", "market", "building_display")])
space = gymnasium.spaces.Box(0, np.inf, (len(kept),), np.float32)
small = gymnasium.wrappers.TransformObservation(env, lambda whole: whole[kept], space)
print(small.reset(seed=5)[0])

# %% [markdown]
# MaskablePPO learns from it; it asks the wrapped environment for `action_masks`.

# %%
from sb3_contrib import MaskablePPO

model = MaskablePPO("MlpPolicy", Thrift(small, share=0.1), n_steps=256, batch_size=256, device="cpu", seed=1)
model.learn(1024)
print(model.num_timesteps, "steps")
