"""Porta Nigra as environments, for 2 to 4 players.

`env` and `raw_env` are for PettingZoo, `seat_env` and `vector_env` for Gymnasium, `sb3_vec_env` for Stable-Baselines3.
`batch_env` runs many games as arrays; `State` is one game with action strings.  `envs.make.Faces` lists the arguments.

>>> from porta_nigra_env import porta_nigra_v0
>>> env = porta_nigra_v0.env(num_players=3)
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
"""

from __future__ import annotations

from porta_nigra_env.envs.make import Faces
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State

__all__ = ["State", "batch_env", "env", "raw_env", "sb3_vec_env", "seat_env", "vector_env"]

_APIS = Faces(PortaNigra)
__doc__ = f"{__doc__}\n{_APIS.guide}\n"  # programs show it to a language model that plays
env, raw_env, seat_env = _APIS.env, _APIS.raw_env, _APIS.seat_env
batch_env, vector_env, sb3_vec_env = _APIS.batch_env, _APIS.vector_env, _APIS.sb3_vec_env
