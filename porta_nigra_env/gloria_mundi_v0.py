"""Gloria Mundi as environments, for 2 to 6 players.

`env` and `raw_env` for PettingZoo, `seat_env` and `vector_env` for Gymnasium, `batch_env` for many games as arrays,
`sb3_vec_env` for Stable-Baselines3, `State` for a single game; see `envs.make.Faces` for their arguments.

>>> from porta_nigra_env import gloria_mundi_v0
>>> env = gloria_mundi_v0.env(num_players=3)
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
"""

from __future__ import annotations

from porta_nigra_env.envs.make import Faces
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi, State

__all__ = ["State", "batch_env", "env", "raw_env", "sb3_vec_env", "seat_env", "vector_env"]

_FACES = Faces(GloriaMundi)
__doc__ = f"{__doc__}\n{_FACES.guide}\n"  # shown to a language model that plays
env, raw_env, seat_env = _FACES.env, _FACES.raw_env, _FACES.seat_env
batch_env, vector_env, sb3_vec_env = _FACES.batch_env, _FACES.vector_env, _FACES.sb3_vec_env
