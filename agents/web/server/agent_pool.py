"""The agents of a server: made once for each game and number of players, asked one decision at a time.

They get the `View` of the seat that decides and nothing else.  What they need (torch, networks, compiled searches) is
loaded by threads of their own, after the server has begun to answer.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from agents.agent import Agent
from agents.registry import AgentError, make, parse
from agents.web.server.threads import Workers
from porta_nigra_env.core.game.game import Game, check_seats, new_seed
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import game_class, make_game

#: Threads that make agents, beside those that think: importing waits for nobody's search.
_MAKERS: Final = 1


class Estimate(NamedTuple):
    """Actions with their probabilities, best first; win shares by seat, None where the agent has none."""

    actions: list[tuple[int, float]]
    values: list[float] | None


class _Player:
    """An agent, one decision at a time; quick: whether it is compiled and its code is in memory."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.turn = agent, asyncio.Lock()
        self.quick = False

    def act(self, view: View) -> int:
        """Its decision."""
        action = int(self.agent.act(view))
        self.quick = self.agent.compiled is not None
        return action


class Players:
    """What a server offers.

    Args:
        games: names of the games.
        texts: agents that may be seated.
        analyst: the agent that is asked for hints; None for none.
        threads: decisions that are thought about at the same time, each by another agent: one of the same text, game
            and number of players has one after the other.
    """

    def __init__(
        self, games: Sequence[str], texts: Sequence[str], analyst: str | None = None, threads: int = 2
    ) -> None:
        self.games, self.texts, self.analyst = tuple(games), tuple(texts), analyst
        self._thinking, self._making = Workers(threads), Workers(_MAKERS)
        self._seed = new_seed() >> 1
        self._games: dict[tuple[str, int], asyncio.Task[Game]] = {}
        # The analyst has players of its own: who waits for a hint is in nobody's way.
        self._players: dict[tuple[str, str, int, bool], asyncio.Task[_Player | str]] = {}

    def check(self) -> None:
        """AgentError, a ValueError, for a text that no agent has."""
        for text in (*self.texts, *([] if self.analyst is None else [self.analyst])):
            parse(text)

    async def load(self) -> None:
        """Make everything that is offered, and say which agents play nothing here."""
        await self.offered()
        asked = [(text, False) for text in self.texts] + ([] if self.analyst is None else [(self.analyst, True)])
        for text, analysing in asked:
            why = [await self.why_not(text, name, players, analysing) for name, players in self._everything()]
            if all(why):
                print(f"{text!r} plays nothing that is offered here: {why[0]}", file=sys.stderr, flush=True)
        if "torch" in sys.modules:
            import torch

            # Each thread thinks alone: more of torch's own would be in the way of the others.
            torch.set_num_threads(1)
        for name, players in self._everything():
            await self.game(name, players)

    async def offered(self) -> dict[str, dict[str, dict[str, list[str] | str]]]:
        """What `GET api/agents` answers: texts by game and number of players."""
        agents: dict[str, dict[str, list[str] | str]] = {}
        analysis: dict[str, dict[str, list[str] | str]] = {}
        for name, players in self._everything():
            playing = [text for text in self.texts if not await self.why_not(text, name, players)]
            agents.setdefault(name, {})[str(players)] = playing
            if (analyst := await self.analyst_of(name, players)) is not None:
                analysis.setdefault(name, {})[str(players)] = analyst
        return {"agents": agents, "analysis": analysis}

    async def game(self, name: str, players: int) -> Game:
        """A game with its compiled code loaded; ValueError for one that is not offered."""
        if name not in self.games:
            raise ValueError(f"game: {name!r} is not offered here; {', '.join(self.games)}")
        check_seats(players, game_class(name).seats)
        key = name, players
        if key not in self._games:
            self._games[key] = asyncio.ensure_future(self._making.do(lambda: _loaded(name, players)))
        return await asyncio.shield(self._games[key])

    async def why_not(self, text: str, game: str, players: int, analysing: bool = False) -> str:
        """Why an agent does not play a game, or does not give hints there if `analysing`; "" if it does."""
        found = await self._player(text, game, players, analysing)
        return found if isinstance(found, str) else ""

    async def analyst_of(self, game: str, players: int) -> str | None:
        """The agent that gives hints in a game, None where there is none."""
        if self.analyst is None or await self.why_not(self.analyst, game, players, analysing=True):
            return None
        return self.analyst

    async def act(self, text: str, view: View) -> int:
        """An agent's decision; whatever it raises."""
        player = await self._asked(text, view.game)
        if player.quick and not player.turn.locked():
            # It answers sooner than a thread could be asked.
            return player.act(view)
        async with player.turn:
            return await self._thinking.do(lambda: player.act(view))

    async def judge(self, view: View) -> Estimate:
        """What the analyst thinks of a decision; whatever it raises."""
        assert self.analyst is not None
        player = await self._asked(self.analyst, view.game, analysing=True)
        async with player.turn:
            return await self._thinking.do(lambda: _judged(player.agent, view))

    def _everything(self) -> list[tuple[str, int]]:
        """Games with numbers of players."""
        return [(name, players) for name in self.games for players in game_class(name).seats]

    async def _asked(self, text: str, game: Game, analysing: bool = False) -> _Player:
        found = await self._player(text, game.name, game.num_players, analysing)
        if isinstance(found, str):
            raise AgentError(found)
        return found

    async def _player(self, text: str, name: str, players: int, analysing: bool) -> _Player | str:
        if text not in ((self.analyst,) if analysing else self.texts):
            return f"the agent {text!r} is not offered here; {', '.join(self.texts) or 'none is'}"
        key = text, name, players, analysing
        if key not in self._players:
            self._players[key] = asyncio.ensure_future(self._made(text, name, players))
        return await asyncio.shield(self._players[key])

    async def _made(self, text: str, name: str, players: int) -> _Player | str:
        """An agent; a text where it does not play this."""
        try:
            agent = await self._making.do(lambda: make(text, _game(name, players), self._seed))
        except AgentError as error:
            return str(error)
        except Exception:  # whatever somebody's own agent does when it is made
            print(f"the agent {text!r} could not be made\n{traceback.format_exc()}", file=sys.stderr, flush=True)
            return f"the agent {text!r} could not be made; whoever runs the server is told why"
        if agent.cheats:
            return f"the agent {text!r} cheats: it does not play with people"
        return _Player(agent)


@cache
def _game(name: str, players: int) -> Game:
    """The one game of this name and number of players, for agents and tables."""
    return make_game(name, players)


def _loaded(name: str, players: int) -> Game:
    """A game after a look at its first position, with which its compiled code comes into memory."""
    game = _game(name, players)
    state = State(game, game.new_states(0))
    state.view().sample(0)
    return game


def _judged(agent: Agent, view: View) -> Estimate:
    policy, results = agent.estimate(view)
    order = np.argsort(-policy, kind="stable")
    actions = [(int(action), round(float(policy[action]), 6)) for action in order if view.action_mask[action]]
    return Estimate(actions, None if results is None else win_shares(results))


def win_shares(results: np.typing.ArrayLike) -> list[float]:
    """Results of all seats in -1..1 (`core.game.results.outcome_returns`) as shares of the win, which add up to one."""
    found = np.asarray(results, dtype=np.float64)
    shares = np.clip((found * (len(found) - 1) + 1) / len(found), 0.0, 1.0)
    whole = shares.sum()
    even = np.full(len(found), 1 / len(found))
    return [round(float(share), 6) for share in (shares / whole if whole > 0 else even)]
