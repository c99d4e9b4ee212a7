"""A game to play at in a notebook: Python plays what is clicked, agents answer there, a seat sees its view."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from agents.agent import Agent
from agents.notebook.widget import GameWidget
from agents.registry import make
from porta_nigra_env.core.game import IllegalActionError, check_player, check_seed, new_seed
from porta_nigra_env.core.state import State

#: What hears of a decision: the table, the seat that chose, and the action's id.
Heard = Callable[["Table", int, int], object]


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
        actions: ids of what was chosen at this table, in order.
    """

    _stands = traitlets.Dict().tag(sync=True)
    _seats = traitlets.List().tag(sync=True)
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
        self._state = state.clone()
        self._heard: list[Heard] = []
        self._began()
        seats = [self._agents[seat].name if seat in self._agents else "human" for seat in range(game.num_players)]
        super().__init__(
            game, "table", _stands=self._message(), _seats=seats, _viewer=-1 if self.view is None else self.view
        )
        self.on_msg(self._asked)
        self._answer()

    @property
    def state(self) -> State:
        """The position, a copy; set it to put another one on the table."""
        return self._state.clone()

    @state.setter
    def state(self, state: State) -> None:
        if state.game != self.game:
            raise ValueError(f"state: it is of {state.game}, the table of {self.game}")
        self._state = state.clone()
        self._began()
        self._show()
        self._answer()

    @property
    def actions(self) -> tuple[int, ...]:
        return tuple(action for _, action in self._log)

    def play(self, action: int | str) -> None:
        """Play an action, an id or a text, for the seat that is to decide, whoever sits there; then agents answer.

        Raises:
            IllegalActionError: it is not legal now; nothing has changed (a ValueError).
        """
        self._decide(self._state.chosen_id(action))
        self._answer()

    def on_play(self, heard: Heard, remove: bool = False) -> None:
        """Call ``heard(table, seat, action)`` after every decision at this table; with `remove` no longer."""
        if remove:
            self._heard.remove(heard)
        else:
            self._heard.append(heard)

    def shown(self) -> tuple[State, int | None]:
        return self._state, self._eyes()

    # -- what is

    def _began(self) -> None:
        """Nothing was chosen yet."""
        self._log: list[tuple[int, int]] = []
        #: The record that changes are shown from, and the place in the log that it belongs to.
        self._before: tuple[bytes, int] | None = None

    def _eyes(self) -> int | None:
        """The seat whose view is shown; None for everything, as at the end of a game."""
        return None if self._state.is_over else self.view

    def _sight(self, view: int | None) -> bytes:
        """The record as a seat may see it."""
        return self._state.states.tobytes() if view is None else self._state.view(view).state.tobytes()

    def _may_click(self, seat: int) -> bool:
        return seat not in self._agents and self.view in (None, seat)

    def _message(self) -> dict[str, Any]:
        """How the table stands, as the front end is told of it."""
        state, view = self._state, self._eyes()
        told = [(seat, action if view is None else self.game.told(action, view, seat)) for seat, action in self._log]
        record, since = self._before or (None, len(self._log))
        return {
            "kind": "stands",
            "at": len(self._log),
            "mover": state.player,
            "state": base64.b64encode(self._sight(view)).decode(),
            "legal": state.legal_ids().tolist() if not state.is_over and self._may_click(state.player) else [],
            "from": 0,
            "log": [list(one) for one in told],
            "before": None if record is None else base64.b64encode(record).decode(),
            "since": since,
            "undoable": False,
        }

    def _show(self) -> None:
        self._stands = self._message()

    # -- what happens

    def _decide(self, action: int) -> None:
        """Play an id for the seat that is to decide, show it and tell of it; IllegalActionError changes nothing."""
        seat, place = self._state.player, len(self._log)
        before = (self._sight(None), place) if self.view is None else self._before
        self._state.apply_id(action)
        self._log.append((seat, action))
        # What a seat did herself is no news to her; whoever sees everything is shown each decision.
        self._before = (self._sight(self.view), place + 1) if seat == self.view else before
        self._show()
        for heard in tuple(self._heard):
            heard(self, seat, action)

    def _answer(self) -> None:
        """Agents play until a person is to decide or the game is over."""
        while (agent := self._agents.get(self._state.player)) is not None:
            self._decide(int(agent.act(self._state.view(self._state.player))))

    def _asked(self, _widget: Any, asked: Any, _buffers: Any) -> None:
        """A message of the front end: an action that was clicked; whatever else it holds changes nothing."""
        if not isinstance(asked, dict) or asked.get("kind") != "play":
            return
        self.send({"kind": "heard"})
        try:
            action = self._state.checked_id(asked.get("action"))
            if asked.get("at") != len(self._log):
                raise IllegalActionError("the table has gone on since; it is shown as it stands now")
            if not self._state.is_over and not self._may_click(self._state.player):
                raise IllegalActionError(f"player {self._state.player} is to decide, not you")
            self._decide(action)
            self._answer()
        except ValueError as error:
            self.send({"kind": "refused", "why": str(error)})
