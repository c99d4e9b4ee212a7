"""A recorded game in a notebook; the front end shows it with or without a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import traitlets

from agents.web.notebook.widget import GameWidget
from agents.web.page.links import link
from porta_nigra_env.core.game import playthrough
from porta_nigra_env.core.game.game import Game, check_player
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import GAMES, make_game


class Replay(GameWidget):
    """A recorded game with a slider, arrow keys and a choice of views.

    The front end gets the whole game for every view.

    Args:
        text: a playthrough (`core.game.playthrough`), complete or not.
        seed: the game's seed, unless a comment of the text such as ``# seed 7`` has it.
        at: the step that is shown first.
        view: the seat whose view is shown first; None for the whole state.

    Raises:
        ValueError: an invalid playthrough (with the line), a missing or wrong seed, an invalid step or seat, or a game
            without a module.

    Attributes:
        game: the game.
        actions: action ids in order.
        at, view: the shown step and seat; may be set.
    """

    at = traitlets.Int().tag(sync=True)
    view = traitlets.Int(allow_none=True).tag(sync=True)
    _link = traitlets.Unicode().tag(sync=True)

    def __init__(self, text: str, seed: int | None = None, *, at: int = 0, view: int | None = None) -> None:
        recorded = playthrough.read(text)
        if recorded.game not in GAMES:
            raise ValueError(f"text: `game` must be one of {', '.join(GAMES)}, not {recorded.game!r}")
        game = make_game(recorded.game, recorded.players)
        seed = recorded.seed_of(game, () if seed is None else (seed,))
        try:
            playthrough.replay(text, State(game, game.new_states(seed)), whole=False)
        except playthrough.PlaythroughError as error:
            raise ValueError(str(error)) from None
        self._begin(game, seed, [game.action_id(action) for action in recorded.actions], at, view)

    @classmethod
    def of(cls, game: Game, seed: int, actions: Sequence[int | str], *, at: int = 0, view: int | None = None) -> Self:
        """Return the replay of a seed and actions, ids or strings. Raises IllegalActionError (a ValueError)."""
        state = State(game, game.new_states(seed))
        ids = []
        for number, action in enumerate(actions, 1):
            try:
                ids.append(state.chosen_id(action))
                state.apply_id(ids[-1])
            except ValueError as error:
                raise type(error)(f"actions: step {number}: {error}") from None
        self = cls.__new__(cls)
        self._begin(game, seed, ids, at, view)
        return self

    def _begin(self, game: Game, seed: int, actions: list[int], at: int, view: int | None) -> None:
        """Initialize from a seed and action ids."""
        self.actions = tuple(actions)
        self._states = [State(game, game.new_states(seed))]
        for action in actions:
            self._states.append(self._states[-1].clone().apply_id(action))
        super().__init__(game, "replay", _link=link(game, seed, actions), at=at, view=view)

    @traitlets.validate("at")
    def _check_at(self, proposal: Any) -> int:
        at = int(proposal["value"])
        if not 0 <= at <= len(self.actions):
            raise ValueError(f"at must be in 0..{len(self.actions)}, not {at}")
        return at

    @traitlets.validate("view")
    def _check_view(self, proposal: Any) -> int | None:
        view = proposal["value"]
        return None if view is None else check_player(view, self._states[0].num_players)

    @property
    def state(self) -> State:
        """A copy of the shown state."""
        return self._states[self.at].clone()

    def shown(self) -> tuple[State, int | None]:
        return self._states[self.at], self.view
