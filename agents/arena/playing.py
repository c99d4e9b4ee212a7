"""Execution of the games of a tournament, in one process or several, on one machine or many.

A game is a function of its deal and its line-up; the process and the other games do not matter.

Line-ups of compiled policies play inside compiled code.  There the policies draw from the game's policy RNG, which the
deal seeds; everywhere else agents draw from their seeds (`agent_seed`) and views.  The deal determines both, but the
games differ.  Outside compiled code many games run side by side where all agents are `Agent.batched`, else one after
the other; these games are the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.arena.executors import Jobs, WorkerError
from agents.arena.matches import Match, Pace, Played, Setup, agent_seed, deal_seed
from agents.registry import make
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import seed_policy_rng
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.envs.spaces import Watch

#: Games of compiled policies in a task; a progress bar moves in these steps.
CHUNK: Final = 1000
#: Games side by side in a task; an interrupted run loses them.
SIDE_BY_SIDE: Final = 128

ONE: Final = Jobs()


class MatchError(RuntimeError):
    """A game cannot be finished: an illegal action, an agent that cannot be made, or a process that died."""


@contextmanager
def _making() -> Iterator[None]:
    """Raise MatchError for agents that could be made when the tournament began."""
    try:
        yield
    except ValueError as error:
        raise MatchError(f"an agent cannot be made any more: {error}") from error


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit torch, if it is loaded, to one thread, as in other processes: batches are too small for several."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Ends(NamedTuple):
    """Finished games: states (n,), numbers of steps (n,), and ids of all actions, if they are recorded."""

    states: States
    lengths: npt.NDArray[Any]
    actions: Sequence[Sequence[int]] | None


class Arena:
    """The games and agents of a tournament in one process.

    Agents that are not `Agent.batched` are made again for each game, with the seed of their seat.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._games: dict[int, Game] = {}
        self._agents: dict[int, dict[str, Agent]] = {}
        self._warm: set[tuple[int, str]] = set()
        self._timed: set[tuple[int, str]] = set()

    def game(self, players: int) -> Game:
        """Return the game for a number of players."""
        if players not in self._games:
            self._games[players] = self.setup.game_of(players)
        return self._games[players]

    def agents(self, players: int) -> dict[str, Agent]:
        """Return an agent for each agent string, sorted, with seed 0; AgentError for an invalid string."""
        if players not in self._agents:
            game = self.game(players)
            self._agents[players] = {text: make(text, game) for text in sorted(self.setup.agents)}
        return self._agents[players]

    def fingerprints(self, players: int) -> dict[str, str]:
        """Return the first 16 digits of each agent's `Agent.fingerprint`; AgentError for an invalid string."""
        game = self.game(players)
        return {text: make(text, game).fingerprint[:16] for text in sorted(self.setup.agents)}

    def _task_size(self, match: Match) -> int:
        """Return the number of games in a task: of compiled policies, of batched agents, or others."""
        agents = self.agents(len(match.agents))
        if all(agents[text].compiled is not None for text in match.agents):
            return CHUNK
        return SIDE_BY_SIDE if all(agents[text].batched for text in match.agents) else 1

    def batches(self, matches: Iterable[Match]) -> list[tuple[Match, ...]]:
        """Return tasks for `play`."""
        tasks: list[tuple[Match, ...]] = []
        gathered: dict[tuple[int, int], list[Match]] = {}
        for match in matches:
            size = self._task_size(match)
            waiting = gathered.setdefault((len(match.agents), size), [])
            waiting.append(match)
            if len(waiting) == size:
                tasks.append(tuple(gathered.pop((len(match.agents), size))))
        return tasks + [tuple(waiting) for waiting in gathered.values()]

    def play(self, matches: Sequence[Match]) -> tuple[list[Played], list[Pace]]:
        """Play a task of `batches`.

        Agents in batches are timed in one extra game with `Agent.act` next to the first task of each.

        Raises:
            MatchError: an illegal action, with agent and game, or an agent that cannot be made here.
        """
        with _making():
            size = self._task_size(matches[0])
        with one_thread():
            if size == 1:
                ends, paces = self.play_asked(matches[0])
                return self._played(matches, ends), paces
            if size != CHUNK:
                ends = self._play_side_by_side(matches)
            else:
                ends = self._record_compiled(matches) if self.setup.record else self._play_compiled(matches)
            paces = [pace for match in self._untimed(matches) for pace in self.play_asked(match)[1]]
        return self._played(matches, ends), paces

    def _compiled(self, players: int) -> dict[str, Policy]:
        agents = self.agents(players).items()
        return {text: agent.compiled for text, agent in agents if agent.compiled is not None}

    def _play_compiled(self, matches: Sequence[Match]) -> Ends:
        """Play games of compiled policies in compiled code."""
        game, policies = self.game(len(matches[0].agents)), self._compiled(len(matches[0].agents))
        numbers = {text: i for i, text in enumerate(policies)}
        seats = [[numbers[text] for text in match.agents] for match in matches]
        states = np.zeros(len(matches), dtype=game.dtype)
        try:
            played = play_games(game, list(policies.values()), self._seeds(matches), seats, ends=states)
        except RuntimeError as error:
            raise MatchError(str(error)) from error
        return Ends(states, played.lengths, None)

    def _record_compiled(self, matches: Sequence[Match]) -> Ends:
        """Play the same games step by step, for their actions."""
        players = len(matches[0].agents)
        game, policies = self.game(players), self._compiled(players)
        kernel, constants = game.kernel, game.constants
        words, rng, seen = np.zeros(game.num_words, dtype=np.uint64), np.zeros(3, dtype=np.int64), game.new_states(0)
        states, actions = np.zeros(len(matches), dtype=game.dtype), []
        for row, (match, seed) in enumerate(zip(matches, self._seeds(matches), strict=True)):
            states[row : row + 1] = game.new_states(seed)
            seed_policy_rng(rng, seed)
            actions.append(list[int]())
            while (seat := int(states["current_player"][row])) >= 0:
                policy = policies[match.agents[seat]]
                kernel.legal(constants, states, row, words)
                seen[0] = states[row]
                kernel.redact(constants, seen, 0, seat)
                action = int(policy.choose(constants, seen, 0, seat, words, policy.parameters, rng))
                if not 0 <= action < game.actions.size or not bits.contains(words, action):
                    raise self._illegal(match, seat, action, len(actions[row]))
                kernel.step(constants, states, row, action)
                actions[row].append(action)
        return Ends(states, np.array([len(each) for each in actions]), actions)

    def _play_side_by_side(self, matches: Sequence[Match]) -> Ends:
        """Play games in which every agent answers for all waiting games at a time."""
        players, seeds = len(matches[0].agents), self._seeds(matches)
        agents = list(self.agents(players).values())
        numbers = {text: i for i, text in enumerate(self.agents(players))}
        seat_seeds = np.array([[agent_seed(seed, seat) for seat in range(players)] for seed in seeds])
        seated = np.array([[numbers[text] for text in match.agents] for match in matches])
        history = max(agent.history for agent in agents)
        env = BatchEnv(self.game(players), len(matches), autoreset_mode="disabled", history=history)
        env.reset(seed=seeds)
        actions, taken = np.zeros(len(matches), dtype=np.int64), [list[int]() for _ in matches]
        while len(waiting := np.flatnonzero(env.current_player >= 0)):
            asked = seated[waiting, env.current_player[waiting]]
            for number in np.unique(asked):
                rows = waiting[asked == number]
                views = env.views(rows)
                actions[rows] = answers = _act(agents[number], views, seat_seeds[rows, views.players])
                legal = _is_legal(answers, views)
                if not legal.all():
                    row = int(rows[bad := int(np.flatnonzero(~legal)[0])])
                    raise self._illegal(matches[row], int(views.players[bad]), int(answers[bad]), int(env.lengths[row]))
            if self.setup.record:
                for row in waiting.tolist():
                    taken[row].append(int(actions[row]))
            env.step(actions)
        return Ends(env.states, env.last_lengths, taken)

    def play_asked(self, match: Match) -> tuple[Ends, list[Pace]]:
        """Play one game with `Agent.act`.

        Returns:
            The game, and each agent's pace without its first step in this process, which may compile or load something.
        """
        players, (seed,) = len(match.agents), self._seeds([match])
        game = self.game(players)
        with _making():
            seats: list[Agent] = [make(text, game, agent_seed(seed, seat)) for seat, text in enumerate(match.agents)]
        states, actions = game.new_states(seed), list[int]()
        timed: dict[str, tuple[int, float]] = {}
        watch = Watch(game, max(agent.history for agent in seats), ())
        watch.begin(states)
        while (seat := int(states["current_player"][0])) >= 0:
            agent, text, view = seats[seat], match.agents[seat], View(game, states, 0, seat, watch.tokens(seat))
            start = time.perf_counter()
            action = int(agent.act(view))
            spent = time.perf_counter() - start
            if not 0 <= action < len(view.action_mask) or not view.action_mask[action]:
                raise self._illegal(match, seat, action, len(actions))
            if (players, text) in self._warm:
                count, seconds = timed.get(text, (0, 0.0))
                timed[text] = (count + 1, seconds + spent)
            self._warm.add((players, text))
            game.kernel.step(game.constants, states, 0, action)
            watch.update(states, seat)
            actions.append(action)
        paces = [Pace(players, text, *timed[text]) for text in sorted(timed)]
        return Ends(states, np.array([len(actions)]), [actions]), paces

    def _seeds(self, matches: Sequence[Match]) -> list[int]:
        return [deal_seed(self.setup.seed, match.deal) for match in matches]

    def _illegal(self, match: Match, seat: int, action: int, step: int) -> MatchError:
        return MatchError(
            f"agent {match.agents[seat]!r} answered with the illegal action {action} on seat {seat} in step "
            f"{step} of the game with seed {deal_seed(self.setup.seed, match.deal)} ({', '.join(match.agents)})"
        )

    def _untimed(self, matches: Sequence[Match]) -> list[Match]:
        """Return a few games that together have every agent that has not been timed in this process."""
        samples = []
        for match in matches:
            seated = {(len(match.agents), text) for text in match.agents}
            if not seated <= self._timed:
                self._timed |= seated
                samples.append(match)
        return samples

    def _played(self, matches: Sequence[Match], ends: Ends) -> list[Played]:
        game, states = self.game(len(matches[0].agents)), ends.states
        sources = game.points_by_source(states).tolist()
        return [
            Played(
                match,
                seed,
                tuple(game.totals(states, row).tolist()),
                tuple(game.places(states, row).tolist()),
                int(ends.lengths[row]),
                tuple(tuple(points) for points in sources[row]) if game.point_sources else (),
                tuple(ends.actions[row]) if self.setup.record and ends.actions is not None else (),
            )
            for row, (match, seed) in enumerate(zip(matches, self._seeds(matches), strict=True))
        ]


def _act(agent: Agent, views: BatchView, seeds: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Return an agent's actions; MatchError unless they are one integer for each view."""
    actions = np.asarray(agent.act_seeded(views, seeds))
    if actions.shape != seeds.shape or actions.dtype.kind not in "iu":
        raise MatchError(
            f"agent {agent.name!r}: expected {len(seeds)} integer ids, not {actions.dtype} {actions.shape}"
        )
    return actions


def _is_legal(actions: npt.NDArray[Any], views: BatchView) -> npt.NDArray[np.bool_]:
    """Return whether each action (k,) is legal."""
    known = (actions >= 0) & (actions < views.action_masks.shape[1])
    legal: npt.NDArray[np.bool_] = known & (views.action_masks[np.arange(len(actions)), actions * known] != 0)
    return legal


def play_all(
    arena: Arena, tasks: Sequence[Sequence[Match]], jobs: Jobs = ONE, remote_arena: Callable[[], Arena] | None = None
) -> Generator[tuple[list[Played], list[Pace]], None, None]:
    """Play the tasks of `Arena.batches`, and yield results in order of completion.

    One job, or one task, is played in this process.  New processes start without the modules that this one has loaded:
    modules that `Setup` names must register the agents.

    Args:
        arena: of this process.
        tasks: the games.
        jobs: the executor.
        remote_arena: makes the arena of another process, module-level; by default one of the same setup.

    Raises:
        MatchError: see `Arena.play`, or a process died; tasks that have not started are dropped.
    """
    jobs = replace(jobs, count=min(jobs.count, max(1, len(tasks))))
    is_local = not jobs.ray and jobs.count == 1
    try:
        with jobs.executor((lambda: arena) if is_local else remote_arena or partial(Arena, arena.setup)) as executor:
            for _, played in executor.spread(Arena.play, tasks):
                yield played
    except WorkerError as error:
        raise MatchError(str(error)) from error
