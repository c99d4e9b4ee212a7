"""What a batch tells of one of its games, wherever its arrays lie."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game, States, check_view
from porta_nigra_env.core.game.view import View

Array = npt.NDArray[Any]


class RowsTold:
    """The part of `envs.batch.BatchEnv` and `cuda.batch.GpuBatchEnv` that tells of single rows."""

    game: Game
    num_envs: int
    _started: bool

    def _record(self, row: int) -> tuple[States, int]:
        """A state array on the processor, and where in it the game of a row stands."""
        raise NotImplementedError

    def _set(self, row: int) -> Array:
        """The legal actions of a row as a bit set, uint64 (num_words,), on the processor."""
        raise NotImplementedError

    def legal_actions(self, row: int) -> list[str]:
        """Texts of the legal actions in a row, sorted; [] when its game is over."""
        members = np.flatnonzero(self._mask(self._row(row)))
        return sorted(self.game.action_texts[i] for i in members)

    def view(self, row: int, player: int | None = None) -> View:
        """What an agent may hold who plays `player` (by default, the one to move) in a row."""
        states, where = self._record(self._row(row))
        seat = int(states["current_player"][where]) if player is None else player
        if player is None and seat < 0:
            raise ValueError(f"the game in row {row} is over and nobody is to move; name the player who looks")
        return View(self.game, states, where, seat)

    def board(self, row: int, view: int | None = None) -> str:
        """The position in a row as text; with `view`, only what that seat may see."""
        states, where = self._record(self._row(row))
        return self.game.board(states, where, check_view(view, self.game.num_players))

    def _why_illegal(self, row: int, action: int) -> str:
        states, where = self._record(row)
        reason = self.game.why_illegal(action, int(states["current_player"][where]), self._mask(row))
        return f"row {row}: {reason}"

    def _mask(self, row: int) -> Array:
        """The legal actions of a row as zeros and ones, int8 (num_actions,)."""
        return unpacked(self._set(row), self.game.actions.size)

    def _check_begun(self) -> None:
        if not self._started:
            raise RuntimeError("no games are running; call reset() first")

    def _row(self, row: int) -> int:
        self._check_begun()
        number = operator.index(row)
        if not 0 <= number < self.num_envs:
            raise IndexError(f"row must be in 0..{self.num_envs - 1}, not {number}")
        return number


def unpacked(words: Array, size: int) -> Array:
    """Bit sets as zeros and ones, int8 (..., size); words: uint64 (..., num_words)."""
    spread = np.unpackbits(words.astype("<u8").view(np.uint8), axis=-1, bitorder="little")
    return spread[..., :size].astype(np.int8)
