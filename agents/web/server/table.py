"""A table: one game with its seats and decisions, and what each seat may be told of it.

Everything a seat is told is made of its redacted record, of who decided when, and of the actions that are no secret of
somebody else (`Game.told`); the true state stays here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np

from agents.web.server.messages import Over, StateUpdate
from porta_nigra_env.core.game.game import Game, IllegalActionError, States
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.undo import shows_news
from porta_nigra_env.core.game.view import View

#: A seat of a person; all others are texts of agents.
HUMAN: Final = "human"


class RefusedError(ValueError):
    """What a seat asked for is not to be had now; nothing was changed."""


def components_digest(game: Game) -> str:
    """What a module on the page calls its components: hex SHA-256 of the tables."""
    return hashlib.sha256(game.constants.tobytes()).hexdigest()


class Table:
    """A game with seats.

    Args:
        game: with its number of players.
        seed: of the game, in 0..2**63-1.
        seats: "human" or an agent's text for each seat.
        start: where it stands at first, in the place of the seed's beginning.

    Attributes:
        actions, movers: what was chosen, and by whom.
    """

    def __init__(self, game: Game, seed: int, seats: Sequence[str], start: State | None = None) -> None:
        if len(seats) != game.num_players:
            raise ValueError(f"seats: {game.num_players} are needed, not {len(seats)}")
        self.game, self.seed, self.seats = game, seed, tuple(seats)
        self.actions: list[int] = []
        self.movers: list[int] = []
        self._state = State(game, game.new_states(seed)) if start is None else start.clone()
        #: The records of all places, the present one included.
        self._records = [self._state.states.tobytes()]

    @property
    def at(self) -> int:
        """How many decisions there were."""
        return len(self.actions)

    @property
    def mover(self) -> int:
        """Who is to decide; -1 when the game is over."""
        return self._state.player

    @property
    def waits_for_agent(self) -> bool:
        """Whether an agent is to decide."""
        return self.mover >= 0 and self.seats[self.mover] != HUMAN

    def check(self, seat: int, at: int, action: int) -> None:
        """RefusedError unless this is a decision that the seat may take now."""
        self._check_turn(seat, at)
        if not (0 <= action < self.game.actions.size and self._state.mask[action]):
            raise RefusedError(self._state.why_illegal(action))

    def play(self, action: int) -> None:
        """Carry out a decision of who is to move; IllegalActionError for one that is not legal."""
        mover = self.mover
        self._state.apply_id(action)
        self.actions.append(action)
        self.movers.append(mover)
        self._records.append(self._state.states.tobytes())

    def check_back(self, seat: int, at: int) -> None:
        """RefusedError unless the seat may take its last decision back."""
        self._check_turn(seat, at)
        if not self.undoable(seat):
            raise RefusedError(
                "there is nothing to take back: something new was seen since, or your turn has just begun"
            )

    def take_back(self) -> None:
        """The last decision is undone."""
        if not self.actions:
            raise IllegalActionError("there is no decision to take back")
        for kept in (self.actions, self.movers, self._records):
            kept.pop()
        self._state = State(self.game, self._states(self.at))

    def undoable(self, seat: int) -> bool:
        """Whether the last decision is the seat's own, it is still to move, and nothing was seen that could have been
        otherwise (`core.game.undo`)."""
        if not self.actions or self.mover != seat or self.movers[-1] != seat:
            return False
        return not shows_news(State(self.game, self._states(self.at - 1)), self.actions[-1], seat)

    def view(self, seat: int, at: int | None = None) -> View:
        """What a seat may know at a place of the game, the present one by default."""
        return View(self.game, self._states(self.at if at is None else at), 0, seat)

    def mover_at(self, at: int) -> int:
        """Who was or is to decide at a place."""
        return self.movers[at] if at < self.at else self.mover

    def seen(self, seat: int, at: int | None = None) -> bytes:
        """The record at a place as a seat sees it."""
        return self.view(seat, at).state.tobytes()

    def stands(self, seat: int, known: int) -> StateUpdate:
        """What a seat is told that knows of the first decisions."""
        view = self.view(seat)
        since = self._since(seat)
        log = [
            (mover, self.game.told(action, to=seat, by=mover))
            for mover, action in zip(self.movers[known:], self.actions[known:], strict=True)
        ]
        return StateUpdate(
            at=self.at,
            mover=self.mover,
            state=view.state.tobytes(),
            legal=view.legal_ids().tolist(),
            from_=known,
            log=log,
            before=None if seat in self.movers[since:] else self.seen(seat, since),
            since=since,
            undoable=self.undoable(seat),
        )

    def over(self) -> Over:
        """The whole game; RefusedError before its end."""
        if self.mover >= 0:
            raise RefusedError("the game is not over")
        return Over(str(self.seed), list(self.actions))

    def _check_turn(self, seat: int, at: int) -> None:
        if self.mover < 0:
            raise RefusedError("the game is over")
        if at != self.at:
            raise RefusedError(f"the table has seen {self.at} decisions, not {at}: it has moved on")
        if self.mover != seat:
            raise RefusedError(f"it is player {self.mover}'s turn, not yours")

    def _since(self, seat: int) -> int:
        """The place behind a seat's last turn; the beginning before its first one ends."""
        for at in range(self.at, 0, -1):
            if self.movers[at - 1] == seat and self.mover_at(at) != seat:
                return at
        return 0

    def _states(self, at: int) -> States:
        return np.frombuffer(bytearray(self._records[at]), dtype=self.game.dtype)
