"""What can be seen of the games of a batch: by agents, by people, and by critics in training."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch import encoding
from porta_nigra_env.core.batch.batch import BatchLoops
from porta_nigra_env.core.game.game import States
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.batch_arrays import BatchArrays, check_buffer
from porta_nigra_env.envs.batch_inputs import chosen_rows, drawn_keys
from porta_nigra_env.envs.rows_told import RowsTold, unpacked
from porta_nigra_env.envs.threads import Workers

Array = npt.NDArray[Any]


class RowsSeen(RowsTold):
    """The part of `envs.batch.BatchEnv` that looks at games and changes nothing."""

    states: States
    current_player: Array
    terminated: Array
    _arrays: BatchArrays
    _bookkeeping: Array
    _loops: BatchLoops
    _sampling: Array
    _side: int
    _workers: Workers

    def _record(self, row: int) -> tuple[States, int]:
        return self.states, row

    def _set(self, row: int) -> Array:
        words: Array = self._arrays.words[row]
        return words

    def random_actions(self, rng: np.random.Generator | None = None) -> Array:
        """A uniformly random legal action for each row, int64 (n,); 0 where the game is over.

        rng: a generator, the same one for all calls; by default each row goes on from its own seed, and repeats after a
            `reset` with the same.
        """
        self._check_begun()
        policy_rng = self._sampling if rng is None else drawn_keys(rng, self.num_envs)
        actions = np.zeros(self.num_envs, dtype=np.int64)
        encoding.sample(self._arrays.words, self.current_player, policy_rng, actions, 0, self.num_envs)
        return actions

    def views(self, rows: object = None) -> BatchView:
        """What an agent may hold who decides in `rows` (a mask or indices; by default, wherever somebody is to move).

        The games stand in ascending order of rows.
        """
        self._check_begun()
        chosen = chosen_rows(self.current_player >= 0 if rows is None else rows, self.num_envs)
        where = np.flatnonzero(chosen)
        players = self.current_player[where]
        if (players < 0).any():
            raise ValueError(f"rows: the game in row {where[players < 0][0]} is over, nobody is to decide there")
        states = np.zeros(len(where), dtype=self.game.dtype)
        self._loops.redact_rows(self.game.constants, self.states, where, players, states)
        masks, _, wide, _ = self._arrays.sides[self._side]
        observations, shown = wide[where], masks[where]
        if not masks.shape[1]:
            shown = unpacked(self._arrays.words[where], self.game.actions.size)
        if not wide.shape[1]:
            observations = np.zeros((len(where), self.game.observations.size), dtype=np.float32)
            for i, player in enumerate(players.tolist()):
                self.game.kernel.observe(self.game.constants, states, i, player, observations[i])
        return BatchView(self.game, players, observations, shown, states)

    def privileged(self, out: Array | None = None) -> Array:
        """The privileged vector of every row, float32 (n, privileged_size): everything, players by seat.

        For critics that only training uses: hidden cards are in it, an agent must not be given it.  `game.privileged`
        tells what it means.

        Args:
            out: an array to write into, C-contiguous, float32 (n, privileged_size); by default a new one.
        """
        self._check_begun()
        shape = (self.num_envs, self.game.privileged.size)
        if out is None:
            out = np.empty(shape, dtype=np.float32)
        check_buffer("out", out, shape, np.dtype(np.float32))
        states, constants = self.states, self.game.constants
        self._workers.spread(lambda first, last, slot: self._loops.privileged(constants, states, first, last, out))
        return out

    @property
    def learners(self) -> Array:
        """The learner's seat in the running games, int8 (n,); -1 with ``seat="every"``."""
        return self._bookkeeping["learner"].copy()

    @property
    def last_learners(self) -> Array:
        """Her seat in the game that ended last in each row, int8 (n,), where one has ended."""
        return self._bookkeeping["last_learner"].copy()

    @property
    def illegal(self) -> Array:
        """Where a game ended in this step by an illegal action, bool (n,)."""
        ended: Array = self.terminated & (self._bookkeeping["illegal"] != 0)
        return ended

    @property
    def lengths(self) -> Array:
        """Decisions made in the running games, int32 (n,)."""
        return self._bookkeeping["length"].copy()

    @property
    def last_lengths(self) -> Array:
        """Decisions of the game that ended last in each row, int32 (n,)."""
        return self._bookkeeping["last_length"].copy()

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        return self._arrays.nbytes
