"""A game as a loop of texts, with the methods of TextArena's environments.

No library is needed::

    loop = TextLoop(opponents={1: "builder"})
    loop.reset(num_players=2, seed=7)
    done = False
    while not done:
        seat, text = loop.get_observation()
        done, info = loop.step(answer(text))
    rewards, info = loop.close()
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from agents.seats.local import LIVE, TERMS, LocalTable, Reply, Terms
from porta_nigra_env.core.game.game import new_seed
from porta_nigra_env.games import DEFAULT_GAME, make_game

#: Information about a step or a seat.
Info = dict[str, Any]


class TextLoop:
    """Games one after another.

    Args:
        game: name of the game.
        opponents: agent strings by seat; all other seats are live.
        terms: retries, clock, language, budget of prompts.
        rules: if true, the first text of each seat begins with the rules.
        clock: returns seconds.
    """

    def __init__(
        self,
        game: str = DEFAULT_GAME,
        opponents: Mapping[int, str] | None = None,
        terms: Terms = TERMS,
        rules: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game: Final = game
        self._opponents, self._terms, self._rules, self._clock = dict(opponents or {}), terms, rules, clock
        self._table: LocalTable | None = None
        self._introduced: set[int] = set()
        self._refusals: dict[int, list[str]] = {}

    @property
    def table(self) -> LocalTable:
        """The present game. Raises ValueError before `reset`."""
        if self._table is None:
            raise ValueError("call `reset` first")
        return self._table

    def reset(self, num_players: int | None = None, seed: int | None = None) -> None:
        """Begin a game; without a seed, one is drawn. Raises ValueError for seats that do not fit."""
        game = make_game(self.game, num_players)
        if wrong := [seat for seat in self._opponents if not 0 <= seat < game.num_players]:
            raise ValueError(f"opponents: there is no seat {wrong[0]} among {game.num_players} players")
        seats = [self._opponents.get(seat, LIVE) for seat in range(game.num_players)]
        self._table = LocalTable(game, seats, new_seed() if seed is None else seed, self._terms, clock=self._clock)
        self._introduced, self._refusals = set(), {seat: [] for seat in self._table.live}

    def get_observation(self) -> tuple[int, str]:
        """Return the live seat to move and the text of its decision; after the end, -1 and the result."""
        table = self.table
        table.check_time()
        if table.is_over:
            return -1, table.report()
        seat = table.mover
        parts = [table.rules()] if self._rules and seat not in self._introduced else []
        self._introduced.add(seat)
        parts += [*self._refusals[seat][-1:], table.prompt(seat)]
        return seat, "\n".join(parts)

    def step(self, action: str) -> tuple[bool, Info]:
        """Answer for the seat to move; return whether the game is over, and action, reason and forfeit."""
        table = self.table
        seat = table.mover
        if seat < 0:
            raise ValueError("the game is over; call `reset`")
        reply: Reply = table.act(seat, action)
        self._refusals[seat] = [] if reply.action is not None else [reply.reason]
        return table.is_over, {
            "seat": seat, "action": reply.action, "reason": reply.reason, "forfeited": reply.forfeited,
        }  # fmt: skip

    def close(self) -> tuple[dict[int, float], dict[int, Info]]:
        """Return rewards and information by live seat; live seats forfeit an unfinished game.

        A reward is 1 for a sole winner and -1/(n-1) for each other of n seats (`core.game.results.outcome`).
        """
        table = self.table
        for seat in table.live:
            table.forfeit(seat)
        result = table.result()
        rewards = {seat: result.returns[seat] for seat in table.live}
        more = {
            seat: {
                "place": result.places[seat], "total": result.totals[seat], "points": result.sources[seat],
                "score": result.score(seat), "forfeited": result.forfeits.get(seat), "name": table.called[seat],
            }
            for seat in table.live
        }  # fmt: skip
        return rewards, more
