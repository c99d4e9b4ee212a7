"""Playing the games of a tournament, in one process or in several, on one machine or on many.

A game is a function of its deal and of who sits where; it does not matter in which process it is played, beside or
after which other games.

Lineups whose agents are all compiled policies are played inside compiled code.  There a policy takes its chance from
the chance of the game, which the deal seeds; everywhere else chance comes from the agents' own seeds (`agent_seed`) and
what they see.  Both are fixed by the deal, but they are not the same games.  Outside compiled code many games are
played side by side where all agents answer for many (`Agent.batched`), else one after the other; these are the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.arena.executors import Jobs, WorkerError
from agents.arena.matches import Match, Pace, Played, Setup, agent_seed, deal_seed
from agents.registry import make
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game, States, copied
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games

#: Games of compiled policies in one task; a progress bar moves by so many.
CHUNK: Final = 1000
#: Games side by side in one task; what is lost when a run is interrupted.
SIDE_BY_SIDE: Final = 128


ONE: Final = Jobs()


class MatchError(RuntimeError):
    """A game that cannot be played to its end: an illegal answer, an agent that cannot be made, a process that died."""


@contextmanager
def _making() -> Iterator[None]:
    """MatchError for agents that were there when the tournament began: a file is gone, a process does not know them."""
    try:
        yield
    except ValueError as error:
        raise MatchError(f"an agent cannot be made any more: {error}") from error


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch, where agents have loaded it, work in one thread, as in other processes: for so few rows several are in
    each other's way, most of all on a machine that is busy."""
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


class Arena:
    """Where games are played in one process: it keeps games, and an agent of each text.

    Agents that do not answer for many games are made anew for each one, with the seed of their seat.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._games: dict[int, Game] = {}
        self._agents: dict[int, dict[str, Agent]] = {}
        self._warm: set[tuple[int, str]] = set()
        self._paced: set[tuple[int, str]] = set()

    def game(self, players: int) -> Game:
        """The game for a number of players."""
        if players not in self._games:
            self._games[players] = self.setup.game_of(players)
        return self._games[players]

    def agents(self, players: int) -> dict[str, Agent]:
        """An agent of each text, in ascending order, of seed 0.

        Raises:
            AgentError: a text that is no agent of this game.
        """
        if players not in self._agents:
            game = self.game(players)
            self._agents[players] = {text: make(text, game) for text in sorted(self.setup.agents)}
        return self._agents[players]

    def fingerprints(self, players: int) -> dict[str, str]:
        """What plays under each agent's text: the first 16 digits of `Agent.fingerprint`.

        Raises:
            AgentError: a text that is no agent of this game.
        """
        game = self.game(players)
        return {text: make(text, game).fingerprint[:16] for text in sorted(self.setup.agents)}

    def _together(self, match: Match) -> int:
        """How many games such as this one are a task: of compiled policies, of agents that answer for many, others."""
        agents = self.agents(len(match.agents))
        if all(agents[text].compiled is not None for text in match.agents):
            return CHUNK
        return SIDE_BY_SIDE if all(agents[text].batched for text in match.agents) else 1

    def batches(self, matches: Iterable[Match]) -> list[tuple[Match, ...]]:
        """Tasks for `play`: games that are played together, and those that are played alone."""
        tasks: list[tuple[Match, ...]] = []
        gathered: dict[tuple[int, int], list[Match]] = {}
        for match in matches:
            size = self._together(match)
            waiting = gathered.setdefault((len(match.agents), size), [])
            waiting.append(match)
            if len(waiting) == size:
                tasks.append(tuple(gathered.pop((len(match.agents), size))))
        return tasks + [tuple(waiting) for waiting in gathered.values()]

    def play(self, matches: Sequence[Match]) -> tuple[list[Played], list[Pace]]:
        """Play one of the tasks of `batches`.

        How long agents take whose games are played together is measured with `Agent.act`, as with all others, in one
        game beside the first task of each.

        Raises:
            MatchError: an illegal answer, the message names agent and game; or an agent that cannot be made here.
        """
        with _making():
            size = self._together(matches[0])
        with one_thread():
            if size == 1:
                states, decisions, paces = self.play_asked(matches[0])
                return self._played(matches, states, np.array([decisions])), paces
            states, lengths = self._play_compiled(matches) if size == CHUNK else self._play_side_by_side(matches)
            paces = [pace for match in self._samples(matches) for pace in self.play_asked(match)[2]]
        return self._played(matches, states, lengths), paces

    def _play_compiled(self, matches: Sequence[Match]) -> tuple[States, npt.NDArray[Any]]:
        """Final states (n,) and numbers of decisions (n,) of games of compiled policies."""
        players = len(matches[0].agents)
        policies: dict[str, Policy] = {
            text: agent.compiled for text, agent in self.agents(players).items() if agent.compiled is not None
        }
        numbers = {text: i for i, text in enumerate(policies)}
        seeds = [deal_seed(self.setup.seed, match.deal) for match in matches]
        seats = [[numbers[text] for text in match.agents] for match in matches]
        states = np.zeros(len(matches), dtype=self.game(players).dtype)
        try:
            played = play_games(self.game(players), list(policies.values()), seeds, seats, ends=states)
        except RuntimeError as error:
            raise MatchError(str(error)) from error
        return states, played.lengths

    def _play_side_by_side(self, matches: Sequence[Match]) -> tuple[States, npt.NDArray[Any]]:
        """The same of games in which every agent answers for all that wait for it at a time."""
        players = len(matches[0].agents)
        agents = list(self.agents(players).values())
        numbers = {text: i for i, text in enumerate(self.agents(players))}
        seeds = [deal_seed(self.setup.seed, match.deal) for match in matches]
        own = np.array([[agent_seed(seed, seat) for seat in range(players)] for seed in seeds])
        seated = np.array([[numbers[text] for text in match.agents] for match in matches])
        env = BatchEnv(self.game(players), len(matches), autoreset_mode="disabled")
        env.reset(seed=seeds)
        answers = np.zeros(len(matches), dtype=np.int64)
        while len(waiting := np.flatnonzero(env.current_player >= 0)):
            movers = env.current_player[waiting]
            asked = seated[waiting, movers]
            for number in np.unique(asked):
                rows = waiting[asked == number]
                views = env.views(rows)
                answers[rows] = given = _answers(agents[number], views, own[rows, views.players])
                legal = _legal(given, views)
                if not legal.all():
                    row = int(rows[bad := int(np.flatnonzero(~legal)[0])])
                    raise self._illegal(matches[row], int(views.players[bad]), int(given[bad]), int(env.lengths[row]))
            env.step(answers)
        return env.states, env.last_lengths

    def play_asked(self, match: Match) -> tuple[States, int, list[Pace]]:
        """One game in which every decision is asked with `Agent.act` (or `act_on_truth` of agents that cheat).

        Returns:
            the final state (1,); the number of decisions; each agent's pace, without its first decision in this
            process, in which something may have been compiled or loaded.
        """
        players, seed = len(match.agents), deal_seed(self.setup.seed, match.deal)
        game = self.game(players)
        with _making():
            seats: list[Agent] = [make(text, game, agent_seed(seed, seat)) for seat, text in enumerate(match.agents)]
        states = game.new_states(seed)
        timed: dict[str, tuple[int, float]] = {}
        decisions = 0
        while (seat := int(states["current_player"][0])) >= 0:
            agent, text, view = seats[seat], match.agents[seat], View(game, states, 0, seat)
            truth = copied(states) if agent.cheats else states
            begun = time.perf_counter()
            action = int(agent.act_on_truth(truth, 0) if agent.cheats else agent.act(view))
            spent = time.perf_counter() - begun
            if not 0 <= action < len(view.action_mask) or not view.action_mask[action]:
                raise self._illegal(match, seat, action, decisions)
            if (players, text) in self._warm:
                count, seconds = timed.get(text, (0, 0.0))
                timed[text] = (count + 1, seconds + spent)
            self._warm.add((players, text))
            game.kernel.step(game.constants, states, 0, action)
            decisions += 1
        paces = [Pace(players, text, count, seconds) for text, (count, seconds) in sorted(timed.items())]
        return states, decisions, paces

    def _illegal(self, match: Match, seat: int, action: int, decision: int) -> MatchError:
        return MatchError(
            f"agent {match.agents[seat]!r} answered with the illegal action {action} on seat {seat} in decision "
            f"{decision} of the game with seed {deal_seed(self.setup.seed, match.deal)} ({', '.join(match.agents)})"
        )

    def _samples(self, matches: Sequence[Match]) -> list[Match]:
        """A few games in which every agent sits somewhere whose pace has not been measured in this process."""
        samples = []
        for match in matches:
            seated = {(len(match.agents), text) for text in match.agents}
            if not seated <= self._paced:
                self._paced |= seated
                samples.append(match)
        return samples

    def _played(self, matches: Sequence[Match], states: States, decisions: npt.NDArray[Any]) -> list[Played]:
        game = self.game(len(matches[0].agents))
        sources = game.points_by_source(states).tolist()
        return [
            Played(
                match,
                deal_seed(self.setup.seed, match.deal),
                tuple(game.totals(states, row).tolist()),
                tuple(game.places(states, row).tolist()),
                int(decisions[row]),
                tuple(tuple(points) for points in sources[row]) if game.point_sources else (),
            )
            for row, match in enumerate(matches)
        ]


def _answers(agent: Agent, views: BatchView, seeds: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """What an agent answers for many games; MatchError unless that is one integer for each."""
    given = np.asarray(agent.act_seeded(views, seeds))
    if given.shape != seeds.shape or given.dtype.kind not in "iu":
        raise MatchError(f"agent {agent.name!r}: expected {len(seeds)} integer ids, not {given.dtype} {given.shape}")
    return given


def _legal(answers: npt.NDArray[Any], views: BatchView) -> npt.NDArray[np.bool_]:
    """Whether each answer (k,) is a legal action."""
    known = (answers >= 0) & (answers < views.action_masks.shape[1])
    legal: npt.NDArray[np.bool_] = known & (views.action_masks[np.arange(len(answers)), answers * known] != 0)
    return legal


def play_all(
    arena: Arena,
    tasks: Sequence[Sequence[Match]],
    jobs: Jobs = ONE,
    elsewhere: Callable[[], Arena] | None = None,
) -> Iterator[tuple[list[Played], list[Pace]]]:
    """Play the tasks of `Arena.batches`; results come as they are ready, with several jobs in any order.

    With one job, or where there is but one task for several processes, in this process; else in new ones, which begin
    without what this one has loaded: agents have to be registered by modules that `Setup` names.

    Args:
        arena: of this process.
        tasks: what is played.
        jobs: where.
        elsewhere: the arena of another process, a function of a module; by default one of the same setup.

    Raises:
        MatchError: as of `Arena.play`, or a process died; tasks that have not begun are not played any more.
    """
    asked = replace(jobs, count=min(jobs.count, max(1, len(tasks))))
    here = not asked.ray and asked.count == 1
    try:
        with asked.executor((lambda: arena) if here else elsewhere or partial(Arena, arena.setup)) as executor:
            for _, played in executor.spread(Arena.play, tasks):
                yield played
    except WorkerError as error:
        raise MatchError(str(error)) from error
