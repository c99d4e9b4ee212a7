"""A game to play at in a notebook: Python plays what is clicked, agents answer there, a seat sees its view."""

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

#: What hears of a decision: the table, the seat that chose, and the action's id.
Heard = Callable[["Table", int, int], object]


class _Course(tables.Table):
    """What happens at a table that begins anywhere and that may be looked at with everything."""

    def __init__(self, state: State, seats: Sequence[str]) -> None:
        super().__init__(state.game, 0, seats, state)
        self._kind = type(state)

    def position(self) -> State:
        """How it stands, a copy."""
        return self._kind(self.game, copied(self._state.states))

    def asks(self, view: int | None) -> bool:
        """Whether who looks is to decide now."""
        return self.mover >= 0 and not self.waits_for_agent and view in (None, self.mover)

    def takes_back(self, view: int | None) -> bool:
        """Whether who looks may take the last decision back; who sees everything learns nothing new by it."""
        if view is not None:
            return self.undoable(view)
        return self.at > 0 and self.seats[self.movers[-1]] == HUMAN

    def told(self, view: int | None) -> StateUpdate:
        """How it stands for who looks; at the end everything may be known."""
        if view is not None and self.mover >= 0:
            return self.stands(view, 0)
        return StateUpdate(
            at=self.at,
            mover=self.mover,
            state=self._records[-1],
            legal=self._state.legal_ids().tolist() if self.asks(view) else [],
            from_=0,
            log=list(zip(self.movers, self.actions, strict=True)),
            before=self._records[-2] if self.at else None,
            since=max(0, self.at - 1),
            undoable=self.takes_back(view),
        )


class Table(GameWidget):
    """A position to play on from, by clicks on the board or in the list of legal actions.

    Args:
        state: where the game stands; the table plays on with a copy.
        players: agents for some of the seats, by seat: texts of the registry such as "network", or agents.  They answer
            by themselves and get nothing but their views.
        view: the seat that looks: nothing it cannot know is sent to the front end until the game is over.  By default
            the only seat without an agent, where agents play the others, else everything; -1 for everything anyway.
        seed: of the agents made here; without one, one of the operating system's.

    Raises:
        ValueError: a seat that there is not, an agent's text that cannot be read, an agent that cheats or plays another
            game; a game that has no module.

    Attributes:
        game: the game.
        view: the seat that looks, None for everything.
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
        for seat, agent in (players or {}).items():
            check_player(seat, game.num_players)
            found = make(agent, game, seed % 2**62 + seat) if isinstance(agent, str) else agent
            if found.cheats or found.game != game:
                raise ValueError(f"players: {found.name} {'cheats' if found.cheats else f'plays {found.game}'}")
            self._agents[int(seat)] = found
        people = [seat for seat in range(game.num_players) if seat not in self._agents]
        if view is None and self._agents and len(people) == 1:
            view = people[0]
        self.view = None if view is None or view == -1 else check_player(view, game.num_players)
        self._heard: list[Heard] = []
        seats = [self._agents[seat].name if seat in self._agents else HUMAN for seat in range(game.num_players)]
        self._course = _Course(state, seats)
        super().__init__(
            game, "table", _stands=self._told(), _seats=seats, _viewer=-1 if self.view is None else self.view
        )
        self.on_msg(self._asked)
        self._answer()

    @property
    def state(self) -> State:
        """The position, a copy; set it to put another one on the table."""
        return self._course.position()

    @state.setter
    def state(self, state: State) -> None:
        if state.game != self.game:
            raise ValueError(f"state: it is of {state.game}, the table of {self.game}")
        self._course = _Course(state, self._course.seats)
        self._stands = self._told()
        self._answer()

    @property
    def actions(self) -> tuple[int, ...]:
        """Ids of what was chosen at this table, in order."""
        return tuple(self._course.actions)

    def play(self, action: int | str) -> None:
        """Play an action, an id or a text, for the seat that is to decide, whoever sits there; then agents answer.

        Where an agent fails its error comes through, and the table waits at its decision, which can be made by hand.

        Raises:
            IllegalActionError: it is not legal now; nothing has changed (a ValueError).
        """
        self._decide(self.state.chosen_id(action))
        self._answer()

    def take_back(self) -> None:
        """Undo the last decision, whoever took it; agents do not answer until somebody plays.

        Raises:
            IllegalActionError: there is none (a ValueError).
        """
        self._course.take_back()
        self._stands = self._told()

    def on_play(self, heard: Heard, remove: bool = False) -> None:
        """Call ``heard(table, seat, action)`` after every decision at this table; with `remove` no longer."""
        if remove:
            self._heard.remove(heard)
        else:
            self._heard.append(heard)

    def shown(self) -> tuple[State, int | None]:
        state = self.state
        return state, None if state.is_over else self.view

    def _told(self) -> dict[str, Any]:
        """How the table stands, as the front end is told of it."""
        found: dict[str, Any] = msgspec.to_builtins(self._course.told(self.view))
        return found

    def _decide(self, action: int) -> None:
        """Play an id for the seat that is to decide, show it and tell of it; IllegalActionError changes nothing."""
        seat = self._course.mover
        self._course.play(action)
        self._stands = self._told()
        for heard in tuple(self._heard):
            heard(self, seat, action)

    def _answer(self) -> None:
        """Agents play until a person is to decide or the game is over."""
        while self._course.waits_for_agent:
            seat = self._course.mover
            self._decide(int(self._agents[seat].act(self._course.view(seat))))

    def _asked(self, _widget: Any, asked: Any, _buffers: Any) -> None:
        """A message of the front end: what was clicked; whatever else it holds changes nothing."""
        kind = asked.get("kind") if isinstance(asked, dict) else None
        if kind not in ("play", "back"):
            return
        self.send({"kind": "heard"})
        try:
            self._check_turn(asked.get("at"))
            if kind == "play":
                self.play(self.state.checked_id(asked.get("action")))
            elif not self._course.takes_back(self.view):
                raise RefusedError("there is nothing to take back: something new was seen since")
            else:
                self.take_back()
        except (RefusedError, IllegalActionError) as error:
            self.send({"kind": "refused", "why": str(error)})
        except Exception as error:
            # An agent's, or that of somebody who hears of decisions: the table stands where it came to.  What it says
            # may be what its seat alone can see; Python tells it.
            told = f"Python has raised {type(error).__name__}; the table stands where it came to"
            self.send({"kind": "refused", "why": told})
            raise

    def _check_turn(self, at: object) -> None:
        """RefusedError unless who looks is to decide at this place."""
        if at != self._course.at:
            raise RefusedError(f"the table has seen {self._course.at} decisions, not {at}: it has moved on")
        if not self._course.asks(self.view) and self._course.mover >= 0:
            raise RefusedError(f"it is player {self._course.mover}'s turn, not yours")
