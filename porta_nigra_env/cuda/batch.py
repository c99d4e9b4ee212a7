"""Many games on a GPU: the API of `envs.batch.BatchEnv` with all arrays on the device.

Arrays offer ``__cuda_array_interface__``: ``torch.as_tensor(step.observations, device="cuda")`` is the same memory.
Kernels run on torch's current stream if torch is in use. The module needs the extra ``gpu``.
"""

from __future__ import annotations

from typing import Any, Final, Unpack

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch.policy import stacked
from porta_nigra_env.core.game.game import Game, IllegalActionError, States, check_player
from porta_nigra_env.cuda import compile as cuda
from porta_nigra_env.cuda.arrays import GpuArrays, on_device
from porta_nigra_env.cuda.compile import downloaded, launch, overwrite, uploaded
from porta_nigra_env.cuda.loops import LANES, compile_kernels, shared
from porta_nigra_env.envs.batch_base import BatchBase, BatchStep
from porta_nigra_env.envs.batch_inputs import action_ids, row_mask
from porta_nigra_env.envs.batch_options import BatchOptions, Settings

Array = npt.NDArray[Any]


class GpuBatchEnv(BatchBase):
    """`num_envs` games on a GPU; equal seeds give the same games as `envs.batch.BatchEnv`, byte for byte.

    `random_actions` returns the same array at every call and overwrites it. `views`, `view`, `board`, `bookkeeping` and
    the counters copy to the CPU.

    Args:
        game, num_envs, reward, autoreset_mode, seat, observations, masks, illegal_reward: same as in `BatchEnv`.
        opponents: compiled policies or their names; they run on the GPU.
        illegal_action: "raise" refuses the whole step, for which the CPU waits for the GPU at every step. "terminate"
            ends that row's game; then `step` never waits, which a CUDA graph needs.

    Attributes:
        observations, action_masks, rewards, terminated, current_player: on the GPU, see `BatchStep`.
        final_scores, final_places, final_observations, states: on the GPU, same as in `BatchEnv`; call `refresh` after
        writing to `states`.

    Raises:
        RuntimeError: there is no GPU.
        ValueError: an invalid argument; the message names it.
    """

    def __init__(self, game: Game, num_envs: int, **options: Unpack[BatchOptions]) -> None:
        settings = Settings(game, num_envs, compiled=True, **options)
        super().__init__(settings)
        cuda.check_gpu()
        self.constants: Final = on_device(game)
        self._arrays = arrays = GpuArrays(settings)
        self.observations, self.action_masks = arrays.shown_observations, arrays.shown_masks
        self.states = arrays.rows.states
        self.rewards, self.terminated = arrays.rows.rewards, arrays.rows.ended
        self.current_player = arrays.rows.current
        self.final_scores, self.final_places = arrays.rows.totals, arrays.rows.places
        self.final_observations = arrays.rows.finals
        self._result = BatchStep(
            self.observations, self.action_masks, self.rewards, self.terminated, self.current_player
        )
        self._sampling = cuda.zeros((self.num_envs, 3), np.int64)
        self._bind()

    def _host(self, array: Any) -> Array:
        copy: Array = downloaded(array)
        return copy.astype(self.game.dtype) if array.dtype == self.states.dtype else copy

    def _write(self, array: Any, values: Array) -> None:
        overwrite(array, values)

    def _bind(self) -> None:
        policies, raw = self._settings.policies, self._settings.raw
        self._loops, self._rules = compile_kernels(self.game, policies, raw), self._settings.rules()
        functions, parameters, reads = map(uploaded, stacked(policies))
        self._rows = self._arrays.rows._replace(functions=functions, parameters=parameters, reads=reads)

    # -- episodes

    def _begin(self, chosen: Array, fresh: bool) -> None:
        launch(self._loops.begin, self.num_envs, self.constants, self._rows, self._rules, uploaded(chosen), fresh)
        self._started = True
        self._show()
        self.check()

    def _ids(self, actions: object) -> Any:
        """Return actions on the GPU, of an integer dtype; arrays on the GPU are not copied."""
        ids = cuda.on_gpu(actions)
        if ids is None:
            return uploaded(action_ids(actions, self.num_envs))
        if ids.dtype.kind != "i":
            raise IllegalActionError(f"actions must be signed integer ids, not {ids.dtype}")
        if ids.shape != (self.num_envs,):
            raise IllegalActionError(f"actions must have shape ({self.num_envs},), not {ids.shape}")
        return ids

    def _advance(self, actions: Any) -> int:
        if self._rules.strict and (row := self._first_faults(actions)[0]) < self.num_envs:
            return row
        launch(
            self._loops.step, self.num_envs, self.constants, self._rows, self._rules, actions, self._arrays.all, True
        )
        self._show()
        if self._rules.strict:
            self.check()
        return -1

    def check(self) -> None:
        """Raise RuntimeError if a policy returned an illegal action; this call waits for the GPU.

        With ``illegal_action="raise"``, every step performs this check.
        """
        if self._settings.lineups.policies and (row := self._first_faults(self._arrays.none)[1]) < self.num_envs:
            raise self._policy_error(row)

    def _first_faults(self, actions: Any) -> list[int]:
        """Return the first rows with an illegal action and with a policy's fault; `num_envs` if there are none."""
        rows = self._rows
        overwrite(self._arrays.faults, np.full(2, self.num_envs, dtype=np.int64))
        kernel = shared("check")
        launch(kernel, self.num_envs, rows.words, rows.current, actions, rows.bookkeeping, self._arrays.faults)
        faults: list[int] = downloaded(self._arrays.faults).tolist()
        return faults

    def _show(self) -> None:
        """Fill masks and observations from the states."""
        arrays, rows, threads = self._arrays, self._rows, LANES * self.num_envs
        if arrays.unpacked:
            launch(shared("show_masks"), threads, rows.words, arrays.shown_masks)
        if arrays.written.shape[1]:
            launch(self._loops.observe, self.num_envs, self.constants, rows.states, rows.bookkeeping, arrays.written)
        if arrays.shown_observations.dtype == np.float16:
            launch(shared("show_halves"), threads, arrays.written, arrays.patterns, arrays.halves)

    def _inspect(self) -> None:
        launch(self._loops.inspect, self.num_envs, self.constants, self._rows)
        self._show()

    def _sample(self, keys: Any) -> Any:
        keys = uploaded(keys) if isinstance(keys, np.ndarray) else keys
        launch(shared("sample"), self.num_envs, self._rows.words, self._rows.current, keys, self._arrays.actions)
        return self._arrays.actions

    # -- views

    def privileged(self, out: Any = None) -> Any:
        """Return the privileged vector of every row, float32 (n, privileged_size) on the GPU, same as in `BatchEnv`."""
        self._check_started()
        shape = (self.num_envs, self.game.privileged.size)
        vectors = cuda.empty(shape, np.float32) if out is None else cuda.on_gpu(out)
        if vectors is None or vectors.shape != shape or vectors.dtype != np.float32:
            raise ValueError(f"out: expected float32 {shape} on the GPU")
        launch(self._loops.privileged, self.num_envs, self.constants, self.states, vectors)
        return vectors if out is None else out

    def redacted(self, rows: object = None, players: object = None) -> tuple[Any, Any]:
        """Return the states (k,) of `rows`, redacted for `players`, and these seats, int8 (k,); both on the GPU.

        By default `players` are the players to move and `rows` all rows with a player to move.
        """
        if players is None:
            where, seats = self._movers(rows)
        else:
            self._check_started()
            waiting = downloaded(self.current_player) >= 0 if rows is None else rows
            where = np.flatnonzero(row_mask(waiting, self.num_envs))
            seats = np.broadcast_to(np.asarray(players, dtype=np.int8), where.shape)
        for seat in np.unique(seats).tolist():
            check_player(seat, self.game.num_players)
        viewers, out = uploaded(seats), cuda.empty(len(where), self.states.dtype)
        launch(self._loops.redact, len(where), self.constants, self.states, uploaded(where), viewers, out)
        return out, viewers

    def _redact(self, rows: Array, players: Array) -> States:
        return self._host(self.redacted(rows, players)[0])

    def determinize(self, states: Any, players: Any, seeds: object) -> None:
        """Redraw in place the information hidden from players, in states on the GPU such as those of `redacted`.

        Args:
            states: (k,); players: int8 (k,); both on the GPU.
            seeds: int64 (k,).
        """
        device_seeds = uploaded(np.asarray(seeds, dtype=np.int64))
        for name, given in (("players", players), ("seeds", device_seeds)):
            if given.shape != states.shape:
                raise ValueError(f"{name}: {given.shape[0]} for {states.shape[0]} states")
        launch(self._loops.determinize, states.shape[0], self.constants, states, players, device_seeds)
