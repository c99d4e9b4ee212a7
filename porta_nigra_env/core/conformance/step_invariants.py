"""Invariants of the ways to change a position: `loops.advance`, and `State` with its copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Final

import numpy as np

from porta_nigra_env.core.conformance.moments import POSITION_INVARIANTS, Finding, Moment, advanced, legal_ids
from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.core.game.state import REFUSED, State

#: Largest number of illegal action ids tried at a position.
ILLEGAL_TRIED: Final = 32


@POSITION_INVARIANTS.add
def illegal_is_refused(moment: Moment) -> Finding:
    """An illegal action is refused and does not change the state."""
    game = moment.game
    legal = set(legal_ids(game, moment.states))
    illegal = [i for i in range(game.actions.size) if i not in legal]
    if len(illegal) > ILLEGAL_TRIED:
        illegal = moment.rng.sample(illegal, ILLEGAL_TRIED)
    for action in (*illegal, -1, game.actions.size, 64 * game.num_words, -(2**40), 2**40):
        states = moment.states
        answer, _ = advanced(game, states, action)
        if answer != REFUSED:
            return f"action {action} was answered with {answer}"
        if states.tobytes() != moment.record:
            return f"action {action} was refused but changed the state"
    return None


@POSITION_INVARIANTS.add
def advance_is_step_and_inspect(moment: Moment) -> Finding:
    """Advance by a legal action equals step and inspect, and changes the state."""
    game = moment.game
    legal = legal_ids(game, moment.states)
    for action in legal if len(legal) <= ILLEGAL_TRIED else moment.rng.sample(legal, ILLEGAL_TRIED):
        stepped, twin = moment.states, moment.states
        game.kernel.step(game.constants, stepped, 0, action)
        answer, mask = advanced(game, twin, action)
        if stepped.tobytes() == moment.record:
            return f"action {action} changes nothing"
        if twin.tobytes() != stepped.tobytes():
            return f"action {action}: two states"
        if answer != int(stepped["current_player"][0]) or np.flatnonzero(mask).tolist() != legal_ids(game, stepped):
            return f"action {action}: answer {answer}, mask {np.flatnonzero(mask).tolist()[:20]}"
    return None


@POSITION_INVARIANTS.add
def states_are_values(moment: Moment) -> Finding:
    """States are equal exactly if their bytes are; copies and pickles are independent."""
    game = moment.game
    state = State(game, moment.states)
    ways: tuple[tuple[str, Callable[[State], State]], ...] = (
        ("clone", lambda state: state.clone()),
        ("copy", copy.copy),
        ("deepcopy", copy.deepcopy),
        ("pickle", lambda state: pickle.loads(pickle.dumps(state))),
    )
    for name, way in ways:
        twin = way(state)
        if not (twin == state and twin.to_bytes() == state.to_bytes() and twin.current_player == state.current_player):
            return f"{name}: not equal"
        if state.is_over:
            continue
        twin.apply_id(state.legal_ids()[0])
        if twin == state or twin.to_bytes() == state.to_bytes() or state.states.tobytes() != moment.record:
            return f"{name}: not independent"
        if way(twin) != twin or way(twin).legal_actions() != twin.legal_actions():
            return f"{name}: not equal after a step"
    return None


@POSITION_INVARIANTS.add
def state_refuses_illegal_actions(moment: Moment) -> Finding:
    """A state refuses illegal actions with an error, and has winners and a zero-sum result exactly when it is over."""
    game = moment.game
    state = State(game, moment.states)
    legal = set(state.legal_ids())
    for action in (*[i for i in range(game.actions.size) if i not in legal][:3], -1, game.actions.size):
        try:
            state.apply_id(action)
        except IllegalActionError:
            if state.states.tobytes() == moment.record:
                continue
        return f"action {action} was not refused"
    returns, winners = state.returns(), state.winners()
    # When all seats win together, every return is 0.
    if state.is_over != bool(winners) or any(returns) != (state.is_over and len(winners) < game.num_players):
        return f"winners {winners}, returns {returns}"
    return None if abs(sum(returns)) < 1e-9 else f"returns {returns}"
