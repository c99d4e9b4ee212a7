"""A masked learner of sb3-contrib on the Gymnasium environment."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks

import porta_nigra_env  # noqa: F401  # registers the environment


# Libraries of the learner's own, at import or in their first use of numpy.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_maskable_ppo_learns_a_little() -> None:
    env = gymnasium.make("PortaNigra-v0", num_players=3, seat="random", illegal_action="raise")
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=1, device="cpu")
    # With illegal_action="raise" one unmasked action would end the test.
    model.learn(64)
    assert model.num_timesteps == 64
    observation, info = env.reset(seed=1)
    masks = get_action_masks(env)
    assert masks.dtype == np.bool_
    action, _ = model.predict(observation, action_masks=masks)
    assert info["action_mask"][action] == 1
    assert env.step(action)[0].shape == observation.shape
