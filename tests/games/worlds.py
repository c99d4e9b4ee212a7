"""What tests of hidden information share: other worlds than the true one, and what is told of the true one."""

from __future__ import annotations

import numpy as np

from porta_nigra_env.core.game import Game, States


def determinized(game: Game, states: States, player: int, seed: int) -> States:
    """A copy of a (1,) state array with everything redrawn that a player cannot know."""
    twin = states.copy()
    game.kernel.determinize(game.tables, twin, 0, player, seed)
    return twin


def observed(game: Game, states: States, player: int) -> bytes:
    """The observation of a true state."""
    observation = np.empty(game.observations.size, dtype=np.float32)
    game.kernel.observe(game.tables, states, 0, player, observation)
    return observation.tobytes()
