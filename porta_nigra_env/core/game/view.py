"""Views: the information state of one seat, without access to hidden information."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch.loops import NO_ACTION
from porta_nigra_env.core.game.game import (
    NO_OBSERVATION,
    NO_TOTALS,
    Game,
    Position,
    States,
    check_player,
    check_seed,
    copied,
)


class View:
    """The input of an agent at a step; it gives no access to cards that the player cannot see.

    Attributes:
        game: the (public) game.
        player: the observing seat.
        observation: float32 (observation_size,), read-only.
        action_mask: int8 (num_actions,), read-only; zeros when another player is to move.
        state: (1,) redacted state, read-only; hidden cards and the random key are removed.
        history: int16 (N, 4), the player's last events (`core.narration.history`); None if none are recorded.
    """

    __slots__ = ("action_mask", "game", "history", "observation", "player", "state")

    def __init__(
        self, game: Game, states: States, row: int, player: int, history: npt.NDArray[np.int16] | None = None
    ) -> None:
        self.game = game
        self.player = player = check_player(player, game.num_players)
        state = copied(states[row : row + 1])
        game.kernel.redact(game.constants, state, 0, player)
        observation = np.empty(game.observations.size, dtype=np.float32)
        game.kernel.observe(game.constants, state, 0, player, observation)
        mask = np.zeros(game.actions.size, dtype=np.int8)
        if int(state["current_player"][0]) == player:
            words = np.empty(game.num_words, dtype=np.uint64)
            game.loops.advance(game.constants, state, 0, NO_ACTION, words, mask, NO_OBSERVATION, NO_TOTALS)
        for array in (state, observation, mask):
            array.flags.writeable = False
        self.state, self.observation, self.action_mask = state, observation, mask
        self.history = history

    def legal_ids(self) -> npt.NDArray[np.int64]:
        """Return the ids of the legal actions, in ascending order."""
        return np.flatnonzero(self.action_mask)

    def legal_actions(self) -> list[str]:
        """Return the action strings of the legal actions, sorted by code point."""
        texts = self.game.action_texts
        return sorted(texts[i] for i in self.legal_ids())

    def position(self) -> Position:
        """Return the position as this player sees it."""
        return self.game.position(self.state, 0, self.player)

    def board(self) -> str:
        """Return the text board as this player sees it."""
        return self.game.board(self.state, 0, self.player)

    def sample(self, seed: int) -> States:
        """Return a (1,) state consistent with the player's knowledge; the rest is redrawn and reseeded from `seed`."""
        state = copied(self.state)
        self.game.kernel.determinize(self.game.constants, state, 0, self.player, check_seed(seed))
        return state

    def __repr__(self) -> str:
        return f"View(game={self.game.name!r}, player={self.player}, legal={len(self.legal_ids())})"


def latest_events(tokens: npt.NDArray[np.int16] | None, length: int, reader: str) -> npt.NDArray[np.int16]:
    """Return the last `length` events of histories, int16 (..., N, 4); ValueError, naming the reader, if too few."""
    given = 0 if tokens is None else tokens.shape[-2]
    if tokens is None or given < length:
        raise ValueError(
            f"{reader} reads {length} events, and the views have {given}; make the environment with history={length}"
        )
    return tokens[..., given - length :, :]


class BatchView:
    """The input of an agent that acts in several games at once, without access to hidden information.

    Attributes:
        game: the (public) game.
        players: int8 (k,), the observing seat of each game; it is the player to move.
        observations: float32 (k, observation_size).
        action_masks: int8 (k, num_actions).
        states: (k,) redacted states; hidden cards and the random key are removed.
        histories: int16 (k, N, 4), the players' last events (`core.narration.history`); None if none are recorded.
    """

    __slots__ = ("action_masks", "game", "histories", "observations", "players", "states")

    def __init__(
        self,
        game: Game,
        players: npt.NDArray[np.int8],
        observations: npt.NDArray[np.float32],
        action_masks: npt.NDArray[np.int8],
        states: States,
        histories: npt.NDArray[np.int16] | None = None,
    ) -> None:
        self.game = game
        self.players, self.observations, self.action_masks, self.states = players, observations, action_masks, states
        self.histories = histories
        for array in (players, observations, action_masks, states):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.players)

    def __getitem__(self, index: int) -> View:
        """Return the view of the game at an index."""
        if not 0 <= index < len(self):
            raise IndexError(f"{index} is not in 0..{len(self) - 1}")
        history = None if self.histories is None else self.histories[index]
        return View(self.game, self.states, index, int(self.players[index]), history)

    def __iter__(self) -> Iterator[View]:
        """Iterate over the views of all games."""
        return (self[index] for index in range(len(self)))

    def sample(self, index: int, seed: int) -> States:
        """Return a (1,) state consistent with the knowledge of the player of game `index`; see `View.sample`."""
        return self[index].sample(seed)

    def __repr__(self) -> str:
        return f"BatchView(game={self.game.name!r}, {len(self)} decisions)"
