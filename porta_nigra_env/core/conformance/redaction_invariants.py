"""Invariants of the information of a player at a position: redaction, determinization, public results and views."""

from __future__ import annotations

import json

from porta_nigra_env.core.conformance.moments import (
    POSITION_INVARIANTS,
    Finding,
    Moment,
    changed,
    determinized,
    differing_fields,
    legal_ids,
    observed,
    places_of,
    play_out,
    points_of,
    redacted,
    redrawn,
    rounds_of,
    totals_of,
)
from porta_nigra_env.core.game.view import View


@POSITION_INVARIANTS.add
def determinization_is_seeded(moment: Moment) -> Finding:
    """The same seed gives the same determinization."""
    for name, seat, seed, twin in moment.determinized(2):
        if determinized(moment, seat, seed).tobytes() != twin.tobytes():
            return f"{name}: two results"
    return None


@POSITION_INVARIANTS.add
def determinization_reseeds(moment: Moment) -> Finding:
    """A determinization has a new random key, which depends on its seed and not on the true key."""
    true_key = moment.states["key"].tobytes()
    for seat in moment.seats:
        seeds = moment.seeds(4)
        keys = [determinized(moment, seat, seed)["key"].tobytes() for seed in seeds]
        if true_key in keys:
            return f"seat {seat}: the true key stays"
        if len(set(keys)) < len(seeds):
            return f"seat {seat}: {len(seeds)} seeds gave {len(set(keys))} keys"
        hidden = redacted(moment, seat)
        if changed(moment.game, hidden, moment.game.kernel.determinize, seat, seeds[0])["key"].tobytes() != keys[0]:
            return f"seat {seat}: the new key depends on the true one"
    return None


@POSITION_INVARIANTS.add
def redrawing_keeps_what_players_know(moment: Moment) -> Finding:
    """Redrawn chance changes nothing that any player holds or has seen."""
    for seed in moment.seeds(3):
        twin = redrawn(moment, seed)
        for seat in moment.seats:
            before, after = redacted(moment, seat), changed(moment.game, twin, moment.game.kernel.redact, seat)
            if after.tobytes() != before.tobytes():
                return f"seed {seed}, seat {seat}: {differing_fields(moment.game, before, after)}"
    return None


@POSITION_INVARIANTS.add
def redrawing_reseeds(moment: Moment) -> Finding:
    """Redrawn chance has a key that is a function of the seed, and none of a determinization."""
    seeds = moment.seeds(4)
    keys = [redrawn(moment, seed)["key"].tobytes() for seed in seeds]
    if redrawn(moment, seeds[0]).tobytes() != redrawn(moment, seeds[0]).tobytes():
        return f"seed {seeds[0]}: two results"
    if len({*keys, moment.states["key"].tobytes(), determinized(moment, 0, seeds[0])["key"].tobytes()}) < 6:
        return f"{len(seeds)} seeds repeat a key"
    return None


@POSITION_INVARIANTS.add
def redacted_state_gives_the_observation(moment: Moment) -> Finding:
    """A redacted state gives its player the true observation and, if the player is to move, the true legal actions."""
    game, states = moment.game, moment.states
    for seat in moment.seats:
        hidden = redacted(moment, seat)
        if observed(game, hidden, seat).tobytes() != observed(game, states, seat).tobytes():
            return f"seat {seat}: another observation"
        if seat == moment.player and legal_ids(game, hidden) != legal_ids(game, states):
            return f"seat {seat}: other legal actions"
    return None


@POSITION_INVARIANTS.add
def redacted_state_gives_the_determinizations(moment: Moment) -> Finding:
    """A redacted state gives its player the same determinizations as the true state."""
    game = moment.game
    for name, seat, seed, twin in moment.determinized():
        sampled = changed(game, redacted(moment, seat), game.kernel.determinize, seat, seed)
        if sampled.tobytes() != twin.tobytes():
            return f"{name}: another state"
        if View(game, moment.states, 0, seat).sample(seed).tobytes() != sampled.tobytes():
            return f"{name}: the view samples another state"
    return None


@POSITION_INVARIANTS.add
def determinization_keeps_known_information(moment: Moment) -> Finding:
    """A determinization keeps the observation, the player to move and, if that is the player, the legal actions."""
    game, states = moment.game, moment.states
    for name, seat, _, twin in moment.determinized():
        if observed(game, twin, seat).tobytes() != observed(game, states, seat).tobytes():
            return f"{name}: another observation"
        if int(twin["current_player"][0]) != moment.player:
            return f"{name}: another player is to move"
        if seat == moment.player and legal_ids(game, twin) != legal_ids(game, states):
            return f"{name}: other legal actions"
    return None


@POSITION_INVARIANTS.add
def points_are_public(moment: Moment) -> Finding:
    """All players know the points gained so far, which do not depend on the old contents of the buffer."""
    game, states = moment.game, moment.states
    true = points_of(game, states).tolist()
    if points_of(game, states, before=77).tolist() != true:
        return f"{true}, over other values {points_of(game, states, before=77).tolist()}"
    for name, twin in moment.indistinguishable():
        if points_of(game, twin).tolist() != true:
            return f"{name}: {points_of(game, twin).tolist()}, truly {true}"
    return None


@POSITION_INVARIANTS.add
def rounds_are_public(moment: Moment) -> Finding:
    """All players know the number of rounds that have begun."""
    true = rounds_of(moment.game, moment.states)
    for name, twin in moment.indistinguishable():
        if rounds_of(moment.game, twin) != true:
            return f"{name}: {rounds_of(moment.game, twin)}, truly {true}"
    return None


@POSITION_INVARIANTS.add
def result_is_public(moment: Moment) -> Finding:
    """When the game is over, all players know totals and ranks: indistinguishable states have the same.

    Before the end they may depend on hidden information: they are the result if the game ended now.
    """
    if moment.player >= 0:
        return None
    game, states = moment.game, moment.states
    true = totals_of(game, states).tolist(), places_of(game, states).tolist()
    for name, twin in moment.indistinguishable():
        values = totals_of(game, twin).tolist(), places_of(game, twin).tolist()
        if values != true:
            return f"{name}: totals {values[0]}, places {values[1]}, truly {true[0]}, {true[1]}"
    return None


@POSITION_INVARIANTS.add
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
            return f"{form}: differs in {differing_fields(game, loaded, moment.states)}"
    return None


@POSITION_INVARIANTS.add
def determinization_plays_to_the_end(moment: Moment) -> Finding:
    """A determinization can be played to the end and written as a position."""
    game = moment.game
    for name, _, _, twin in moment.determinized(1):
        if game.load_position(game.position(twin)).tobytes() != twin.tobytes():
            return f"{name}: read back as a position, it is another state"
        steps = play_out(game, twin, moment.episode.limit)
        if int(twin["current_player"][0]) >= 0:
            return f"{name}: not over after {steps} steps"
    return None


@POSITION_INVARIANTS.add
def indistinguishable_states_redact_equally(moment: Moment) -> Finding:
    """All states that a player cannot distinguish have the same redacted state, and redaction is idempotent."""
    game = moment.game
    for name, seat, _, twin in moment.determinized():
        hidden, again = redacted(moment, seat), changed(game, twin, game.kernel.redact, seat)
        if changed(game, hidden, game.kernel.redact, seat).tobytes() != hidden.tobytes():
            return f"seat {seat}: redacting twice changes it again"
        if again.tobytes() != hidden.tobytes():
            return f"{name}: after determinizing it differs in {differing_fields(game, again, hidden)}"
    return None


@POSITION_INVARIANTS.add
def choices_are_visible_or_secret(moment: Moment) -> Finding:
    """All players can infer a choice from their information state, or its field is one of the `secret_choices`."""
    game, states = moment.game, moment.states
    legal = [action for action in legal_ids(game, states) if action < game.actions.size]
    after = {action: changed(game, states, game.kernel.step, action) for action in legal}
    for seat in set(moment.seats) - {moment.player}:
        action_of: dict[bytes, int] = {}
        for action in legal:
            information_state = changed(game, after[action], game.kernel.redact, seat).tobytes()
            other = action_of.setdefault(information_state, action)
            if other == action or all(game.told(choice, seat, moment.player) is None for choice in (action, other)):
                continue
            # A roll without effect changes only the RNG counters; all players have seen it.
            positions = [{**game.position(after[choice]), "rng": None} for choice in (action, other)]
            if positions[0] != positions[1]:
                texts = game.action_texts
                return f"seat {seat} cannot distinguish {texts[action]!r} from {texts[other]!r}"
    return None


@POSITION_INVARIANTS.add
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
