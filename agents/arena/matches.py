"""Games between agents: who meets whom, on which cards, and the playing itself, in one process or in several.

A *deal* is a game seed.  Every lineup plays every deal in all rotations of its seats, so that each agent has had each
seat with the same cards: the random streams of a game do not depend on what anybody decides.  All lineups of a number
of players share the deals.  A game is a function of its deal and of who sits where; it does not matter in which
process it is played, or after which other games.

Lineups whose agents are all compiled policies are played inside compiled code.  There a policy takes its chance from
the chance of the game, which the deal seeds; everywhere else agents are asked with `Agent.act`, and chance comes from
their own seed (`agent_seed`) and the view.  Both are fixed by the deal, but they are not the same games.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.registry import make
from porta_nigra_env.core.game import Game, States, copied
from porta_nigra_env.core.policy import Policy
from porta_nigra_env.core.rng import later_seed
from porta_nigra_env.core.view import View
from porta_nigra_env.envs.play import play_games

#: Games of compiled policies in one task; a progress bar moves by so many.
CHUNK: Final = 1000


class MatchError(RuntimeError):
    """A game that cannot be played to its end: an illegal answer, an agent that cannot be made, a process that died."""


@dataclass(frozen=True)
class Setup:
    """What games are played; it is sent to other processes, so its functions have to be those of modules.

    Attributes:
        game_of: the game for a number of players.
        agents: texts of `agents.registry`, all different.
        seed: the deals follow from it (`deal_seed`).
    """

    game_of: Callable[[int], Game]
    agents: tuple[str, ...]
    seed: int = 0


@dataclass(frozen=True)
class Match:
    """A game to be played: the number of its deal, and the agents by seat."""

    deal: int
    agents: tuple[str, ...]


@dataclass(frozen=True)
class Played:
    """A game that has been played.

    Attributes:
        match: which one.
        seed: of the deal.
        scores: final totals by seat.
        places: final places by seat, 1 for the first, equal ones shared.
        decisions: made by all players together.
        sources: points by seat and source (`Game.point_sources`); empty for games without.
    """

    match: Match
    seed: int
    scores: tuple[int, ...]
    places: tuple[int, ...]
    decisions: int
    sources: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Pace:
    """Time for decisions: so many of them took `agent` so many seconds of wall clock in games of `players`."""

    players: int
    agent: str
    decisions: int
    seconds: float


def lineups(agents: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """All selections of `players` seats with as many different agents as there can be.

    Two agents at three seats make AAB and ABB, three at two make AB, AC and BC.  The agents' order does not matter.
    """
    different = min(len(agents), players)
    seatings = itertools.combinations_with_replacement(sorted(agents), players)
    return [one for one in seatings if len(set(one)) == different]


def rotations(lineup: Sequence[str]) -> list[tuple[str, ...]]:
    """The same order around the table, begun at each of its seats.

    Each stands there once: in an order that repeats itself, as AA does, several seats begin the same game.
    """
    return list(dict.fromkeys(tuple(lineup[seat:]) + tuple(lineup[:seat]) for seat in range(len(lineup))))


def deal_seed(seed: int, deal: int) -> int:
    """The game seed of a deal of the tournament `seed`."""
    return int(later_seed(seed, deal + 1))


def agent_seed(deal: int, seat: int) -> int:
    """The seed of the agent on a seat in the game with the seed `deal`."""
    return int(np.random.SeedSequence([deal, seat]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def schedule(agents: Sequence[str], players: int, games: int) -> list[Match]:
    """All games of a number of players, deal by deal; each lineup plays at least `games`, in whole deals."""
    tables = [seats for lineup in lineups(agents, players) for seats in rotations(lineup)]
    return [Match(deal, seats) for deal in range(-(-games // players)) for seats in tables]


@contextmanager
def _making() -> Iterator[None]:
    """MatchError for agents that were there when the tournament began: a file is gone, a process does not know them."""
    try:
        yield
    except ValueError as error:
        raise MatchError(f"an agent cannot be made any more: {error}") from error


class Arena:
    """Where games are played in one process: it keeps games and compiled policies.

    Agents that are no compiled policies are made anew for each game, with the seed of their seat.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._games: dict[int, Game] = {}
        self._policies: dict[int, dict[str, Policy]] = {}
        self._warm: set[tuple[int, str]] = set()

    def game(self, players: int) -> Game:
        """The game for a number of players."""
        if players not in self._games:
            self._games[players] = self.setup.game_of(players)
        return self._games[players]

    def policies(self, players: int) -> dict[str, Policy]:
        """The agents that are compiled policies, by their texts in ascending order.

        Raises:
            AgentError: a text that is no agent of this game.
        """
        if players not in self._policies:
            made = {text: make(text, self.game(players)).compiled for text in sorted(self.setup.agents)}
            self._policies[players] = {text: policy for text, policy in made.items() if policy is not None}
        return self._policies[players]

    def fingerprints(self, players: int) -> dict[str, str]:
        """What plays under each agent's text: the first 16 digits of `Agent.fingerprint`.

        Raises:
            AgentError: a text that is no agent of this game.
        """
        game = self.game(players)
        return {text: make(text, game).fingerprint[:16] for text in sorted(self.setup.agents)}

    def batches(self, matches: Iterable[Match]) -> list[tuple[Match, ...]]:
        """Tasks for `play`: games of compiled policies `CHUNK` at a time, others one by one."""
        tasks: list[tuple[Match, ...]] = []
        fast: dict[int, list[Match]] = {}
        for match in matches:
            players = len(match.agents)
            if set(match.agents) <= self.policies(players).keys():
                waiting = fast.setdefault(players, [])
                waiting.append(match)
                if len(waiting) == CHUNK:
                    tasks.append(tuple(fast.pop(players)))
            else:
                tasks.append((match,))
        return tasks + [tuple(waiting) for waiting in fast.values()]

    def play(self, matches: Sequence[Match]) -> tuple[list[Played], list[Pace]]:
        """Play one of the tasks of `batches`.

        How long compiled policies take is measured with `Agent.act`, as with all others, in one game beside the task.

        Raises:
            MatchError: an illegal answer, the message names agent and game; or an agent that cannot be made here.
        """
        players = len(matches[0].agents)
        with _making():
            policies = self.policies(players)
        if len(matches) == 1 and not set(matches[0].agents) <= policies.keys():
            states, decisions, paces = self.play_asked(matches[0])
            return self._played(matches, states, np.array([decisions])), paces
        numbers = {text: i for i, text in enumerate(policies)}
        seeds = [deal_seed(self.setup.seed, match.deal) for match in matches]
        seats = [[numbers[text] for text in match.agents] for match in matches]
        states = np.zeros(len(matches), dtype=self.game(players).dtype)
        try:
            lengths = play_games(self.game(players), list(policies.values()), seeds, seats, ends=states).lengths
        except RuntimeError as error:
            raise MatchError(str(error)) from error
        paces = [pace for match in self._samples(matches) for pace in self.play_asked(match)[2]]
        return self._played(matches, states, lengths), paces

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
                raise MatchError(
                    f"agent {text!r} answered with the illegal action {action} on seat {seat} "
                    f"in decision {decisions} of the game with seed {seed} ({', '.join(match.agents)})"
                )
            if (players, text) in self._warm:
                count, seconds = timed.get(text, (0, 0.0))
                timed[text] = (count + 1, seconds + spent)
            self._warm.add((players, text))
            game.kernel.step(game.tables, states, 0, action)
            decisions += 1
        paces = [Pace(players, text, count, seconds) for text, (count, seconds) in sorted(timed.items())]
        return states, decisions, paces

    @staticmethod
    def _samples(matches: Sequence[Match]) -> list[Match]:
        """A few games in which every agent sits somewhere."""
        seen: set[str] = set()
        samples = []
        for match in matches:
            if not set(match.agents) <= seen:
                seen.update(match.agents)
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


#: The arena of a worker process.
_arena: Arena | None = None


def _enter(setup: Setup) -> None:
    global _arena
    # An interrupt from the keyboard reaches all processes; this one has nothing to say about it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    _arena = Arena(setup)


def _leave_with_parent() -> None:
    """End this process when the one that started it is killed: it would wait for tasks for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(matches: Sequence[Match]) -> tuple[list[Played], list[Pace]]:
    assert _arena is not None
    return _arena.play(matches)


def play_all(
    arena: Arena, tasks: Sequence[Sequence[Match]], jobs: int = 1
) -> Iterator[tuple[list[Played], list[Pace]]]:
    """Play the tasks of `Arena.batches`; results come as they are ready, with several jobs in any order.

    With one job in this process, else in so many new ones (of the kind `spawn`, which begin without what this one has
    loaded: agents have to be registered by modules that `Setup` names).

    Raises:
        MatchError: as of `Arena.play`, or a process died; tasks that have not begun are not played any more.
    """
    if jobs == 1 or len(tasks) < 2:
        for task in tasks:
            yield arena.play(task)
        return
    context = multiprocessing.get_context("spawn")
    waiting = iter(tasks)
    with ProcessPoolExecutor(min(jobs, len(tasks)), context, _enter, (arena.setup,)) as pool:
        running: set[Future[tuple[list[Played], list[Pace]]]] = set()
        try:
            while True:
                # Two tasks for each worker are enough to keep it busy, and few enough to stop soon.
                running.update(pool.submit(_work, task) for task in itertools.islice(waiting, 2 * jobs - len(running)))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                # What has been played is handed out before an error ends it all.
                for future in sorted(done, key=lambda one: one.exception() is not None):
                    yield future.result()
        except BrokenProcessPool as error:
            raise MatchError("a process that played has died, for want of memory perhaps") from error
        finally:
            pool.shutdown(cancel_futures=True)
