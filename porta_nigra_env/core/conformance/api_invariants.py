"""Invariants of the APIs of a position: dict, text board, view, and `State`."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable

from porta_nigra_env.core.conformance.moments import Moment, determinized, redacted
from porta_nigra_env.core.conformance.readings import Finding
from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View


def position_round_trips(moment: Moment) -> Finding:
    """A position that is written as a dict or as JSON and read again is the same state, byte for byte."""
    game = moment.game
    position = game.position(moment.states)
    through_json = json.loads(json.dumps(position, allow_nan=False))
    if through_json != position:
        return "JSON changes it"
    for form, given in (("dict", position), ("JSON", through_json)):
        # The seed applies only to positions without a random state.
        loaded = game.load_position(given, seed=moment.seeds(1)[0])
        if loaded.shape != (1,) or loaded.dtype != game.dtype:
            return f"{form}: shape {loaded.shape}, dtype {loaded.dtype}"
        if loaded.tobytes() != moment.record:
            names = [name for name in game.dtype.names or () if loaded[name].tobytes() != moment.states[name].tobytes()]
            return f"{form}: differs in {', '.join(names)}"
    return None


def views_hide_information(moment: Moment) -> Finding:
    """The position and the board of a view are the same for all states that the player cannot distinguish."""
    game, states = moment.game, moment.states
    for seat in moment.seats:
        expected = game.position(states, 0, seat), game.board(states, 0, seat)
        json.dumps(expected[0], allow_nan=False)
        twins = [("redacted", redacted(moment, seat))]
        twins += [(f"seed {seed}", determinized(moment, seat, seed)) for seed in moment.seeds(3)]
        for how, twin in twins:
            if game.position(twin, 0, seat) != expected[0]:
                return f"seat {seat}, {how}: another position"
            if game.board(twin, 0, seat) != expected[1]:
                return f"seat {seat}, {how}: another board"
        view = View(game, states, 0, seat)
        if view.position() != expected[0] or view.board() != expected[1]:
            return f"seat {seat}: the view differs"
    return None


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
