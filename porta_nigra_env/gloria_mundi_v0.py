"""Gloria Mundi as environments, for 2 to 6 players.

`env` and `raw_env` for PettingZoo, `seat_env` and `vector_env` for Gymnasium, `batch_env` for many games as arrays,
`sb3_vec_env` for Stable-Baselines3, `State` for one game as text; see `envs.make.Factories` for their arguments.

>>> from porta_nigra_env import gloria_mundi_v0
>>> env = gloria_mundi_v0.env(num_players=3)
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
"""

from __future__ import annotations

from porta_nigra_env.envs.make import Factories
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi, State

__all__ = ["State", "batch_env", "env", "raw_env", "sb3_vec_env", "seat_env", "vector_env"]

_FACTORIES = Factories(GloriaMundi)
__doc__ = f"{__doc__}\n{_FACTORIES.guide}\n"  # for language models that play
env, raw_env, seat_env = _FACTORIES.env, _FACTORIES.raw_env, _FACTORIES.seat_env
batch_env, vector_env, sb3_vec_env = _FACTORIES.batch_env, _FACTORIES.vector_env, _FACTORIES.sb3_vec_env
