"""Invariants of events and histories; a game without narration satisfies them."""

from __future__ import annotations

from collections.abc import Iterator

from porta_nigra_env.core.conformance.moments import (
    POSITION_INVARIANTS,
    Finding,
    Moment,
    changed,
    differing_fields,
    legal_ids,
)
from porta_nigra_env.core.game.game import States
from porta_nigra_env.core.narration.events import Facts
from porta_nigra_env.core.narration.history import History, decoded

#: Largest number of actions tried at a position.
TRIED = 4


def _steps(moment: Moment) -> Iterator[tuple[int, States]]:
    """Yield some legal actions with the states after them."""
    legal = legal_ids(moment.game, moment.states)
    for action in moment.rng.sample(legal, min(TRIED, len(legal))):
        yield action, changed(moment.game, moment.states, moment.game.kernel.step, action)


@POSITION_INVARIANTS.add
def events_tell_every_visible_change(moment: Moment) -> Finding:
    """Every visible field that an action changes belongs to a fact, or its narration declares it silent."""
    narration = moment.game.narration()
    if narration is None:
        return None
    facts = Facts(moment.game)
    sources = [fact.source for fact in narration.facts]
    told = {*narration.silent, *(source.name for source in sources), *(source.counter for source in sources)}
    for action, after in _steps(moment):
        for seat in moment.seats:
            before_seen, after_seen = facts.redacted(moment.states, seat), facts.redacted(after, seat)
            untold = set(filter(None, differing_fields(moment.game, before_seen, after_seen).split(", "))) - told
            if untold:
                return f"action {action}, seat {seat}: no fact tells {', '.join(sorted(untold))}"
    return None


@POSITION_INVARIANTS.add
def histories_hold_the_events(moment: Moment) -> Finding:
    """The history of each seat, recorded by compiled code, holds the events between its views of two positions."""
    if moment.game.narration() is None:
        return None
    facts = Facts(moment.game)
    for action, after in _steps(moment):
        history = History(moment.game, int(facts.layout.starts[-1]))
        history.begin(moment.states)
        history.update(after)
        for seat in moment.seats:
            recorded, events = decoded(facts, history.tokens(seat), seat), facts.events(moment.states, after, seat)
            if recorded != events:
                return f"action {action}, seat {seat}: {recorded} instead of {events}"
    return None
