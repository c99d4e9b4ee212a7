"""A game to play in a notebook: Python carries out clicks, agents answer, and a seat sees its view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import traitlets

from agents.agent import Agent
from agents.registry import make
from agents.web.notebook.widget import GameWidget
from agents.web.server import table as tables
from agents.web.server.messages import StateUpdate
from agents.web.server.table import HUMAN, RefusedError
from porta_nigra_env.core.game.game import IllegalActionError, check_player, check_seed, copied, new_seed
from porta_nigra_env.core.game.state import State

#: A callback after each step, called with the table, the player and the action's id.
Listener = Callable[["Table", int, int], object]


class _Course(tables.Table):
    """A table that begins at any state, and may be viewed as a whole."""

    def __init__(self, state: State, seats: Sequence[str]) -> None:
        super().__init__(state.game, 0, seats, state)
        self._kind = type(state)

    def position(self) -> State:
        """Return a copy of the state."""
        return self._kind(self.game, copied(self._state.states))

    def is_turn_of(self, view: int | None) -> bool:
        """Return whether the viewer is to move."""
        return self.mover >= 0 and not self.waits_for_agent and view in (None, self.mover)

    def may_undo(self, view: int | None) -> bool:
        """Return whether the viewer may undo the last action; a viewer of the whole state learns nothing by it."""
        if view is not None:
            return self.undoable(view)
        return self.at > 0 and self.seats[self.movers[-1]] == HUMAN

    def update_for(self, view: int | None) -> StateUpdate:
        """Return the update for the viewer; at the end it holds the whole state."""
        if view is not None and self.mover >= 0:
            return self.update(view, 0)
        return StateUpdate(
            at=self.at,
            mover=self.mover,
            state=self._records[-1],
            legal=self._state.legal_ids().tolist() if self.is_turn_of(view) else [],
            from_=0,
            log=list(zip(self.movers, self.actions, self._records[:-1], strict=True)),
            since=max(0, self.at - 1),
            undoable=self.may_undo(view),
        )


class Table(GameWidget):
    """A state to play from, by clicks on the board or in the list of legal actions.

    Args:
        state: the first state; the table plays with a copy.
        players: agents by seat, as strings of the registry such as "network", or as agents.  They answer by themselves
            and get nothing but their views.
        view: the viewing seat.  The front end gets only its view until the game is over.  By default the only seat
            without an agent if agents play the others, else the whole state; -1 always shows the whole state.
        seed: the seed of the agents made here; None draws one.

    Raises:
        ValueError: an invalid seat or agent string, an agent of another game, or a game without a module.

    Attributes:
        game: the game.
        view: the viewing seat; None for the whole state.
    """

    _stands = traitlets.Dict().tag(sync=True)
    _seats = traitlets.List(traitlets.Unicode()).tag(sync=True)
    _viewer = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        state: State,
        *,
        players: Mapping[int, str | Agent] | None = None,
        view: int | None = None,
        seed: int | None = None,
    ) -> None:
        game = state.game
        seed = new_seed() if seed is None else check_seed(seed)
        self._agents: dict[int, Agent] = {}
        for seat, given in (players or {}).items():
            check_player(seat, game.num_players)
            agent = make(given, game, seed % 2**62 + seat) if isinstance(given, str) else given
            if agent.game != game:
                raise ValueError(f"players: {agent.name} plays {agent.game}")
            self._agents[int(seat)] = agent
        people = [seat for seat in range(game.num_players) if seat not in self._agents]
        if view is None and self._agents and len(people) == 1:
            view = people[0]
        self.view = None if view is None or view == -1 else check_player(view, game.num_players)
        self._listeners: list[Listener] = []
        seats = [self._agents[seat].name if seat in self._agents else HUMAN for seat in range(game.num_players)]
        self._course = _Course(state, seats)
        super().__init__(
            game, "table", _stands=self._update(), _seats=seats, _viewer=-1 if self.view is None else self.view
        )
        self.on_msg(self._handle)
        self._answer()

    @property
    def state(self) -> State:
        """A copy of the state; assign another state to replace it."""
        return self._course.position()

    @state.setter
    def state(self, state: State) -> None:
        if state.game != self.game:
            raise ValueError(f"`state` must be of {self.game}, the table's game, not {state.game}")
        self._course = _Course(state, self._course.seats)
        self._stands = self._update()
        self._answer()

    @property
    def actions(self) -> tuple[int, ...]:
        """Ids of the actions at this table, in order."""
        return tuple(self._course.actions)

    def play(self, action: int | str) -> None:
        """Play an action, an id or a string, for the player to move; then agents answer.

        The exception of an agent is raised here, and the table waits at its step, which can be played by hand.

        Raises:
            IllegalActionError: it is not legal now (a ValueError); nothing has changed.
        """
        self._step(self.state.chosen_id(action))
        self._answer()

    def take_back(self) -> None:
        """Undo the last action of any seat; agents do not answer until the next `play`.

        Raises:
            IllegalActionError: there is no action to undo (a ValueError).
        """
        self._course.undo()
        self._stands = self._update()

    def on_play(self, listener: Listener, remove: bool = False) -> None:
        """Call ``listener(table, seat, action)`` after every step at this table; `remove` unregisters it."""
        if remove:
            self._listeners.remove(listener)
        else:
            self._listeners.append(listener)

    def shown(self) -> tuple[State, int | None]:
        state = self.state
        return state, None if state.is_over else self.view

    def _update(self) -> dict[str, Any]:
        """Return the update for the front end."""
        update: dict[str, Any] = msgspec.to_builtins(self._course.update_for(self.view))
        return update

    def _step(self, action: int) -> None:
        """Play an action id, show it and call the listeners. Raises IllegalActionError."""
        seat = self._course.mover
        self._course.play(action)
        self._stands = self._update()
        for listener in tuple(self._listeners):
            listener(self, seat, action)

    def _answer(self) -> None:
        """Let agents play until a person is to move or the game is over."""
        while self._course.waits_for_agent:
            seat = self._course.mover
            self._step(int(self._agents[seat].act(self._course.view(seat))))

    def _handle(self, _widget: object, message: object, _buffers: object) -> None:
        """Carry out a click, sent by the front end."""
        if not isinstance(message, dict) or message.get("kind") not in ("play", "back"):
            return
        self.send({"kind": "heard"})
        try:
            self._check_turn(message.get("at"))
            if message["kind"] == "play":
                self.play(self.state.checked_id(message.get("action")))
            elif not self._course.may_undo(self.view):
                raise RefusedError("nothing can be undone: new information was seen since")
            else:
                self.take_back()
        except (RefusedError, IllegalActionError) as error:
            self.send({"kind": "refused", "why": str(error)})
        except Exception as error:
            # An agent or a listener failed. The exception's text may hold a seat's secrets: only Python shows it.
            why = f"Python has raised {type(error).__name__}; the table shows the last step that succeeded"
            self.send({"kind": "refused", "why": why})
            raise

    def _check_turn(self, at: object) -> None:
        """Raise RefusedError unless the viewer is to move at this step."""
        if at != self._course.at:
            raise RefusedError(f"`at` must be {self._course.at}, the number of steps so far, not {at}: it has moved on")
        if not self._course.is_turn_of(self.view) and self._course.mover >= 0:
            raise RefusedError(f"it is player {self._course.mover}'s turn, not yours")
