"""Seats for OpenEnv: an environment behind its server, with typed actions, observations and states.

A session plays all live seats of a table in turn, or one of them: other sessions join by the table's `episode_id`.  The
id is secret and outlives a lost connection.  Needs the package openenv 0.10 or newer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, Final
from uuid import uuid4

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import Field

from agents.seats.local import LIVE, TERMS, LocalTable, Reply, Terms
from porta_nigra_env.core.game.game import new_seed
from porta_nigra_env.games import DEFAULT_GAME, make_game

#: Tables that are kept; a new one replaces the oldest.
KEPT: Final = 1000
#: Seconds that a step waits for the turn of its seat, unless the client says otherwise.
WAIT: Final = 30.0
#: Guards all tables, since each session has a thread; woken after each answer.
_TURN: Final = threading.Condition()
_TABLES: Final[dict[str, LocalTable]] = {}


class SeatAction(Action):  # type: ignore[misc]
    """An answer of a seat."""

    answer: str = Field(description="an action id, an action string, or a text that ends with one of them")


class SeatObservation(Observation):  # type: ignore[misc]
    """View of the seat to move; `reward` is its result at the end, from the places."""

    seat: int = Field(-1, description="the seat to move; -1 at the end")
    text: str = Field("", description="events, board and legal actions, or the result")
    rules: str = Field("", description="the rules in short; only after a reset")
    refused: str = Field("", description="why the last answer was refused")
    legal_actions: dict[str, str] = Field(default_factory=dict, description="action strings by id")
    result: dict[str, Any] | None = Field(None, description="places, totals, points, returns and forfeits at the end")


class SeatState(State):  # type: ignore[misc]
    """Public facts of a table; the whole game at its end."""

    game: str = ""
    seats: list[str] = Field(default_factory=list)
    seat: int = Field(-1, description="the seat to move; -1 at the end")
    forfeits: dict[str, str] = Field(default_factory=dict)
    replay: dict[str, Any] | None = None


class SeatEnvironment(Environment):  # type: ignore[misc]
    """A session at a table."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._episode, self._seat = "", -1
        self._table: LocalTable | None = None

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        game: str = DEFAULT_GAME,
        seats: Sequence[str] = (LIVE, "builder"),
        seat: int = -1,
        retries: int = TERMS.retries,
        seconds: float | None = None,
        language: str = TERMS.language,
        fallback: str = TERMS.fallback,
        **kwargs: Any,
    ) -> SeatObservation:
        """Open a table, or join the one with this `episode_id` and its terms.

        A session for all seats opens a new table where the old one is finished.

        Args:
            seed: of the game; drawn if missing.
            seats: "live" or an agent string for each seat.
            seat: the live seat of this session; -1 for all live ones.
            retries, seconds, language, fallback: `agents.seats.local.Terms`.

        Raises:
            ValueError: an unknown argument, or a table or seat that cannot be used.
        """
        if kwargs:
            raise ValueError(f"reset has no argument {next(iter(kwargs))!r}")
        episode = episode_id or uuid4().hex
        with _TURN:
            table = _TABLES.get(episode)
            if table is None or (table.is_over and seat == -1):
                terms = Terms(retries=retries, seconds=seconds, language=language, fallback=fallback)
                table = LocalTable(make_game(game, len(seats)), seats, new_seed() if seed is None else seed, terms)
            if seat != -1 and seat not in table.live:
                raise ValueError(f"seat {seat} is not live; live are {table.live}")
            _TABLES[episode] = table
            if len(_TABLES) > KEPT:
                del _TABLES[next(iter(_TABLES))]
            self._episode, self._seat, self._table = episode, seat, table
        return self._observed(0.0, rules=table.rules())

    def step(self, action: SeatAction, timeout_s: float | None = None, **kwargs: Any) -> SeatObservation:
        """Answer, and wait for the next turn of the session's seat.

        At another seat's turn an answer is refused and not counted, so that an empty one only waits.
        """
        with _TURN:
            table = self._opened()
            reply = Reply(None) if table.is_over else table.act(self._mine(), action.answer)
            _TURN.notify_all()
        return self._observed(WAIT if timeout_s is None else timeout_s, refused=reply.reason)

    @property
    def state(self) -> SeatState:
        with _TURN:
            table = self._table
            if table is None:
                return SeatState()
            forfeits = {str(seat): why for seat, why in table.forfeits.items()}
            return SeatState(
                episode_id=self._episode, step_count=len(table.actions), game=table.game.name, seats=list(table.seats),
                seat=table.mover, forfeits=forfeits, replay=table.replay() if table.is_over else None,
            )  # fmt: skip

    def get_metadata(self) -> EnvironmentMetadata:
        """Return name and description."""
        return EnvironmentMetadata(name="board_games", description="Board games with hidden information, in texts")

    def _opened(self) -> LocalTable:
        if self._table is None:
            raise ValueError("call reset first")
        return self._table

    def _mine(self) -> int:
        """Return the seat of this session: its own one, or the seat to move."""
        table = self._opened()
        return self._seat if self._seat >= 0 else max(table.mover, table.live[0])

    def _observed(self, timeout: float, **more: str) -> SeatObservation:
        end = time.monotonic() + timeout
        with _TURN:
            table = self._opened()
            while not table.check_time() and table.mover not in (-1, self._mine()):
                if (left := end - time.monotonic()) <= 0:
                    break
                _TURN.wait(min(left, 1.0))  # a clock may run out in silence
            if table.is_over:
                result = table.result()
                reward = result.returns[self._seat if self._seat >= 0 else table.live[0]]
                return SeatObservation(done=True, reward=reward, text=table.report(), result=result.record(), **more)
            seat = self._mine()
            legal = {str(one): table.game.action_texts[one] for one in table.view(seat).legal_ids().tolist()}
            return SeatObservation(seat=table.mover, text=table.prompt(seat), legal_actions=legal, reward=0.0, **more)


def make_app(sessions: int = 64) -> Any:
    """Return the server; sessions: the most at once."""
    return create_app(
        SeatEnvironment, SeatAction, SeatObservation, env_name="board_games", max_concurrent_envs=sessions,
        state_cls=SeatState,
    )  # fmt: skip
