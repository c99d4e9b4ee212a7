"""Who plays the seats that the learner does not: what may be given as an opponent, and the line-up of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch import bookkeeping
from porta_nigra_env.core.batch.batch import compile_batch
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game, States, check_player, copied
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.players.names import named

Array = npt.NDArray[Any]


@runtime_checkable
class BatchAgent(Protocol):
    """An agent that decides in several games at once, e.g. a network."""

    def act_batch(self, views: BatchView) -> Any:
        """Ids of legal actions, integers (k,), one for each view."""
        ...


#: A function of what an opponent sees, which gives the id or the text of a legal action.
ViewFunction = Callable[[View], Any]
#: One opponent: the name of a player (`players.names`), a compiled policy, an agent with act_batch, or a function of a
#: view; None is "random".
Opponent = Policy | BatchAgent | ViewFunction | str | None
#: All of them: one for every seat, a list by place from the learner's left on, or a dict by seat (others random).
Opponents = Opponent | Sequence[Opponent] | Mapping[int, Opponent]

#: Opponents by number: compiled policies count up from 0, agents outside compiled code down from OUTSIDE - 1.
_NUMBERS: Final = np.iinfo(np.int8)
_KINDS: Final = "the name of a player, a compiled Policy, an agent with act_batch, or a function of a view"


class _EachView:
    """A function of a view as an agent with act_batch."""

    def __init__(self, function: ViewFunction) -> None:
        self.function = function
        self.name = getattr(function, "__name__", None) or repr(function)

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        answers = [self.function(view) for view in views]
        ids = [views.game.action_id(one) if isinstance(one, str) else one for one in answers]
        return np.array(ids)


def checked(opponent: object, game: Game) -> Policy | BatchAgent:
    """An opponent as what a batch can ask; ValueError for whatever is none."""
    if opponent is None:
        return RANDOM
    try:
        if isinstance(opponent, str):
            return named(game, opponent)
        if isinstance(opponent, Policy):
            opponent.check_plays(game.name)
            return opponent
    except ValueError as error:
        raise ValueError(f"opponents: {error}") from error
    if isinstance(opponent, BatchAgent) and not isinstance(opponent, type):
        return opponent
    if callable(opponent) and not isinstance(opponent, type):
        return _EachView(opponent)
    raise ValueError(f"opponents: {opponent!r} is none of {_KINDS}")


def seated(opponents: Opponents, players: int, learner: object) -> tuple[list[Opponent], bool]:
    """Who plays each place from the learner's left on (the learner first), or each seat; and whether it is by seat.

    Args:
        opponents: as given.
        players: how many seats there are.
        learner: her seat where it is fixed.

    Raises:
        ValueError: too many or too few of them, or one on the learner's seat.
    """
    if isinstance(opponents, Mapping):
        for seat in opponents:
            try:
                check_player(seat, players)
            except ValueError as error:
                raise ValueError(f"opponents: a key must be a seat: {error}") from None
            if seat == learner:
                raise ValueError(f"opponents: seat {seat} is the learner's")
        return [opponents.get(seat) for seat in range(players)], True
    if isinstance(opponents, Sequence) and not isinstance(opponents, str):
        if len(opponents) != players - 1:
            raise ValueError(f"opponents: {players - 1} are needed beside the learner, not {len(opponents)}")
        return [None, *opponents], False
    return [opponents] * players, False


class Lineups:
    """The opponents that a batch has met, and their numbers; none is ever forgotten.

    Args:
        game: the game.
        learner: her seat where it is fixed.
        compiled: whether all have to be compiled policies, as on a GPU.

    Attributes:
        policies: compiled ones, by number.
        agents: those that are asked from Python.
        by_seat: whether line-ups name seats instead of places.
    """

    def __init__(self, game: Game, learner: object, compiled: bool = False) -> None:
        self._game, self._players, self._learner, self._compiled = game, game.num_players, learner, compiled
        self.policies: list[Policy] = []
        self.agents: list[BatchAgent] = []
        self.by_seat = False
        self._given: list[tuple[object, int]] = []

    def first(self, opponents: Opponents) -> list[int]:
        """The line-up of a new batch, one number for each place or seat."""
        line, self.by_seat = seated(opponents, self._players, self._learner)
        return self._numbers(line)

    def further(self, opponents: Opponents) -> list[int]:
        """Another line-up; ValueError if it does not fit, and then nobody has been entered."""
        line, by_seat = seated(opponents, self._players, self._learner)
        if by_seat != self.by_seat:
            raise ValueError("opponents: a dict by seat and a list by place cannot be mixed in one batch")
        before = self.policies.copy(), self.agents.copy(), self._given.copy()
        try:
            return self._numbers(line)
        except ValueError:
            self.policies, self.agents, self._given = before
            raise

    def _numbers(self, line: Sequence[Opponent]) -> list[int]:
        numbers = [self._number(one) for one in line]
        if not self.by_seat:
            numbers[0] = bookkeeping.OUTSIDE  # the learner's own place
        return numbers

    def _number(self, opponent: Opponent) -> int:
        """The number under which the rows know an opponent; a new one is entered."""
        known = next((number for one, number in self._given if one is opponent), None)
        if known is not None:
            return known
        found = checked(opponent, self._game)
        if isinstance(found, Policy):
            if found not in self.policies:
                self.policies.append(found)
            number = self.policies.index(found)
        elif self._compiled:
            name = getattr(found, "name", None) or type(found).__name__
            raise ValueError(
                f"opponents: {name} is not a compiled policy, and only those play on a GPU; "
                "with seat='every' anybody can be asked from outside, by views()"
            )
        else:
            if not any(found is one for one in self.agents):
                self.agents.append(found)
            place = next(place for place, one in enumerate(self.agents) if one is found)
            number = bookkeeping.OUTSIDE - 1 - place
        if not _NUMBERS.min <= number <= _NUMBERS.max:
            raise ValueError(
                f"opponents: a batch keeps all that it ever met, at most {_NUMBERS.max + 1} compiled policies and "
                f"{_NUMBERS.max} agents outside compiled code; change what an agent does instead of making new ones"
            )
        self._given.append((opponent, number))
        return number

    def agent(self, number: int) -> BatchAgent:
        """The agent outside compiled code of that number."""
        return self.agents[bookkeeping.OUTSIDE - 1 - number]


class SinglePlayer(Protocol):
    """Somebody who is asked for one decision at a time; answers with the id or the text of an action."""

    name: str

    def act(self, state: State, policy_rng: npt.NDArray[np.int64]) -> Any:
        """The decision of the player to move; chance: int64 (3,), what compiled policies draw from (`core.arrays.rng`)."""
        ...


class _OneView:
    """An agent outside compiled code, asked for one decision."""

    def __init__(self, agent: BatchAgent) -> None:
        self.name = str(getattr(agent, "name", None) or type(agent).__name__)
        self._agent = agent

    def act(self, state: State, policy_rng: npt.NDArray[np.int64]) -> Any:
        view = state.view()
        if isinstance(self._agent, _EachView):
            return self._agent.function(view)
        shown = (view.observation[None].copy(), view.action_mask[None].copy(), view.state.copy())
        answers = self._agent.act_batch(BatchView(view.game, np.array([view.player], dtype=np.int8), *shown))
        return np.asarray(answers).reshape(-1)[0]


class _OnePolicy:
    """A compiled policy, asked for one decision as the loops over many games ask it."""

    def __init__(self, game: Game, policy: Policy) -> None:
        self.name = policy.name
        self._game, self._policy, self._parameters = game, policy, policy.parameters.copy()
        self._nothing = np.zeros(1, dtype=game.dtype)

    def act(self, state: State, policy_rng: npt.NDArray[np.int64]) -> int:
        game, player, sight = self._game, state.player, self._nothing
        if self._policy.reads_state:
            sight = copied(state.states)
            game.kernel.redact(game.constants, sight, 0, player)
        # As in the loops it may spoil the set of legal actions: the decision that follows makes it anew.
        return int(self._policy.choose(game.constants, sight, 0, player, state.words, self._parameters, policy_rng))


class PolicyRows:
    """A compiled policy that is asked from outside; its chance is a function of the seed and of what it sees."""

    def __init__(self, game: Game, policy: Policy) -> None:
        self.name = policy.name
        self._game, self._act_rows = game, compile_batch(game, [policy]).act_rows
        self._parameters = policy.parameters.copy()
        self._words, self._chance = np.zeros(game.num_words, dtype=np.uint64), np.zeros(3, dtype=np.int64)

    def act_rows(
        self, states: States, players: npt.NDArray[np.int8], seed: int | npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Ids of legal actions, int64 (k,), in states (k,) that are redacted for the players (k,) who look.

        seed: one, or one for each state.
        """
        actions = np.zeros(len(states), dtype=np.int64)
        infosets = states.view(np.uint8).reshape(len(states), -1)
        constants, own = self._game.constants, (self._words, self._parameters, self._chance)
        if isinstance(seed, int):
            self._act_rows(constants, states, infosets, players, seed, *own, actions)
            return actions
        for i, one in enumerate(seed.tolist()):
            row = slice(i, i + 1)
            self._act_rows(constants, states[row], infosets[row], players[row], one, *own, actions[row])
        return actions

    def act(self, view: View, seed: int) -> int:
        """The id of a legal action for one view."""
        return int(self.act_rows(view.state, np.array([view.player], dtype=np.int8), seed)[0])


def single_player(game: Game, opponent: Opponent) -> SinglePlayer:
    """An opponent as somebody who is asked for one decision at a time; ValueError for whatever is none."""
    found = checked(opponent, game)
    return _OnePolicy(game, found) if isinstance(found, Policy) else _OneView(found)
