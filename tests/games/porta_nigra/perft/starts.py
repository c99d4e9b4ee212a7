"""The positions of Porta Nigra that sequences are counted from."""

from __future__ import annotations

import random
from collections.abc import Iterator

from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.lockstep import POLICIES, Trial
from tests.lockstep.trial import Edit


def crowned(players: int) -> State:
    """The first position of eager games from riches in which a crown is to be placed."""
    trial = Trial()
    for number in range(7, 8_000, 8):
        state, policy = trial.start(number, players)
        rng = random.Random(number)
        while not state.is_over:
            if state.to_dict()["phase"] == "crown" and len(state.legal_actions()) > 1:
                return state
            state.apply(POLICIES[policy](state.legal_actions(), rng))
    raise LookupError("no crown in a thousand games")


def positions() -> Iterator[tuple[str, State]]:
    """The positions that are counted from: every phase, every player count, odd places."""
    trial = Trial()
    for players in (2, 3, 4):
        yield f"start, {players} players", State.new(num_players=players, seed=players)
        state = State.new(num_players=players, seed=10 + players)
        rng = random.Random(players)
        seen: set[str] = set()
        while not state.is_over:
            phase = state.to_dict()["phase"]
            if phase not in seen and len(state.legal_actions()) > 1:
                seen.add(phase)
                yield f"{phase}, {players} players", state.clone()
            state.apply(POLICIES["eager"](state.legal_actions(), rng))
        yield f"crown, {players} players", crowned(players)
        rich: list[Edit] = [("tokens", 0, 9), ("tokens", 1, 9), ("hoard", 4, 11), ("hoard", 1, 9), ("purse", 0, 4)]
        yield f"rich, {players} players", trial.edited_start(players, 5, 40, rich)
        last: list[Edit] = [("late", 1, 0), ("drain", 0, 0), ("sell_out", 0, 0), ("last_turns", 0, 0), ("purse", 1, 4)]
        yield f"bricks run out, {players} players", trial.edited_start(players, 6, 90, last)
