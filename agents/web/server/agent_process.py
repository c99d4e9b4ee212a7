"""Agents of an import path: a process of their own, which is killed where it does not answer in time."""

from __future__ import annotations

import asyncio
import fcntl
import multiprocessing
import os
import signal
import sys
import traceback
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.registry import AgentError, make
from agents.web.server.threads import WorkError
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import make_game

#: Seconds for a process to start and to load a game whose code is compiled.
_LOADING: Final = 120.0


class AgentProcess:
    """The process of one agent string, with an agent for each game and number of players.

    It starts at the first question, and again after its end. It ends with this process, even if that is killed. Its
    agents cannot use `multiprocessing`, whose processes would stay behind.

    Args:
        text: the agent string.
        seed: of its agents.
        patience: seconds for an answer, the constructor included.

    Attributes:
        turn: held during a question.
    """

    compiled = None

    def __init__(self, text: str, seed: int, patience: float) -> None:
        self.turn = asyncio.Lock()
        self._arguments, self._patience = (text, seed), patience
        self._kill: Callable[[], Any] | None = None

    def make(self, game: Game) -> None:
        """Make the agent of a game. Raises AgentError, and what `act` raises."""
        self._ask(game)

    def act(self, view: View) -> int:
        """Return the agent's action. Raises WorkError for an exception or the end of the process, and TimeoutError."""
        return int(self._ask(view.game, Agent.act.__name__, view.player, view.state.tobytes()))

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        """Return the agent's estimate. Raises what `act` raises."""
        policy, results = self._ask(view.game, Agent.estimate.__name__, view.player, view.state.tobytes())
        return policy, results

    def _ask(self, game: Game, *question: object) -> Any:
        if self._kill is None:
            self._start()
        try:
            self._pipe.send((game.name, game.num_players, *question))
            self._receive(_LOADING)
            answer, error = self._receive(self._patience)
        except (EOFError, OSError) as error:
            assert self._kill is not None
            self._kill()
            self._kill = None
            self._process.join()
            if isinstance(error, TimeoutError):
                raise
            raise WorkError(f"the agent's process has ended with exit code {self._process.exitcode}") from error
        if error is not None:
            raise error
        return answer

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._arguments), daemon=True)
        self._process.start()
        theirs.close()
        self._kill = weakref.finalize(self, self._process.kill)

    def _receive(self, seconds: float) -> Any:
        if not self._pipe.poll(seconds):
            raise TimeoutError(f"no answer within {seconds:g} s")
        return self._pipe.recv()


def _serve(pipe: Connection, text: str, seed: int) -> None:
    """Answer the questions of an `AgentProcess`, until it closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    agents: dict[Game, Agent] = {}
    with suppress(EOFError):
        while True:
            name, players, *question = pipe.recv()
            game = load_game(name, players)
            # The agent's time begins.
            pipe.send(None)
            pipe.send(_answer(agents, game, text, seed, *question))


def _answer(
    agents: dict[Game, Agent], game: Game, text: str, seed: int, method: str = "", player: int = 0, state: bytes = b""
) -> tuple[Any, Exception | None]:
    """Return an agent's answer and None, or None and an exception."""
    try:
        if game not in agents:
            agents[game] = make(text, game, seed)
            limit_torch()
        view = View(game, np.frombuffer(state, game.dtype), 0, player) if state else None
        return (getattr(agents[game], method)(view) if method else None), None
    except AgentError as error:
        return None, AgentError(str(error))
    except BaseException:
        return None, WorkError(traceback.format_exc())


def _end_with_parent() -> None:
    """End this process with its parent, also inside compiled code, which no thread of Python interrupts."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    # The end of this pipe raises SIGIO, which ends a process by default.
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, os.O_ASYNC)
    if not parent.is_alive():
        sys.exit()


@cache
def game_of(name: str, players: int) -> Game:
    """Return the one game of this name and number of players, for agents and tables."""
    return make_game(name, players)


def load_game(name: str, players: int) -> Game:
    """Return a game after use of its first position, which loads its compiled code."""
    game = game_of(name, players)
    State(game, game.new_states(0)).view().sample(0)
    return game


def limit_torch() -> None:
    """Let torch, once it is loaded, use one thread: more would compete with those of other agents."""
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(1)
