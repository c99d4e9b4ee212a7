"""The positions of Gloria Mundi that sequences are counted from."""

from __future__ import annotations

import random
from collections.abc import Iterator

from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.policies import OTHER, POLICIES


def positions() -> Iterator[tuple[str, State]]:
    """The positions that are counted from: every phase, at 2, 4 and 6 players, and with other components."""
    for players, components in ((2, "standard"), (4, "standard"), (6, "standard"), (3, OTHER)):
        named = f"{players} players" + ("" if components == "standard" else ", other components")
        yield f"start, {named}", State.new(players, players, components)
        seen = {"play"}
        for seed in range(8):
            state, rng = State.new(players, 10 * players + seed, components), random.Random(seed)
            policy = POLICIES[("eager", "raider")[seed % 2]]
            while not state.is_over:
                phase = state.to_dict()["phase"]
                # Later in a game there is more of everything.
                if phase not in seen and state.to_dict()["turn"] > 12:
                    seen.add(phase)
                    yield f"{phase}, {named}", state.clone()
                state.apply(policy(state.legal_actions(), rng))
