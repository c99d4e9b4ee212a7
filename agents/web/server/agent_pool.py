"""The agents of a server: made once for each game and number of players, asked for one decision at a time.

Agents get the `View` of their seat and nothing else. Agents of the registry compute in threads, and load their
requirements (torch, networks, compiled searches) there. Those of import paths have a process each.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeVar

import numpy as np

from agents.agent import Agent
from agents.registry import AgentError, entries, make, parse
from agents.seats.terms import TERMS
from agents.web.server.agent_process import AgentProcess, game_of, limit_torch, load_game
from agents.web.server.limits import Work
from agents.web.server.threads import in_thread
from porta_nigra_env.core.game.game import Game, check_seats, new_seed
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import game_class

#: Seconds after which an agent that does not answer has failed. A first answer may compile code.
PATIENCE: Final = 120.0
#: The agent that may play forfeited seats even where it is not offered.
FALLBACK: Final = TERMS.fallback
T = TypeVar("T")


class Estimate(NamedTuple):
    """An agent's policy, best action first, and its win shares by seat; None if it has no values."""

    actions: list[tuple[int, float]]
    values: list[float] | None


class _LoadedAgent:
    """An agent with the lock of its turns.

    Attributes:
        quick: whether it is compiled, and its code is in memory.
        late: whether a thread still computes an answer after its time has passed.
    """

    def __init__(self, agent: Agent | AgentProcess) -> None:
        self.agent = agent
        self.turn = agent.turn if isinstance(agent, AgentProcess) else asyncio.Lock()
        self.quick = self.late = False

    def end_turn(self) -> None:
        self.late = False
        self.turn.release()

    def act(self, view: View) -> int:
        action = int(self.agent.act(view))
        self.quick = self.agent.compiled is not None
        return action

    def estimate(self, view: View) -> Estimate:
        policy, results = self.agent.estimate(view)
        order = np.argsort(-policy, kind="stable")
        actions = [(int(action), round(float(policy[action]), 6)) for action in order if view.action_mask[action]]
        return Estimate(actions, None if results is None else win_shares(results))


class AgentPool:
    """The games and agents of a server.

    Args:
        games: names of the games.
        texts: strings of the agents that may be seated.
        analyst: string of the agent that gives hints; None for none.
        threads: number of decisions that different agents may compute at the same time.
        patience: seconds after which an agent that is asked has failed; for one of an import path, also while it is
            made.
    """

    def __init__(
        self, games: Sequence[str], texts: Sequence[str], analyst: str | None = None, threads: int = 2,
        patience: float = PATIENCE,
    ) -> None:  # fmt: skip
        self.games, self.texts, self.analyst = tuple(games), tuple(texts), analyst
        # Imports and compilation do not wait for searches, nor games for the constructors of agents.
        self._thinking, self._making, self._loading = asyncio.Semaphore(threads), asyncio.Lock(), asyncio.Lock()
        self._patience = patience
        self._seed = new_seed() >> 1
        self._games: dict[tuple[str, int], asyncio.Task[Game]] = {}
        self._processes: dict[tuple[str, bool], AgentProcess] = {}
        # The analyst has separate instances, so that hints do not delay decisions.
        self._agents: dict[tuple[str, str, int, bool], asyncio.Task[_LoadedAgent | str]] = {}
        #: Agents whose constructor hangs.
        self._hanging: dict[str, str] = {}

    def check(self) -> None:
        """Raise AgentError (a ValueError) for a string that names no agent."""
        for text in (*self.texts, *([] if self.analyst is None else [self.analyst])):
            parse(text)

    async def load(self) -> None:
        """Make all games and agents, and log agents that play none of the games."""
        await self.offered()
        asked = [(text, False) for text in self.texts] + ([] if self.analyst is None else [(self.analyst, True)])
        for text, analysing in asked:
            why = [await self.why_not(text, name, players, analysing) for name, players in self._variants()]
            if all(why):
                print(f"{text!r} plays no game of this server: {why[0]}", file=sys.stderr, flush=True)
        limit_torch()
        for name, players in self._variants():
            await self.game(name, players)

    async def offered(self) -> dict[str, dict[str, dict[str, list[str] | str]]]:
        """Return the answer to `GET api/agents`: agent strings by game and number of players."""
        agents: dict[str, dict[str, list[str] | str]] = {}
        analysis: dict[str, dict[str, list[str] | str]] = {}
        for name, players in self._variants():
            playing = [text for text in self.texts if not await self.why_not(text, name, players)]
            agents.setdefault(name, {})[str(players)] = playing
            if (analyst := await self.analyst_of(name, players)) is not None:
                analysis.setdefault(name, {})[str(players)] = analyst
        return {"agents": agents, "analysis": analysis}

    async def game(self, name: str, players: int) -> Game:
        """Return a game with its compiled code in memory. Raises ValueError for a game that is not offered."""
        if name not in self.games:
            raise ValueError(f"game: {name!r} is not offered here; {', '.join(self.games)}")
        check_seats(players, game_class(name).seats)
        key = name, players
        if key not in self._games:
            self._games[key] = asyncio.ensure_future(self._load(name, players))
        return await asyncio.shield(self._games[key])

    async def why_not(self, text: str, game: str, players: int, analysing: bool = False) -> str:
        """Return why an agent does not play a game, or give hints there; "" if it does."""
        if text not in ((self.analyst,) if analysing else self.texts):
            return self._missing(text)
        loaded = await self._agent(text, game, players, analysing)
        return loaded if isinstance(loaded, str) else ""

    async def analyst_of(self, game: str, players: int) -> str | None:
        """Return the agent that gives hints in a game, or None."""
        if self.analyst is None or await self.why_not(self.analyst, game, players, analysing=True):
            return None
        return self.analyst

    async def act(self, text: str, view: View, work: Work) -> int:
        """Return an agent's action. Raises the agent's exception, or TimeoutError.

        Args:
            work: the work for the address that made the agent move.
        """
        loaded = await self._agent(text, view.game.name, view.game.num_players, False)
        if isinstance(loaded, _LoadedAgent) and loaded.quick and not loaded.turn.locked():
            # A thread would take longer than a compiled agent.
            with work.measure():
                return loaded.act(view)
        async with work.searches:
            return await self._ask(text, view, False, _LoadedAgent.act)

    async def estimate(self, view: View, work: Work) -> Estimate:
        """Return the analyst's estimate of a decision. Raises its exception, or TimeoutError."""
        assert self.analyst is not None
        async with work.searches:
            return await self._ask(self.analyst, view, True, _LoadedAgent.estimate)

    def _variants(self) -> list[tuple[str, int]]:
        """Return the games with their numbers of players."""
        return [(name, players) for name in self.games for players in game_class(name).seats]

    async def _ask(self, text: str, view: View, analysing: bool, work: Callable[[_LoadedAgent, View], T]) -> T:
        """Run work with an agent that no other thread uses, until the thread has finished with it."""
        loaded = await self._agent(text, view.game.name, view.game.num_players, analysing)
        if isinstance(loaded, str):
            raise AgentError(loaded)
        if loaded.late:
            raise TimeoutError("the agent still computes an earlier answer")
        # A caller that is cancelled does not end the turn: the thread still uses the agent.
        return await asyncio.shield(asyncio.ensure_future(self._take_turn(loaded, partial(work, loaded, view))))

    async def _take_turn(self, loaded: _LoadedAgent, work: Callable[[], T]) -> T:
        await loaded.turn.acquire()
        async with self._thinking:
            answer = in_thread(work)
            answer.add_done_callback(lambda _: loaded.end_turn())
            # A process has its own limit.
            patience = None if isinstance(loaded.agent, AgentProcess) else self._patience
            if not (await asyncio.wait([answer], timeout=patience))[0]:
                loaded.late = True
                raise TimeoutError(f"no answer within {patience:g} s")
            return await answer

    async def _load(self, name: str, players: int) -> Game:
        async with self._loading:
            return await in_thread(lambda: load_game(name, players))

    async def _agent(self, text: str, name: str, players: int, analysing: bool) -> _LoadedAgent | str:
        """Return an agent, or the reason why it is missing."""
        if text not in ((self.analyst,) if analysing else (*self.texts, FALLBACK)):
            return self._missing(text)
        key = text, name, players, analysing
        if key not in self._agents:
            self._agents[key] = asyncio.ensure_future(self._make(*key))
        return await asyncio.shield(self._agents[key])

    def _missing(self, text: str) -> str:
        return f"the agent {text!r} is not offered here; {', '.join(self.texts) or 'there are no agents'}"

    async def _make(self, text: str, name: str, players: int, analysing: bool) -> _LoadedAgent | str:
        """Make an agent; return the reason where that fails."""
        if text in self._hanging:
            return self._hanging[text]
        try:
            if text.partition(":")[0] in entries():
                async with self._making:
                    return _LoadedAgent(await in_thread(lambda: make(text, game_of(name, players), self._seed)))
            key = text, analysing
            if key not in self._processes:
                self._processes[key] = AgentProcess(text, self._seed, self._patience)
            process, game = self._processes[key], await self.game(name, players)
            async with process.turn:
                await in_thread(lambda: process.make(game))
            return _LoadedAgent(process)
        except AgentError as error:
            return str(error)
        except Exception as error:
            print(f"the agent {text!r} could not be made\n{traceback.format_exc()}", file=sys.stderr, flush=True)
            reason = f"the agent {text!r} could not be made; the server's log says why"
            if isinstance(error, TimeoutError):
                self._hanging[text] = reason
            return reason


def win_shares(results: np.typing.ArrayLike) -> list[float]:
    """Turn results of all seats in -1..1 (`core.game.results.outcome_returns`) into shares that add up to 1."""
    values = np.asarray(results, dtype=np.float64)
    shares = np.clip((values * (len(values) - 1) + 1) / len(values), 0.0, 1.0)
    total = shares.sum()
    even = np.full(len(values), 1 / len(values))
    return [round(float(share), 6) for share in (shares / total if total > 0 else even)]
