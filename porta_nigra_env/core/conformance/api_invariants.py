"""Laws of the faces of a position: the dict, the text board, the view, and the state for people."""

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
    """A position written as a dict, or as JSON, and read again is the same state, byte for byte."""
    game = moment.game
    position = game.position(moment.states)
    through_json = json.loads(json.dumps(position, allow_nan=False))
    if through_json != position:
        return "JSON changes it"
    for how, given in (("dict", position), ("JSON", through_json)):
        # The seed is for positions without a random state; here it must not matter.
        found = game.load_position(given, seed=moment.seeds(1)[0])
        if found.shape != (1,) or found.dtype != game.dtype:
            return f"{how}: shape {found.shape}, dtype {found.dtype}"
        if found.tobytes() != moment.record:
            names = [name for name in game.dtype.names or () if found[name].tobytes() != moment.states[name].tobytes()]
            return f"{how}: differs in {', '.join(names)}"
    return None


def views_show_no_more(moment: Moment) -> Finding:
    """The position and the board as a player sees them are the same for all states that she cannot tell apart."""
    game, states = moment.game, moment.states
    for seat in moment.seats:
        seen = game.position(states, 0, seat), game.board(states, 0, seat)
        json.dumps(seen[0], allow_nan=False)
        twins = [("redacted", redacted(moment, seat))]
        twins += [(f"seed {seed}", determinized(moment, seat, seed)) for seed in moment.seeds(3)]
        for how, twin in twins:
            if game.position(twin, 0, seat) != seen[0]:
                return f"seat {seat}, {how}: another position"
            if game.board(twin, 0, seat) != seen[1]:
                return f"seat {seat}, {how}: another board"
        view = View(game, states, 0, seat)
        if view.position() != seen[0] or view.board() != seen[1]:
            return f"seat {seat}: the view differs"
    return None


def states_are_values(moment: Moment) -> Finding:
    """States are equal exactly as long as their bytes are; copies and pickles are independent."""
    game = moment.game
    state = State(game, moment.states)
    ways: tuple[tuple[str, Callable[[State], State]], ...] = (
        ("clone", lambda one: one.clone()),
        ("copy", copy.copy),
        ("deepcopy", copy.deepcopy),
        ("pickle", lambda one: pickle.loads(pickle.dumps(one))),
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
            return f"{name}: not equal after a decision"
    return None


def state_refuses_by_name(moment: Moment) -> Finding:
    """A state refuses what is illegal with an error, and has winners and a zero-sum result exactly when it is over."""
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
    # When all seats win together everybody gets 0.
    if state.is_over != bool(winners) or any(returns) != (state.is_over and len(winners) < game.num_players):
        return f"winners {winners}, returns {returns}"
    return None if abs(sum(returns)) < 1e-9 else f"returns {returns}"
