"""Helpers for tests of hidden information: determinizations, and the information visible in the true state."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View


def determinized(game: Game, states: States, player: int, seed: int) -> States:
    """A copy of a (1,) state array with everything redrawn that a player cannot know."""
    twin = states.copy()
    game.kernel.determinize(game.constants, twin, 0, player, seed)
    return twin


def observed(game: Game, states: States, player: int) -> bytes:
    """The observation of a true state."""
    observation = np.empty(game.observations.size, dtype=np.float32)
    game.kernel.observe(game.constants, states, 0, player, observation)
    return observation.tobytes()


def played(state: State, choose: Callable[[list[str]], str], every: int) -> Iterator[tuple[Any, States]]:
    """Return the game and copies of its (1,) states at regular intervals of a playout, and its end."""
    decision = 0
    while not state.is_over:
        if decision % every == 0:
            yield state.game, state.states.copy()
        state.apply(choose(state.legal_actions()))
        decision += 1
    yield state.game, state.states.copy()


def worlds_told_alike(met: Iterable[tuple[Game, States]], samples: int) -> int:
    """Check that a player sees the same in the true state and in every determinization.

    samples: such worlds for each player and position.  Returns how many of them differ from the true one.
    """
    differing = 0
    for game, states in met:
        for player in range(game.num_players):
            seen = View(game, states, 0, player)
            whole = pickle.dumps(seen.state), seen.observation.tobytes(), seen.action_mask.tobytes()
            assert observed(game, states, player) == seen.observation.tobytes(), "environments observe the true state"
            for seed in range(samples):
                twin = determinized(game, states, player, seed)
                differing += twin.tobytes() != states.tobytes()
                view = View(game, twin, 0, player)
                assert (pickle.dumps(view.state), view.observation.tobytes(), view.action_mask.tobytes()) == whole
                assert observed(game, twin, player) == seen.observation.tobytes()
                assert view.position() == seen.position()
                assert view.board() == seen.board()
                assert repr(view) == repr(seen)
                assert view.legal_actions() == seen.legal_actions()
                assert view.sample(99).tobytes() == seen.sample(99).tobytes()
    return differing
