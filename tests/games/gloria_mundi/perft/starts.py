"""The positions of Gloria Mundi that sequences are counted from."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from porta_nigra_env.games.gloria_mundi.components.load import load
from porta_nigra_env.games.gloria_mundi.components.names import PHASES
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.policies import OTHER, POLICIES

# Positions are read by the name of their components.
load(OTHER)

#: Phases, apart from the start, that are looked for at a number of players, with which components.
_WANTED: Final = (
    (2, "standard", frozenset(PHASES) - {"play", "over"}),
    (3, OTHER, frozenset({"exclusive", "repeat", "give", "discard", "take", "pay"})),
    (6, "standard", frozenset({"lose", "reclaim"})),
)


def positions() -> Iterator[tuple[str, State]]:
    """The positions that are counted from: starts, and every phase somewhat later, where there is more to do."""
    for players, components, wanted in _WANTED:
        named = f"{players} players" + ("" if components == "standard" else ", other components")
        yield f"start, {named}", State.new(players, players, components)
        missing = set(wanted)
        for seed in range(12):
            state, rng = State.new(players, 10 * players + seed, components), random.Random(seed)
            policy = POLICIES[("eager", "raider")[seed % 2]]
            while missing and not state.is_over:
                phase = PHASES[int(state.states["phase"][0])]
                if phase in missing and int(state.states["turn"][0]) > 12:
                    missing.remove(phase)
                    yield f"{phase}, {named}", state.clone()
                state.apply(policy(state.legal_actions(), rng))
