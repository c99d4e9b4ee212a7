"""Perft: how many action sequences there are from a position, by depth.

``python -m tests.games.porta_nigra.perft.counts`` writes them.

`positions.jsonl` holds one object a line: a name, a position with its random state, and the counts for depths 1, 2, ...
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from porta_nigra_env.games.porta_nigra.components.load import load
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.lockstep import POLICIES, eager_policy, odd_start, start
from tests.games.porta_nigra.oracle.odd import Edit
from tests.games.porta_nigra.oracle.referee import Referee

FILE = Path(__file__).with_name("positions.jsonl")
#: The deepest level whose count stays below this is the last one kept.
LARGEST = 400_000


def engine_count(state: State, depth: int) -> int:
    """Sequences of `depth` actions (shorter where a game ends), counted by the compiled loop."""
    game = state.game
    states = np.zeros(depth + 1, dtype=game.dtype)
    states[0] = state.states[0]
    words = np.zeros((depth + 1, game.num_words), dtype=np.uint64)
    return int(game.loops.perft(game.tables, states, words, depth))


def referee_count(state: State, position: dict[str, Any], referee: Referee, depth: int) -> int:
    """The same counted with the referee's legal actions and positions; the engine only lends it the shuffles."""
    if depth == 0 or position["phase"] == "over":
        return 1
    total = 0
    for action in referee.legal_actions(position):
        child = state.clone().apply(action)
        total += referee_count(child, referee.apply(position, action, child.to_dict()), referee, depth - 1)
    return total


def crowned(players: int) -> State:
    """The first position of eager games from riches in which a crown is to be placed."""
    data = load().data
    for number in range(7, 8_000, 8):
        state, policy = start(number, players, "standard", data)
        rng = random.Random(number)
        while not state.is_over:
            if state.to_dict()["phase"] == "crown" and len(state.legal_actions()) > 1:
                return state
            state.apply(POLICIES[policy](state.legal_actions(), rng))
    raise LookupError("no crown in a thousand games")


def positions() -> Iterator[tuple[str, State]]:
    """The positions that are counted from: every phase, every player count, odd places."""
    data = load().data
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
            state.apply(eager_policy(state.legal_actions(), rng))
        yield f"crown, {players} players", crowned(players)
        rich: list[Edit] = [("tokens", 0, 9), ("tokens", 1, 9), ("hoard", 4, 11), ("hoard", 1, 9), ("purse", 0, 4)]
        yield f"rich, {players} players", odd_start(players, 5, 40, rich, "standard", data)
        last: list[Edit] = [("late", 1, 0), ("drain", 0, 0), ("sell_out", 0, 0), ("last_turns", 0, 0), ("purse", 1, 4)]
        yield f"bricks run out, {players} players", odd_start(players, 6, 90, last, "standard", data)


def main() -> int:
    """Rewrite the file."""
    lines = []
    for name, state in positions():
        counts: list[int] = []
        while len(counts) < 9:
            count = engine_count(state, len(counts) + 1)
            if count > LARGEST:
                break
            counts.append(count)
        lines.append(json.dumps({"name": name, "counts": counts, "position": state.to_dict()}))
        print(f"{name:<32} {counts}")
    partial = FILE.with_suffix(".partial")
    partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.replace(partial, FILE)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
