"""Engine and referee in lockstep: the interface of a game, and its games.

After every action the position dicts, the sets of legal actions, the scores and the winners have to be equal.
"""

from __future__ import annotations

import json
import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.positions.components import ComponentSource
from tests.lockstep.differences import UNRULED, differences

Position = dict[str, Any]
Policy = Callable[[list[str], random.Random], str]
#: Name and two parameters of a change that leaves a position valid.
Edit = tuple[str, int, int]
#: The path of a value in a component file.
Key = tuple[str | int, ...]
#: Decisions after which a game is taken for endless.
LIMIT: Final = 5_000


def random_policy(legal: list[str], rng: random.Random) -> str:
    """Return any legal action."""
    return rng.choice(legal)


def eager_policy(beginnings: Sequence[str], randomness: float) -> Policy:
    """Return the policy that prefers actions by their beginnings, the first ones most, apart from random actions."""

    def policy(legal: list[str], rng: random.Random) -> str:
        if rng.random() < randomness:
            return rng.choice(legal)
        for beginning in beginnings:
            if preferred := [action for action in legal if action.startswith(beginning)]:
                return rng.choice(preferred)
        return rng.choice(legal)

    return policy


def named_edits(rng: random.Random, *names: str) -> list[Edit]:
    """Return edits with random parameters."""
    return [(name, rng.randrange(64), rng.randrange(64)) for name in names]


def random_edits(rng: random.Random, names: Collection[str], most: int = 12) -> list[Edit]:
    """Return between one and `most` random edits."""
    choices = list(names)
    return [(rng.choice(choices), rng.randrange(64), rng.randrange(64)) for _ in range(rng.randrange(1, most + 1))]


class Difference(AssertionError):
    """Engine and referee disagree; the message holds the position, the action and the fields."""


class Referee(Protocol):
    """A second engine on positions; it takes only results of chance from the engine."""

    def check_start(self, position: Position) -> None:
        """Raise an AssertionError unless this can be the position right after the setup."""
        ...

    def legal_actions(self, position: Position) -> list[str]:
        """Texts of the legal actions, sorted."""
        ...

    def apply(self, position: Position, action: str, after: Position) -> Position:
        """The position after an action; `after` is the engine's.  AssertionError where chance did the impossible."""
        ...

    def scores(self, position: Position) -> Any:
        """Return the scores in the form of `Trial.scores`."""
        ...

    def winners(self, position: Position) -> list[int]:
        """Seats that have won; none before the end."""
        ...


class Trial(ABC):
    """Engine and referee of a game with one component set.

    Attributes:
        referee: the second engine.
        policies: the players, by name.
        events: rare things that have to be met, with the ruling that each is about.
        rarest: the number of events that 288 games may miss.
        edits: the edits of `edited_start`.
        mistakes: wrong values of component files by key, to test that a difference is detected.
        unordered: keys of a position with lists whose order has no meaning.

    Args:
        components: component source of the engine.
        ruled: data of other components for the referee, to test that a difference is detected.
    """

    data: dict[str, Any]
    referee: Referee
    policies: ClassVar[Mapping[str, Policy]]
    events: ClassVar[Mapping[str, str]]
    rarest: ClassVar[int] = 0
    edits: ClassVar[Collection[str]]
    mistakes: ClassVar[Mapping[Key, Any]]
    unordered: ClassVar[Collection[str]] = ()

    @abstractmethod
    def __init__(self, components: ComponentSource = "standard", ruled: dict[str, Any] | None = None) -> None: ...

    @abstractmethod
    def start(self, number: int, players: int) -> tuple[Any, str]:
        """The first position, a state, and the name of the policy of game `number`."""

    @abstractmethod
    def edited_start(self, players: int, seed: int, plies: int, edits: Sequence[Edit]) -> Any:
        """Return the state after random plies, with a changed position; without edits if the game ends before."""

    def scores(self, state: Any) -> Any:
        """Return the engine's scores with their breakdown."""
        return state.scores()

    @abstractmethod
    def count_events(self, before: Position, action: str, after: Position, events: Counter[str]) -> None:
        """Count the rare things that an action has done."""

    @abstractmethod
    def count_result(self, position: Position, scores: Any, events: Counter[str]) -> None:
        """Count the rare things about an end."""

    def check_setup(self, state: State) -> None:
        """Raise a Difference unless the referee accepts the state as the start of a game."""
        try:
            self.referee.check_start(state.to_dict())
        except AssertionError as error:
            raise Difference(f"setup: {error}") from error

    def play(self, state: State, policy: Policy, rng: random.Random, events: Counter[str]) -> int:
        """Play a game to its end in both; returns the decisions made.  Difference at the first disagreement."""
        position = state.to_dict()
        for decision in range(LIMIT):
            legal = state.legal_actions()
            self._compare(state, position, legal)
            if not legal:
                self.count_result(position, self.scores(state), events)
                return decision
            action = policy(legal, rng)
            after = state.apply(action).to_dict()
            self._follow(position, action, after)
            self.count_events(position, action, after, events)
            position = after
        raise Difference(f"no end after {LIMIT} decisions")

    def _compare(self, state: State, position: Position, legal: list[str]) -> None:
        """Legal actions, scores and winners."""
        ruled = self.referee.legal_actions(position)
        if legal != ruled:
            _fail(position, None, [f"legal only in the engine: {sorted(set(legal) - set(ruled))}",
                                   f"legal only for the referee: {sorted(set(ruled) - set(legal))}"])  # fmt: skip
        for what, engine, other in (
            ("scores", self.scores(state), self.referee.scores(position)),
            ("winners", state.winners(), self.referee.winners(position)),
        ):
            if engine != other:
                _fail(position, None, [f"{what}: {engine} != {other}"])

    def _follow(self, position: Position, action: str, after: Position) -> None:
        """The positions after an action."""
        try:
            ruled = self.referee.apply(position, action, after)
        except AssertionError as error:
            _fail(position, action, [str(error)])
        if {key: value for key, value in after.items() if key not in UNRULED} != ruled:
            wrong = differences(after, ruled, self.unordered)  # slower, with a readable result
            if wrong:
                _fail(position, action, wrong)

    def games(self, players: int, first: int, count: int) -> tuple[Counter[str], int]:
        """Play the games `first` .. `first + count - 1`; returns events and decisions.  A Difference names its game."""
        events: Counter[str] = Counter()
        decisions = 0
        for number in range(first, first + count):
            state, policy = self.start(number, players)
            try:
                decisions += self.play(state, self.policies[policy], random.Random(number), events)
            except Difference as difference:
                raise Difference(f"{players} players, game {number}, {policy} players: {difference}") from difference
        return events, decisions


def _fail(before: Position, action: str | None, wrong: list[str]) -> None:
    lines = "\n".join(f"  {line}" for line in wrong)
    raise Difference(
        f"after {action!r} (engine first, referee second):\n{lines}\nposition before: {json.dumps(before)}"
    )


def trial_class(game: str) -> type[Trial]:
    """Return the game's `Trial` in ``tests/games/<game>/oracle/lockstep.py``."""
    wrong: type[Trial] = import_module(f"tests.games.{game}.oracle.lockstep").Trial
    return wrong


class Task(NamedTuple):
    """Some games for one process."""

    game: str
    components: str
    players: int
    first: int
    games: int


class Done(NamedTuple):
    """The result of a task; `failure` is "" if engine and referee agree."""

    task: Task
    events: Counter[str]
    decisions: int
    failure: str


def carry_out(task: Task) -> Done:
    """Play the games of a task."""
    try:
        events, decisions = trial_class(task.game)(task.components).games(task.players, task.first, task.games)
    except Difference as difference:
        return Done(task, Counter(), 0, str(difference))
    return Done(task, events, decisions, "")
