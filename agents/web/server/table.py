"""A table: one game with its seats and actions, and the views of its seats.

A seat receives its redacted record, the order of the movers, and the actions that are not another seat's secret
(`Game.told`). The true state stays here.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from agents.seats.news import News
from agents.seats.results import Result, result_of
from agents.seats.terms import TERMS, Conduct, Terms
from agents.web.server.messages import DELAY, Over, StateUpdate, Told
from porta_nigra_env.core.game.game import Game, IllegalActionError, States
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.undo import shows_news
from porta_nigra_env.core.game.view import View
from porta_nigra_env.core.narration.narrator import Narrator

#: A seat of a person; all other seats hold agent strings.
HUMAN: Final = "human"
#: The seat number of onlookers, who see what every seat knows.
ONLOOKER: Final = -1


class RefusedError(ValueError):
    """A request that cannot be carried out now; nothing has changed."""


def components_digest(game: Game) -> str:
    """Return the digest by which the page knows a game's components: hex SHA-256 of its constants."""
    return hashlib.sha256(game.constants.tobytes()).hexdigest()


class Table:
    """A game with seats.

    Args:
        game: the game with its number of players.
        seed: the game's seed, in 0..2**63-1.
        seats: "human" or an agent string for each seat.
        start: the first state; None begins with the seed.
        terms: those of the seats that programs took.
        programs: these seats.
        clock: returns seconds.

    Attributes:
        actions, movers: the actions so far, and their players.
        conduct: refused answers, time and forfeits of the programs' seats.
        delay: number of steps by which onlookers see the game late; it ends for them when it is over.
    """

    def __init__(
        self,
        game: Game,
        seed: int,
        seats: Sequence[str],
        start: State | None = None,
        terms: Terms = TERMS,
        programs: Sequence[int] = (),
        clock: Callable[[], float] = time.monotonic,
        delay: int = DELAY,
    ) -> None:
        if len(seats) != game.num_players:
            raise ValueError(f"seats: {game.num_players} are needed, not {len(seats)}")
        self.game, self.seed, self.seats, self.delay = game, seed, tuple(seats), delay
        self.actions: list[int] = []
        self.movers: list[int] = []
        self._state = State(game, game.new_states(seed)) if start is None else start.clone()
        #: The records after each step, the current one included.
        self._records = [self._state.states.tobytes()]
        self.conduct = Conduct(terms, programs, clock)
        self.conduct.ask(self.mover)

    @property
    def at(self) -> int:
        """The number of steps so far."""
        return len(self.actions)

    @property
    def mover(self) -> int:
        """The player to move; -1 when the game is over."""
        return self._state.player

    @property
    def waits_for_agent(self) -> bool:
        """True if an agent is to move."""
        return self.mover >= 0 and self.agent(self.mover) != HUMAN

    def agent(self, seat: int) -> str:
        """Return the agent string of a seat, the fallback for one that forfeited, or "human"."""
        return self.conduct.terms.fallback if seat in self.conduct.forfeits else self.seats[seat]

    def check(self, seat: int, at: int, action: int) -> None:
        """Raise RefusedError unless the seat may play this action now."""
        self.check_turn(seat, at)
        if not (0 <= action < self.game.actions.size and self._state.mask[action]):
            raise RefusedError(self._state.why_illegal(action))

    def play(self, action: int) -> None:
        """Play an action of the player to move. Raises IllegalActionError."""
        mover = self.mover
        self._state.apply_id(action)
        self.actions.append(action)
        self.movers.append(mover)
        self._records.append(self._state.states.tobytes())
        self._next()

    def check_undo(self, seat: int, at: int) -> None:
        """Raise RefusedError unless the seat may undo its last action."""
        self.check_turn(seat, at)
        if not self.undoable(seat):
            raise RefusedError("nothing can be undone: new information was seen since, or your turn has just begun")

    def undo(self) -> None:
        """Undo the last action. Raises IllegalActionError before the first step."""
        if not self.actions:
            raise IllegalActionError("there is no action to undo")
        for steps in (self.actions, self.movers, self._records):
            steps.pop()
        self._state = State(self.game, self._states(self.at))
        self._next()

    def _next(self) -> None:
        """Begin the next decision."""
        self.conduct.stop()
        self.conduct.ask(self.mover)

    def used(self, seat: int) -> float | None:
        """Return the seconds that a seat has used; None if it has no clock."""
        return None if self.conduct.left(seat) is None else round(self.conduct.used(seat), 3)

    def undoable(self, seat: int) -> bool:
        """Return whether the seat made the last action, is still to move, and saw no news (`core.game.undo`)."""
        if not self.actions or self.mover != seat or self.movers[-1] != seat:
            return False
        return not shows_news(State(self.game, self._states(self.at - 1)), self.actions[-1], seat)

    def view(self, seat: int, at: int | None = None) -> View:
        """Return the view of a seat after `at` steps, by default now."""
        return View(self.game, self._states(self.at if at is None else at), 0, seat)

    def mover_at(self, at: int) -> int:
        """Return the player who moves after `at` steps."""
        return self.movers[at] if at < self.at else self.mover

    def redacted(self, seat: int, at: int | None = None) -> bytes:
        """Return the redacted record of a seat, or of onlookers, after `at` steps."""
        if seat != ONLOOKER:
            return self.view(seat, at).state.tobytes()
        state = self._states(self.at if at is None else at)
        for each in range(self.game.num_players):
            self.game.kernel.redact(self.game.constants, state, 0, each)
        return state.tobytes()

    def seen(self, seat: int) -> int:
        """Return the number of steps that a seat, or onlookers, may see now."""
        return max(0, self.at - self.delay) if seat == ONLOOKER and self.mover >= 0 else self.at

    def update(self, seat: int, known: int) -> StateUpdate:
        """Return the update for a seat, or for onlookers, who know the first `known` steps."""
        at, acts = self.seen(seat), seat != ONLOOKER and seat not in self.conduct.forfeits
        log = [
            (self.movers[step], self.game.told(self.actions[step], seat, self.movers[step]), self.redacted(seat, step))
            for step in range(known, at)
        ]
        return StateUpdate(
            at=at,
            mover=self.mover_at(at),
            state=self.redacted(seat, at),
            legal=self.view(seat).legal_ids().tolist() if acts else [],
            from_=known,
            log=log,
            since=max(0, at - 1) if seat == ONLOOKER else self._since(seat),
            undoable=acts and self.undoable(seat),
        )

    def told(self, seat: int, since: int, language: str, why: int | None) -> Told:
        """Return the table in words for a seat.

        Raises:
            RefusedError: a step that is not of this game, an unknown language, a legal action as `why`, or a game
                without narration.
        """
        if not 0 <= since <= self.at:
            raise RefusedError(f"`from` must be a step of this game, in 0..{self.at}, not {since}")
        if why is not None and not 0 <= why < self.game.actions.size:
            raise RefusedError(f"`why` must be an action id in 0..{self.game.actions.size - 1}, not {why}")
        view = self.view(seat)
        try:
            narrator = Narrator(self.game, seat, language)
            reason = None if why is None or self.mover != seat else narrator.why_not(view, why)
        except ValueError as error:
            raise RefusedError(str(error)) from None
        facts = narrator.facts
        seen = [facts.redacted(self._states(at), seat) for at in range(since, self.at + 1)]
        changes = [facts.changes(before, after) for before, after in itertools.pairwise(seen)]
        return Told(
            at=self.at,
            events=[(since + i, list(map(narrator.event, events))) for i, events in enumerate(changes)],
            legal=[(action, narrator.describe(view, action)) for action in view.legal_ids().tolist()],
            why=reason,
        )

    def news(self, seat: int, language: str) -> list[str]:
        """Return what a seat has seen since its last decision, a line for each turn (`agents.seats.news`)."""
        news, own = News(self.game, [seat]), [at for at, mover in enumerate(self.movers) if mover == seat]
        for at in range(own[-1] if own else 0, self.at):
            news.note(self.movers[at], self._records[at], self.actions[at])
        return news.lines(seat, self._state.states, language)

    def result(self) -> Result:
        """Return the result. Raises RefusedError before the end."""
        if self.mover >= 0:
            raise RefusedError("the game is not over")
        return result_of(self.game, self._state.states, self.conduct.forfeits)

    def over(self) -> Over:
        """Return the whole game. Raises RefusedError before its end."""
        return Over(str(self.seed), list(self.actions), list(self.result().places))

    def check_turn(self, seat: int, at: int) -> None:
        """Raise RefusedError unless the seat is to move after `at` steps."""
        if self.mover < 0:
            raise RefusedError("the game is over")
        if at != self.at:
            raise RefusedError(f"`at` must be {self.at}, the number of steps so far, not {at}: the table has moved on")
        if self.mover != seat:
            raise RefusedError(f"it is player {self.mover}'s turn, not yours")

    def _since(self, seat: int) -> int:
        """Return the step after a seat's last turn; 0 before its first turn ends."""
        for at in range(self.at, 0, -1):
            if self.movers[at - 1] == seat and self.mover_at(at) != seat:
                return at
        return 0

    def _states(self, at: int) -> States:
        return np.frombuffer(bytearray(self._records[at]), dtype=self.game.dtype)
