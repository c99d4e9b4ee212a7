"""The agents of a server: made once for each game and number of players, asked one decision at a time.

They get the `View` of the seat that decides and nothing else.  What they need (torch, networks, compiled searches) is
loaded by threads of their own, after the server has begun to answer.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from agents.agent import Agent
from agents.registry import AgentError, make, parse
from agents.tables.workers import Workers
from porta_nigra_env.core.game import Game, check_seats, new_seed
from porta_nigra_env.core.state import State
from porta_nigra_env.core.view import View
from porta_nigra_env.games import game_class, make_game

#: Threads that make agents, beside those that think: importing waits for nobody's search.
_MAKERS: Final = 1


class Judgement(NamedTuple):
    """Actions with their probabilities, best first; win shares by seat, None where the agent has none."""

    actions: list[tuple[int, float]]
    values: list[float] | None


class _Player:
    """An agent, one decision at a time."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.turn = agent, asyncio.Lock()


class Players:
    """What a server offers.

    Args:
        games: names of the games.
        texts: agents that may be seated.
        analyst: the agent that is asked for hints; None for none.
        threads: decisions that are thought about at the same time.
    """

    def __init__(
        self, games: Sequence[str], texts: Sequence[str], analyst: str | None = None, threads: int = 2
    ) -> None:
        self.games, self.texts, self.analyst = tuple(games), tuple(texts), analyst
        self._thinking, self._making = Workers(threads), Workers(_MAKERS)
        self._seed = new_seed() >> 1
        self._games: dict[tuple[str, int], asyncio.Task[Game]] = {}
        self._players: dict[tuple[str, str, int], asyncio.Task[_Player | str]] = {}

    def check(self) -> None:
        """AgentError, a ValueError, for a text that no agent has."""
        for text in (*self.texts, *([] if self.analyst is None else [self.analyst])):
            parse(text)

    async def load(self) -> None:
        """Make everything that is offered, and say which agents play nothing here."""
        await self.offered()
        for text in self.texts:
            why = [await self.why_not(text, name, players) for name, players in self._everything()]
            if all(why):
                print(f"{text!r} plays nothing that is offered here: {why[0]}", file=sys.stderr, flush=True)
        if "torch" in sys.modules:
            import torch

            # Each thread thinks alone: more of torch's own would be in the way of the others.
            torch.set_num_threads(1)

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

    async def why_not(self, text: str, game: str, players: int) -> str:
        """Why an agent does not play a game; "" if it does."""
        found = await self._player(text, game, players)
        return found if isinstance(found, str) else ""

    async def analyst_of(self, game: str, players: int) -> str | None:
        """The agent that gives hints in a game, None where there is none."""
        if self.analyst is None or await self.why_not(self.analyst, game, players):
            return None
        return self.analyst

    async def act(self, text: str, view: View) -> int:
        """An agent's decision; whatever it raises."""
        player = await self._asked(text, view.game)
        if player.agent.compiled is not None:
            # It answers sooner than a thread could be asked.
            return int(player.agent.act(view))
        async with player.turn:
            return await self._thinking.do(lambda: int(player.agent.act(view)))

    async def judge(self, view: View) -> Judgement:
        """What the analyst thinks of a decision; whatever it raises."""
        assert self.analyst is not None
        player = await self._asked(self.analyst, view.game)
        async with player.turn:
            return await self._thinking.do(lambda: _judged(player.agent, view))

    def _everything(self) -> list[tuple[str, int]]:
        """Games with numbers of players."""
        return [(name, players) for name in self.games for players in game_class(name).seats]

    async def _asked(self, text: str, game: Game) -> _Player:
        found = await self._player(text, game.name, game.num_players)
        if isinstance(found, str):
            raise AgentError(found)
        return found

    async def _player(self, text: str, name: str, players: int) -> _Player | str:
        if text not in self.texts and text != self.analyst:
            return f"the agent {text!r} is not offered here; {', '.join(self.texts) or 'none is'}"
        key = text, name, players
        if key not in self._players:
            self._players[key] = asyncio.ensure_future(self._made(text, await self.game(name, players)))
        return await asyncio.shield(self._players[key])

    async def _made(self, text: str, game: Game) -> _Player | str:
        """An agent; a text where it does not play this."""
        try:
            agent = await self._making.do(lambda: _prepared(text, game, self._seed))
        except AgentError as error:
            return str(error)
        except Exception:  # whatever somebody's own agent does when it is made
            print(f"the agent {text!r} could not be made\n{traceback.format_exc()}", file=sys.stderr, flush=True)
            return f"the agent {text!r} could not be made; whoever runs the server is told why"
        if agent.cheats:
            return f"the agent {text!r} cheats: it does not play with people"
        return _Player(agent)


def _loaded(name: str, players: int) -> Game:
    """A game after a look at its first position, with which its compiled code comes into memory."""
    game = make_game(name, players)
    state = State(game, game.new_states(0))
    state.view().sample(0)
    return game


def _prepared(text: str, game: Game, seed: int) -> Agent:
    """An agent; one that is compiled has decided once, with which its code comes into memory."""
    agent = make(text, game, seed)
    if agent.compiled is not None:
        agent.act(State(game, game.new_states(0)).view())
    return agent


def _judged(agent: Agent, view: View) -> Judgement:
    policy, results = agent.judgement(view)
    order = np.argsort(-policy, kind="stable")
    actions = [(int(action), round(float(policy[action]), 6)) for action in order if view.action_mask[action]]
    return Judgement(actions, None if results is None else win_shares(results))


def win_shares(results: np.typing.ArrayLike) -> list[float]:
    """Results of all seats in -1..1 (`core.results.outcome_returns`) as shares of the win, which add up to one."""
    found = np.asarray(results, dtype=np.float64)
    shares = np.clip((found * (len(found) - 1) + 1) / len(found), 0.0, 1.0)
    whole = shares.sum()
    even = np.full(len(found), 1 / len(found))
    return [round(float(share), 6) for share in (shares / whole if whole > 0 else even)]
