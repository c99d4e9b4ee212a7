"""Seats for the library verifiers: a taskset of seeds, and an environment in which a model sits on each live seat.

All live seats are conversations of one episode.  A request has the rules as its system prompt and only the messages of
the present decision, so it stays short in long games.  Needs the package verifiers 0.4 or newer.
"""

from __future__ import annotations

import ssl
import sys
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from itertools import count, islice
from typing import Any, Final

import httpx
import verifiers.v1 as vf
from pydantic import Field, create_model
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.utils.loaders import resolve_env_config

from agents.seats.local import LIVE, LocalTable, Terms
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_entry, make_game

__all__ = ["BoardGames", "BoardGamesEnv", "SeatHarness", "load_environment"]

#: The id of the taskset, the environment and the harness.  The library imports a module of this name; the package in
#: ``hubs/verifiers`` has it too.
ID: Final = "board_games"
sys.modules.setdefault(ID, sys.modules[__name__])
_TLS: Final = ssl.create_default_context()
#: The most seats of any game.
MOST_SEATS: Final = max(max(game_entry(name).seats) for name in GAMES)


class Deal(vf.TaskData):  # type: ignore[misc]
    """A game: its name, the agent string or "live" for each seat, and its seed."""

    game: str
    seats: list[str]
    seed: int


class DealTask(vf.Task[Deal]):  # type: ignore[misc]
    """The task of an episode."""


class Deals(vf.TasksetConfig):  # type: ignore[misc]
    """The data set: deals of a game with consecutive seeds."""

    id: str = ID
    game: str = DEFAULT_GAME
    seats: list[str] = Field(default_factory=lambda: [LIVE, "builder"])
    """Agent strings, or "live" for a model."""
    first_seed: int = Field(1, ge=0)
    deals: int | None = Field(None, ge=1)
    """Number of deals; endless by default."""
    rotate: bool = False
    """Play each deal in all rotations of the seats."""


class BoardGames(vf.Taskset[DealTask, Deals]):  # type: ignore[misc]
    """Deals of a game."""

    def __init__(self, config: Deals) -> None:
        super().__init__(config)
        self.INFINITE = config.deals is None

    def load(self) -> Iterator[DealTask]:
        """Yield the tasks, by seed and rotation."""
        config, number = self.config, count()
        for seed in islice(count(config.first_seed), config.deals):
            for first in range(len(config.seats) if config.rotate else 1):
                seats = [*config.seats[first:], *config.seats[:first]]
                name = f"{config.game} {seed} {' '.join(seats)}"
                yield DealTask(Deal(idx=next(number), name=name, game=config.game, seats=seats, seed=seed))


class SeatHarness(vf.Harness[vf.HarnessConfig]):  # type: ignore[misc]
    """Sends the messages of one decision in this process; no program and no container are needed."""

    APPENDS_SYSTEM_PROMPT, SUPPORTS_RESUME = True, True
    EXECUTES_CODE, NEEDS_CONTAINER = False, False

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any
    ) -> Any:
        """Ask the model once; the messages are the prompt of `data`."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}, *map(message_to_wire, prompt)]
        async with httpx.AsyncClient(timeout=None, verify=_TLS) as client:
            reply = await client.post(
                f"{endpoint}/chat/completions",
                headers={"Authorization": f"Bearer {secret}"},
                json={"model": ctx.model, "messages": messages},
            )
        return vf.ProgramResult(exit_code=int(reply.status_code != 200), stdout="", stderr=reply.text)

    async def resume(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any,
        messages: Any, tool_interception_url: Any = None,
    ) -> Any:  # fmt: skip
        """Ask the model with these messages alone."""
        data = data.model_copy(update={"prompt": messages})
        return await self.launch(ctx, trace, runtime, endpoint, secret, mcp_urls, data)


class TermsConfig(vf.EnvConfig):  # type: ignore[misc]
    """The terms of the live seats (`agents.seats.local.Terms`)."""

    invalid_retries: int = Field(3, ge=0)
    """Refused answers at a decision that are forgiven."""
    seconds: float | None = Field(None, gt=0)
    """Thinking time of each live seat for the whole game."""
    language: str = "en"
    fallback: str = "random"


_SEAT: Final = vf.AgentConfig(runtime=vf.SubprocessConfig())
#: The terms, and the model and sampling of each seat: ``--env.seat1.model NAME``.
BoardGamesConfig: Final = create_model(
    "BoardGamesConfig", __base__=TermsConfig, **{f"seat{seat}": (vf.AgentConfig, _SEAT) for seat in range(MOST_SEATS)}
)


class BoardGamesEnv(vf.Env[BoardGamesConfig]):  # type: ignore[misc]
    """One episode is one game, with a trace for each live seat.

    The reward is the zero-sum result from the places: 1 for a sole winner, -1/(n-1) for each other of n seats.
    """

    def table(self, deal: Deal) -> LocalTable:
        """Return a new table; the library keeps the time of its seats."""
        config = self.config
        terms = Terms(retries=config.invalid_retries, language=config.language, fallback=config.fallback)
        return LocalTable(make_game(deal.game, len(deal.seats)), deal.seats, deal.seed, terms)

    async def run(self, task: DealTask, agents: Any) -> None:
        """Play a game."""
        table = self.table(task.data)
        limit = vf.TaskTimeout(agent=self.config.seconds)
        data = vf.TaskData(idx=task.data.idx, name=task.data.name, system_prompt=table.rules(), timeout=limit)
        async with AsyncExitStack() as stack:
            asked = {
                seat: await stack.enter_async_context(getattr(agents, f"seat{seat}").interaction(vf.Task(data)))
                for seat in table.live
            }
            while not table.is_over:
                await self.decide(table, asked[table.mover])
        result = table.result()
        for seat, one in asked.items():
            one.trace.record_reward("outcome", result.returns[seat])
            for name, value in {
                "place": result.places[seat], "total": result.totals[seat], "score": result.score(seat),
                "forfeited": seat in result.forfeits,
            }.items():  # fmt: skip
                one.trace.record_metric(name, float(value))
            one.trace.info.update(seat=seat, replay=table.replay())

    async def decide(self, table: LocalTable, conversation: Any) -> None:
        """Ask the seat to move until it has played or forfeited."""
        seat, messages = table.mover, [vf.UserMessage(content=table.prompt(table.mover))]
        while True:
            segment = await conversation.turn(messages)
            if segment.terminated:
                table.forfeit(seat, "time" if conversation.trace.is_timeout else "left")
                return
            reply = table.act(seat, segment.last_reply)
            if reply.action is not None or reply.forfeited:
                return
            messages = [*messages, *segment.messages, vf.UserMessage(content=reply.reason)]


def load_environment(
    game: str = DEFAULT_GAME,
    seats: Sequence[str] = (LIVE, "builder"),
    first_seed: int = 1,
    deals: int | None = None,
    rotate: bool = False,
    **config: Any,
) -> Any:
    """Return the environment of a game; config: fields of `BoardGamesConfig`.

    Raises ValueError for seats and agents that cannot play.
    """
    deal = {"id": ID, "game": game, "seats": list(seats), "first_seed": first_seed, "deals": deals, "rotate": rotate}
    environment = vf.load_environment(resolve_env_config({"taskset": deal, **config}))
    environment.table(next(iter(environment.taskset)).data)
    return environment
