"""Aquileia as environments, for 3 to 5 players.

- PettingZoo: `env` and `raw_env`
- Gymnasium: `seat_env` and `vector_env`
- arrays of many games: `batch_env`
- Stable-Baselines3: `sb3_vec_env`
- one game as text: `State`

`envs.make.Faces` documents their arguments.

>>> from porta_nigra_env import aquileia_v0
>>> env = aquileia_v0.env(num_players=3)
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
"""

from __future__ import annotations

from porta_nigra_env.envs.make import Faces
from porta_nigra_env.games.aquileia.game import Aquileia, State

__all__ = ["State", "batch_env", "env", "raw_env", "sb3_vec_env", "seat_env", "vector_env"]

_FACES = Faces(Aquileia)
__doc__ = f"{__doc__}\n{_FACES.guide}\n"  # the guide for players that read text
env, raw_env, seat_env = _FACES.env, _FACES.raw_env, _FACES.seat_env
batch_env, vector_env, sb3_vec_env = _FACES.batch_env, _FACES.vector_env, _FACES.sb3_vec_env
