"""The positions of Aquileia that sequences are counted from."""

from __future__ import annotations

import random
from collections.abc import Iterator

from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.policies import eager_policy
from tests.games.aquileia.rules.positions import Table


def positions() -> Iterator[tuple[str, State]]:
    """The positions that are counted from: every phase at every number of players, and an odd table."""
    for players in State.game_class.seats:
        yield f"start, {players} players", State.new(num_players=players, seed=players)
        seen = {"place"}
        for seed in range(4):
            state, rng = State.new(num_players=players, seed=10 * players + seed), random.Random(seed)
            while not state.is_over:
                phase = state.to_dict()["phase"]
                if phase not in seen and len(state.legal_actions()) > 1:
                    seen.add(phase)
                    yield f"{phase}, {players} players", state.clone()
                state.apply(eager_policy(state.legal_actions(), rng))
        table = Table(players=players).round(6).crests(1).slaves(1, 3, 2).equi(1, "weapon_1", "gold_horse_1")
        table.stand(pecunia=1, equi_left=2, servi_bottom=1, potentia=2, arena_1=1, arena_2=2, gold_1=2, theatrum=0)
        yield f"the last round, {players} players", table.stand(forum_3=1, latro=0, portus_gold=1).state()
