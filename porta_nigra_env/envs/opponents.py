"""Opponents: the players of the seats other than the learner's, and the line-up of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

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
    """An agent that acts in several games at once, e.g. a network.

    If it has ``act_seeded(views, seeds)``, batches call this instead, with a seed int64 (k,) for each view's game.
    """

    def act_batch(self, views: BatchView) -> Any:
        """Return ids of legal actions, integers (k,), one for each view."""
        ...


#: A function of a view that returns the id or string of a legal action.
ViewFunction = Callable[[View], Any]
#: The name of a player (`players.names`), a compiled policy, an agent with act_batch, or a function of a view; None is
#: "random".
Opponent = Policy | BatchAgent | ViewFunction | str | None
#: One for every seat, a list in turn order from the learner's left, or a dict by seat (missing seats are random).
Opponents = Opponent | Sequence[Opponent] | Mapping[int, Opponent]

#: Numbers of opponents: compiled policies count up from 0, agents outside compiled code down from OUTSIDE - 1.
_NUMBERS: Final = np.iinfo(np.int8)
_KINDS: Final = "the name of a player, a compiled Policy, an agent with act_batch, or a function of a view"


class _EachView:
    """An agent with act_batch that calls a function for each view."""

    def __init__(self, function: ViewFunction) -> None:
        self.function = function
        self.name = getattr(function, "__name__", None) or repr(function)

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        answers = [self.function(view) for view in views]
        ids = [views.game.action_id(answer) if isinstance(answer, str) else answer for answer in answers]
        return np.array(ids)


def check_opponent(opponent: object, game: Game) -> Policy | BatchAgent:
    """Return an opponent as a policy or batched agent; ValueError if it is not an `Opponent`."""
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
    raise ValueError(f"opponents: {opponent!r} is not {_KINDS}")


def assign_seats(opponents: Opponents, players: int, learner: object) -> tuple[list[Opponent], bool]:
    """Return the opponents by seat, or by seat offset from the learner (offset 0), and True if they are by seat.

    Args:
        opponents: as given.
        players: number of seats.
        learner: the learner's seat if it is fixed.

    Raises:
        ValueError: a wrong number of opponents, or one on the learner's seat.
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
            raise ValueError(f"opponents: {players - 1} are needed besides the learner, not {len(opponents)}")
        return [None, *opponents], False
    return [opponents] * players, False


class Lineups:
    """All opponents that a batch has met, and their numbers.

    Args:
        game: the game.
        learner: the learner's seat if it is fixed.
        compiled: True if all have to be compiled policies, as on a GPU or with several component sets.

    Attributes:
        policies: compiled policies, by number.
        agents: agents that are asked from Python.
        by_seat: True if line-ups are by seat, False if by seat offset from the learner.
    """

    def __init__(self, game: Game, learner: object, compiled: bool = False) -> None:
        self._game, self._players, self._learner, self._compiled = game, game.num_players, learner, compiled
        self.policies: list[Policy] = []
        self.agents: list[BatchAgent] = []
        self.by_seat = False
        self._given: list[tuple[object, int]] = []

    def first(self, opponents: Opponents) -> list[int]:
        """Return the line-up of a new batch, a number for each seat or seat offset."""
        line, self.by_seat = assign_seats(opponents, self._players, self._learner)
        return self._numbers(line)

    def next(self, opponents: Opponents, prepare: Callable[[], None] = lambda: None) -> list[int]:
        """Return another line-up; `prepare` is called if it adds compiled policies.

        Raises:
            ValueError: it does not fit.  After this and any other error no opponent has been added.
        """
        line, by_seat = assign_seats(opponents, self._players, self._learner)
        if by_seat != self.by_seat:
            raise ValueError("opponents: a dict by seat and a list cannot be mixed in one batch")
        before = self.policies.copy(), self.agents.copy(), self._given.copy()
        try:
            numbers = self._numbers(line)
            if len(self.policies) > len(before[0]):
                prepare()
            return numbers
        except BaseException:
            self.policies, self.agents, self._given = before
            raise

    def _numbers(self, line: Sequence[Opponent]) -> list[int]:
        numbers = [self._number(opponent) for opponent in line]
        if not self.by_seat:
            numbers[0] = bookkeeping.OUTSIDE  # the learner
        return numbers

    def _number(self, opponent: Opponent) -> int:
        """Return the number of an opponent; a new one is added."""
        known = next((number for other, number in self._given if other is opponent), None)
        if known is not None:
            return known
        player = check_opponent(opponent, self._game)
        if isinstance(player, Policy):
            if player not in self.policies:
                self.policies.append(player)
            number = self.policies.index(player)
        elif self._compiled:
            name = getattr(player, "name", None) or type(player).__name__
            raise ValueError(
                f"opponents: {name} is not a compiled policy, and only those play on a GPU or with several sets; "
                "with seat='every' the caller can ask any agent, with views()"
            )
        else:
            if not any(player is agent for agent in self.agents):
                self.agents.append(player)
            index = next(index for index, agent in enumerate(self.agents) if agent is player)
            number = bookkeeping.OUTSIDE - 1 - index
        if not _NUMBERS.min <= number <= _NUMBERS.max:
            raise ValueError(
                f"opponents: a batch keeps all opponents that it has met, at most {_NUMBERS.max + 1} compiled policies "
                f"and {_NUMBERS.max} agents outside compiled code; change the agent instead of making new ones"
            )
        self._given.append((opponent, number))
        return number

    def agent(self, number: int) -> BatchAgent:
        """Return the agent of a number below OUTSIDE."""
        return self.agents[bookkeeping.OUTSIDE - 1 - number]


class SinglePlayer(NamedTuple):
    """A player that is asked for one action at a time.

    act: returns the id or string of an action; called with a state and a policy RNG, int64 (3,).
    """

    name: str
    act: Callable[[State, npt.NDArray[np.int64]], Any]


def single_player(game: Game, opponent: Opponent) -> SinglePlayer:
    """Return an opponent as a `SinglePlayer`; ValueError if it is not an `Opponent`."""
    player = check_opponent(opponent, game)
    if isinstance(player, Policy):
        return SinglePlayer(player.name, _single_policy(game, player))

    def act(state: State, policy_rng: npt.NDArray[np.int64]) -> Any:
        view = state.view()
        if isinstance(player, _EachView):
            return player.function(view)
        arrays = (view.observation[None].copy(), view.action_mask[None].copy(), view.state.copy())
        answers = player.act_batch(BatchView(view.game, np.array([view.player], dtype=np.int8), *arrays))
        return np.asarray(answers).reshape(-1)[0]

    return SinglePlayer(str(getattr(player, "name", None) or type(player).__name__), act)


def _single_policy(game: Game, policy: Policy) -> Callable[[State, npt.NDArray[np.int64]], int]:
    """Return a function that calls a compiled policy as the loops over many games do."""
    parameters, nothing = policy.parameters.copy(), np.zeros(1, dtype=game.dtype)
    choose, reads_state, redact, constants = policy.choose, policy.reads_state, game.kernel.redact, game.constants

    def act(state: State, policy_rng: npt.NDArray[np.int64]) -> int:
        visible = nothing
        if reads_state:
            visible = copied(state.states)
            redact(constants, visible, 0, state.player)
        # The policy may overwrite the set of legal actions, which the next step recomputes.
        action: int = choose(constants, visible, 0, state.player, state.words, parameters, policy_rng)
        return action

    return act


class PolicyRows:
    """A compiled policy as an agent; its random numbers depend only on the seed and the redacted state."""

    def __init__(self, game: Game, policy: Policy) -> None:
        self.name = policy.name
        self._game, self._act_rows = game, compile_batch(game, [policy]).act_rows
        self._parameters = policy.parameters.copy()
        self._words, self._policy_rng = np.zeros(game.num_words, dtype=np.uint64), np.zeros(3, dtype=np.int64)

    def act_rows(
        self, states: States, players: npt.NDArray[np.int8], seed: int | npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return ids of legal actions, int64 (k,), in states (k,) that are redacted for `players` (k,).

        seed: one, or one for each state.
        """
        actions = np.zeros(len(states), dtype=np.int64)
        infosets = states.view(np.uint8).reshape(len(states), -1)
        seeds = np.ascontiguousarray(np.broadcast_to(seed, len(states)), dtype=np.int64)
        self._act_rows(
            self._game.constants, states[:, None], infosets, players, seeds, self._words, self._parameters,
            self._policy_rng, actions,
        )  # fmt: skip
        return actions

    def act(self, view: View, seed: int) -> int:
        """Return the id of a legal action for one view."""
        return int(self.act_rows(view.state, np.array([view.player], dtype=np.int8), seed)[0])
