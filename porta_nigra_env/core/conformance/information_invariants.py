"""Invariants of the information of a player at a position: redaction and determinization."""

from __future__ import annotations

from porta_nigra_env.core.conformance.moments import Moment, determinized, redacted
from porta_nigra_env.core.conformance.readings import Finding, changed, legal_ids, observed, play_out
from porta_nigra_env.core.game.view import View


def determinization_is_seeded(moment: Moment) -> Finding:
    """The same seed gives the same determinization."""
    for seat in moment.seats:
        for seed in moment.seeds(2):
            if determinized(moment, seat, seed).tobytes() != determinized(moment, seat, seed).tobytes():
                return f"seat {seat}, seed {seed}: two results"
    return None


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


def redacted_state_gives_the_determinizations(moment: Moment) -> Finding:
    """A redacted state gives its player the same determinizations as the true state."""
    game = moment.game
    for seat in moment.seats:
        hidden = redacted(moment, seat)
        for seed in moment.seeds(3):
            sampled = changed(game, hidden, game.kernel.determinize, seat, seed)
            if sampled.tobytes() != determinized(moment, seat, seed).tobytes():
                return f"seat {seat}, seed {seed}: another state"
            if View(game, moment.states, 0, seat).sample(seed).tobytes() != sampled.tobytes():
                return f"seat {seat}, seed {seed}: the view samples another state"
    return None


def indistinguishable_states_redact_equally(moment: Moment) -> Finding:
    """All states that a player cannot distinguish have the same redacted state, and redaction is idempotent."""
    game = moment.game
    for seat in moment.seats:
        hidden = redacted(moment, seat)
        if changed(game, hidden, game.kernel.redact, seat).tobytes() != hidden.tobytes():
            return f"seat {seat}: redacting twice changes it again"
        for seed in moment.seeds(3):
            twin = determinized(moment, seat, seed)
            again = changed(game, twin, game.kernel.redact, seat)
            if again.tobytes() != hidden.tobytes():
                names = [name for name in game.dtype.names or () if again[name].tobytes() != hidden[name].tobytes()]
                return f"seat {seat}, seed {seed}: after determinizing it differs in {', '.join(names)}"
    return None


def determinization_keeps_known_information(moment: Moment) -> Finding:
    """A determinization keeps the observation, the player to move and, if that is the player, the legal actions."""
    game, states = moment.game, moment.states
    for seat in moment.seats:
        for seed in moment.seeds(3):
            twin = determinized(moment, seat, seed)
            if observed(game, twin, seat).tobytes() != observed(game, states, seat).tobytes():
                return f"seat {seat}, seed {seed}: another observation"
            if int(twin["current_player"][0]) != moment.player:
                return f"seat {seat}, seed {seed}: another player is to move"
            if seat == moment.player and legal_ids(game, twin) != legal_ids(game, states):
                return f"seat {seat}, seed {seed}: other legal actions"
    return None


def determinization_plays_to_the_end(moment: Moment) -> Finding:
    """A determinization can be played to the end and written as a position."""
    game = moment.game
    for seat in moment.seats:
        seed = moment.seeds(1)[0]
        twin = determinized(moment, seat, seed)
        if game.load_position(game.position(twin)).tobytes() != twin.tobytes():
            return f"seat {seat}, seed {seed}: read back as a position, it is another state"
        steps = play_out(game, twin, moment.episode.limit)
        if int(twin["current_player"][0]) >= 0:
            return f"seat {seat}, seed {seed}: not over after {steps} steps"
    return None


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
