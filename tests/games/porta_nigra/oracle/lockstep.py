"""Porta Nigra for `tests.lockstep`: random or eager players, games that begin at the setup or at an odd position
(`tests.games.porta_nigra.oracle.odd`), and the rare events that have to be met."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from porta_nigra_env.games.porta_nigra.components.load import load
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.events import EVENTS, count_events, count_result
from tests.games.porta_nigra.oracle.odd import EDITS, Edit, edited
from tests.games.porta_nigra.oracle.referee import UNORDERED, Referee
from tests.lockstep import trial
from tests.lockstep.trial import LIMIT, Policy, Position


def random_policy(legal: list[str], rng: random.Random) -> str:
    """Any legal action."""
    return rng.choice(legal)


#: Beginnings of action texts, the most wanted first.
WANTED = (
    "honour final",
    "crown",
    "build",
    "honour",
    "card",
    "buy",
    "take influence",
    "roman",
    "take",
    "coin",
    "tens 0",
)


def eager_policy(legal: list[str], rng: random.Random) -> str:
    """Builds, buys and takes honour cards whenever possible; sometimes anything."""
    if rng.random() < 0.15:
        return rng.choice(legal)
    for beginning in WANTED:
        wanted = [action for action in legal if action.startswith(beginning)]
        if wanted:
            return rng.choice(wanted)
    return rng.choice(legal)


POLICIES: dict[str, Policy] = {"random": random_policy, "eager": eager_policy}


def odd_start(
    players: int, seed: int, plies: int, edits: Sequence[Edit], components: str, data: dict[str, Any]
) -> State:
    """A game advanced by some random plies to a decision where edits are allowed, and edited."""
    state = State.new(num_players=players, seed=seed, components=components)
    rng = random.Random(seed)
    for ply in range(LIMIT):
        if ply >= plies:
            position = state.to_dict()
            if position["early_end"] is not None:
                break
            if position["phase"] in ("choose_card", "main"):
                return State.from_dict(edited(position, data, edits), seed=seed)
        state.apply(rng.choice(state.legal_actions()))
        if state.is_over:
            break
    return State.new(num_players=players, seed=seed, components=components)


def random_edits(rng: random.Random) -> list[Edit]:
    """Some edits for an odd start."""
    names = list(EDITS)
    return [(rng.choice(names), rng.randrange(64), rng.randrange(64)) for _ in range(rng.randrange(1, 14))]


def start(number: int, players: int, components: str, data: dict[str, Any]) -> tuple[State, str]:
    """The first position and the policy of game `number`: eight kinds of games in turn."""
    rng = random.Random(number * 8 + players)
    kind = number % 8
    policy = "random" if kind in (0, 3, 6) else "eager"
    if kind in (3, 4):
        return State.new(num_players=players, seed=number, components=components), policy
    seats = range(players)
    edits: list[Edit] = []
    plies = rng.randrange(200)
    if kind in (0, 1):
        edits = random_edits(rng)
    elif kind == 2:  # riches from the start: the long chains of honour cards
        plies = 2 * players
        edits = [("tokens", seat, 9) for seat in seats]
    elif kind == 7:  # bricks and Romans for all: full rows, empty decks, the fifteenth element
        plies = 2 * players
        edits = [(name, seat, value) for seat in seats for name, value in (("purse", 5), ("romans", 3), ("tokens", 9))]
        edits += [("hoard", rng.randrange(64), 2 + rng.randrange(5)) for _ in range(6)]
    else:  # bricks run out in the last turns of a round
        edits = [("late", 1 + rng.randrange(4), 0), ("drain", rng.randrange(2), rng.randrange(64)), ("sell_out", 0, 0)]
        edits += [("last_turns", 0, 0), ("purse", rng.randrange(64), 4), *random_edits(rng)[:3]]
    return odd_start(players, number, plies, edits, components, data), policy


class Trial(trial.Trial):
    """Engine and referee of Porta Nigra with one component set.

    Args:
        components: the set.
        ruled: data of another set for the referee, to test that a difference is found.
    """

    policies = POLICIES
    events = EVENTS
    unordered = UNORDERED

    def __init__(self, components: str = "standard", ruled: dict[str, Any] | None = None) -> None:
        self.components = components
        self.data = load(components).data
        self.referee = Referee(self.data if ruled is None else ruled)

    def start(self, number: int, players: int) -> tuple[State, str]:
        return start(number, players, self.components, self.data)

    def scores(self, state: State) -> list[dict[str, Any]]:
        return state.scores()

    def count_events(self, before: Position, action: str, after: Position, events: Counter[str]) -> None:
        count_events(before, action, after, self.data, events)

    def count_result(self, position: Position, scores: Any, events: Counter[str]) -> None:
        count_result(position, scores, self.data, events)
