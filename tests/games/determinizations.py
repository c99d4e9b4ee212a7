"""Positions and their determinizations for tests of hidden information."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.state import State


def determinized(game: Game, states: States, player: int, seed: int) -> States:
    """Return a copy of a (1,) state array with all data redrawn that a player cannot know."""
    twin = states.copy()
    game.kernel.determinize(game.constants, twin, 0, player, seed)
    return twin


def played(state: State, choose: Callable[[list[str]], str], every: int) -> Iterator[tuple[Any, States]]:
    """Yield the game and copies of its (1,) states at regular intervals of a playout, and at its end."""
    step = 0
    while not state.is_over:
        if step % every == 0:
            yield state.game, state.states.copy()
        state.apply(choose(state.legal_actions()))
        step += 1
    yield state.game, state.states.copy()
