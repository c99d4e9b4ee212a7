"""Engine and referee play the same games side by side: ``python -m tests.games.porta_nigra.oracle.lockstep``.

After every action the position dicts, the sets of legal actions, the scores with their breakdown and the winners have
to be equal.  Games begin at the setup or at an odd position (`tests.games.porta_nigra.oracle.odd`); players are
random or eager.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from porta_nigra_env.games.porta_nigra.components.load import load
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.events import EVENTS, count_events, count_result
from tests.games.porta_nigra.oracle.odd import EDITS, Edit, edited
from tests.games.porta_nigra.oracle.referee import Referee, differences

Policy = Callable[[list[str], random.Random], str]
#: Keys of a position that the referee has no say in.
UNRULED = {"rng", "components_digest"}
#: Decisions after which a game is taken for endless.
LIMIT = 5_000


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


class Difference(AssertionError):
    """Engine and referee disagree; the message holds the position, the action and the fields."""


def _fail(before: dict[str, Any], action: str | None, found: list[str]) -> None:
    lines = "\n".join(f"  {line}" for line in found)
    raise Difference(
        f"after {action!r} (engine first, referee second):\n{lines}\nposition before: {json.dumps(before)}"
    )


def play(
    state: State, referee: Referee, data: dict[str, Any], policy: Policy, rng: random.Random, events: Counter[str]
) -> int:
    """Play a game to its end in both; returns the decisions made.  Difference at the first disagreement."""
    position = state.to_dict()
    for decision in range(LIMIT):
        legal = state.legal_actions()
        ruled = referee.legal_actions(position)
        if legal != ruled:
            _fail(position, None, [f"legal only in the engine: {sorted(set(legal) - set(ruled))}",
                                   f"legal only for the referee: {sorted(set(ruled) - set(legal))}"])  # fmt: skip
        engine_scores, ruled_scores = state.scores(), referee.scores(position)
        if engine_scores != ruled_scores:
            _fail(position, None, [f"scores: {engine_scores} != {ruled_scores}"])
        if state.winners() != referee.winners(position):
            _fail(position, None, [f"winners: {state.winners()} != {referee.winners(position)}"])
        if not legal:
            count_result(position, engine_scores, data, events)
            return decision
        action = policy(legal, rng)
        after = state.apply(action).to_dict()
        try:
            ruled_after = referee.apply(position, action, after)
        except AssertionError as error:
            _fail(position, action, [str(error)])
        if {key: value for key, value in after.items() if key not in UNRULED} != ruled_after:
            found = differences(after, ruled_after)  # slower: lists whose order has no meaning, and what differs
            if found:
                _fail(position, action, found)
        count_events(position, action, after, data, events)
        position = after
    raise Difference(f"no end after {LIMIT} decisions")


def odd_start(
    players: int, seed: int, plies: int, edits: Sequence[Edit], components: str, data: dict[str, Any]
) -> State:
    """A game advanced by some random plies to a decision where edits are allowed, and edited."""
    state = State.new(num_players=players, seed=seed, components=components)
    rng = random.Random(seed)
    for ply in range(LIMIT):
        position = state.to_dict()
        editable = position["phase"] in ("choose_card", "main") and position["early_end"] is None
        if ply >= plies and editable:
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
        edits = [
            ("late", 1 + rng.randrange(4), 0),
            ("drain", rng.randrange(2), rng.randrange(64)),
            ("sell_out", 0, 0),
        ]
        edits += [("last_turns", 0, 0), ("purse", rng.randrange(64), 4), *random_edits(rng)[:3]]
    return odd_start(players, number, plies, edits, components, data), policy


def games(players: int, first: int, count: int, components: str = "standard") -> tuple[Counter[str], int]:
    """Play games number `first` .. `first + count - 1`; returns events and decisions.  Difference names the game."""
    data = load(components).data
    referee = Referee(data)
    events: Counter[str] = Counter()
    decisions = 0
    for number in range(first, first + count):
        state, policy = start(number, players, components, data)
        try:
            decisions += play(state, referee, data, POLICIES[policy], random.Random(number), events)
        except Difference as difference:
            raise Difference(f"{players} players, game {number}, {policy} players: {difference}") from difference
    return events, decisions


def _task(arguments: tuple[int, int, int, str]) -> tuple[int, int, Counter[str], int, str]:
    players, first, count, components = arguments
    try:
        events, decisions = games(players, first, count, components)
    except Difference as difference:
        return players, count, Counter(), 0, str(difference)
    return players, count, events, decisions, ""


def tasks(total: int, chunk: int, components: str) -> Iterator[tuple[int, int, int, str]]:
    """Work for the processes: all player counts, some games at a time."""
    for first in range(0, total, chunk):
        for players in (2, 3, 4):
            yield players, first, min(chunk, total - first), components


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 when a difference was found or an event never met."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.games.porta_nigra.oracle.lockstep", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--games", type=int, default=20_000, help="games for each number of players (default 20000)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--components", default="standard", help="component file (default standard)")
    parser.add_argument("--report", type=Path, help="write the figures to this JSON file")
    arguments = parser.parse_args(argv)
    if arguments.games < 1 or arguments.jobs < 1:
        parser.error("--games and --jobs must be at least 1")
    begun = time.perf_counter()
    done: Counter[int] = Counter()
    events: Counter[str] = Counter()
    decisions = 0
    failures = []
    with multiprocessing.get_context("spawn").Pool(arguments.jobs) as pool:
        for players, count, found, played, failure in pool.imap_unordered(
            _task, tasks(arguments.games, 50, arguments.components)
        ):
            done[players] += count
            events += found
            decisions += played
            if failure:
                failures.append(failure)
                print(failure, flush=True)
            games_done, spent = sum(done.values()), time.perf_counter() - begun
            if games_done % 1_500 < 50:
                left = (3 * arguments.games - games_done) * spent / games_done / 60
                print(
                    f"{games_done} games, {decisions} decisions, {decisions / spent:.0f}/s, {left:.0f} min left",
                    flush=True,
                )
    seconds = time.perf_counter() - begun
    missed = [event for event in EVENTS if not events[event]]
    print(f"\n{sum(done.values())} games, {decisions} decisions in {seconds:.0f} s, {len(failures)} differences")
    for event, rulings in EVENTS.items():
        print(f"  {event:<40} {rulings:<4} {events[event]:>9}")
    if missed:
        print(f"never met: {', '.join(missed)}")
    if arguments.report:
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        report = {"games": done, "decisions": decisions, "seconds": round(seconds), "jobs": arguments.jobs,
                  "differences": failures, "events": {event: events[event] for event in EVENTS},
                  "components": load(arguments.components).digest, "python": platform.python_version()}  # fmt: skip
        arguments.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if failures or missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
