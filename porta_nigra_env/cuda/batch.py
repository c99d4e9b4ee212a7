"""Many games at once on a GPU: the face of `envs.batch.BatchEnv` with everything on the device.

Arrays lie on the GPU and offer ``__cuda_array_interface__``: ``torch.as_tensor(step.observations, device="cuda")`` is
the same memory.  Kernels run on torch's current stream where torch is in use.  Needs the extra ``gpu``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from porta_nigra_env.core.batch.policy import stacked
from porta_nigra_env.core.game.game import Game, IllegalActionError, States, check_player
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.cuda import compile as cuda
from porta_nigra_env.cuda.arrays import GpuArrays, on_device
from porta_nigra_env.cuda.compile import downloaded, launch, overwrite, uploaded
from porta_nigra_env.cuda.loops import LANES, compile_kernels, shared
from porta_nigra_env.envs import snapshots
from porta_nigra_env.envs.batch_arrays import KEPT, Formats
from porta_nigra_env.envs.batch_inputs import (
    Beginnings,
    action_ids,
    beginnings,
    check_first,
    chosen_rows,
    drawn_keys,
    read_positions,
)
from porta_nigra_env.envs.batch_options import Settings
from porta_nigra_env.envs.opponents import Opponents
from porta_nigra_env.envs.rows_told import RowsTold, unpacked

Array = npt.NDArray[Any]


class GpuStep(NamedTuple):
    """What `GpuBatchEnv.reset` and `GpuBatchEnv.step` return, on the GPU: the environment's own buffers, overwritten
    by the next step; shapes and dtypes as of `envs.batch.BatchStep`."""

    observations: Any
    action_masks: Any
    rewards: Any
    terminated: Any
    current_player: Any


class GpuBatchEnv(RowsTold):
    """`num_envs` games on a GPU; the same seeds give the same games, byte for byte, as `envs.batch.BatchEnv`.

    Args:
        game, num_envs, reward, autoreset_mode, seat, observations, masks: as of `BatchEnv`.
        opponents: compiled policies, or players by names that stand for such; they play on the GPU.
        illegal_action: "raise" refuses the whole step, for which the processor waits at every step until the GPU is
            done; "terminate" ends that row's game, and then nothing in `step` waits, which a CUDA graph needs.
        illegal_reward: as of `BatchEnv`.

    Attributes:
        observations, action_masks, rewards, terminated, current_player: on the GPU, see `GpuStep`.
        final_scores, final_places, final_observations, states: on the GPU, as of `BatchEnv`; call `refresh` after
            writing to `states`.

    Raises:
        RuntimeError: there is no GPU.
        ValueError: an argument that cannot be used; the message names it.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        reward: str = "outcome",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        seat: int | str = "every",
        opponents: Opponents = None,
        observations: str = "float32",
        masks: str = "int8",
        illegal_action: str = "raise",
        illegal_reward: float | None = None,
    ) -> None:
        settings = Settings(
            game, num_envs, reward, autoreset_mode, seat, opponents, illegal_action, illegal_reward, compiled=True
        )
        self._settings = settings
        self.game, self.num_envs, self.seat = game, settings.num_envs, settings.seat
        self.reward, self.autoreset_mode = settings.reward, settings.autoreset_mode
        self.illegal_action = settings.illegal_action
        formats = Formats(observations, masks)
        cuda.check_gpu()
        self.constants: Final = on_device(game)
        self._arrays = arrays = GpuArrays(game, self.num_envs, formats, settings.has_learner)
        overwrite(arrays.rows.lineups, np.tile(np.array(settings.lineup, dtype=np.int8), (self.num_envs, 1)))
        self.observations, self.action_masks = arrays.shown_observations, arrays.shown_masks
        self.states: Any = arrays.rows.states
        self.rewards, self.terminated = arrays.rows.rewards, arrays.rows.ended
        self.current_player = arrays.rows.current
        self.final_scores, self.final_places = arrays.rows.totals, arrays.rows.places
        self.final_observations = arrays.rows.finals
        self._result = GpuStep(self.observations, self.action_masks, self.rewards, self.terminated, self.current_player)
        self._sampling = cuda.zeros((self.num_envs, 3), np.int64)
        self._started = False
        self._bind()

    def _bind(self) -> None:
        """The kernels for the policies in use, and their parameters."""
        policies = self._settings.policies
        self._loops, self._rules = compile_kernels(self.game, policies), self._settings.rules()
        parameters, reads = stacked(policies)
        self._rows = self._arrays.rows._replace(parameters=uploaded(parameters), reads=uploaded(reads))

    def set_opponents(self, opponents: Opponents, rows: object = None) -> None:
        """Other opponents in the games that begin from now on, as of `BatchEnv.set_opponents`."""
        chosen = chosen_rows(rows, self.num_envs)
        line, known = self._settings.further(opponents), len(self._settings.lineups.policies)
        lineups = downloaded(self._rows.lineups)
        lineups[chosen] = line
        overwrite(self._rows.lineups, lineups)
        if known != len(self._rows.reads):
            self._bind()

    # -- a game's course

    def reset(self, seed: int | Sequence[int | None] | None = None, rows: object = None) -> GpuStep:
        """Begin new games in all rows, or in `rows`, as of `BatchEnv.reset`."""
        chosen = chosen_rows(rows, self.num_envs)
        check_first(chosen, self._started)
        self._sow(beginnings(downloaded(self._rows.bookkeeping), seed, chosen, self._started))
        return self._begin(chosen, fresh=True)

    def load(self, positions: object, rows: object = None, seed: int | Sequence[int | None] | None = None) -> GpuStep:
        """Begin games from positions, as of `BatchEnv.load`."""
        chosen = chosen_rows(rows, self.num_envs)
        begun = beginnings(downloaded(self._rows.bookkeeping), seed, chosen, self._started)
        states = downloaded(self.states)
        states[chosen] = read_positions(self.game, positions, np.flatnonzero(chosen), begun.future)
        self._sow(begun)
        overwrite(self.states, states)
        if not self._started and not chosen.all():
            self._begin(~chosen, fresh=True)
        return self._begin(chosen, fresh=False)

    def step(self, actions: object) -> GpuStep:
        """One decision in every game; actions: integers (n,), on the GPU or not, ignored where the game is over.

        Raises:
            IllegalActionError: actions that are no integers or not so many; with ``illegal_action="raise"`` also one
                that is not legal in its row.  Nothing has changed.
            RuntimeError: no games are running, or, with "raise", a policy answered with an illegal action.
        """
        self._check_begun()
        chosen = self._actions(actions)
        if self.illegal_action == "raise":
            row = self._found(chosen)[0]
            if row < self.num_envs:
                raise IllegalActionError(self._why_illegal(row, int(downloaded(chosen)[row])))
        launch(self._loops.step, self.num_envs, self.constants, self._rows, self._rules, chosen, self._arrays.all, True)
        self._show()
        if self.illegal_action == "raise":
            self.check()
        return self._result

    def check(self) -> None:
        """RuntimeError where a policy has answered with an illegal action; waits until the GPU is done.

        Every step does so with ``illegal_action="raise"``.
        """
        if self._settings.lineups.policies and (row := self._found(self._arrays.none)[1]) < self.num_envs:
            number = int(downloaded(self._rows.bookkeeping)["fault"][row]) - 1
            name = self._settings.policies[number].name
            raise RuntimeError(f"policy {name!r} answered with an action that is not legal, in row {row}")

    def _found(self, actions: Any) -> list[int]:
        """The first rows with an illegal action and with a policy's fault; `num_envs` where there is none."""
        rows = self._rows
        overwrite(self._arrays.found, np.full(2, self.num_envs, dtype=np.int64))
        kernel = shared("check")
        launch(kernel, self.num_envs, rows.words, rows.current, actions, rows.bookkeeping, self._arrays.found)
        found: list[int] = downloaded(self._arrays.found).tolist()
        return found

    def _actions(self, actions: object) -> Any:
        """Actions on the GPU, of an integer dtype; those that lie there already are not copied."""
        found = cuda.on_gpu(actions)
        if found is None:
            return uploaded(action_ids(actions, self.num_envs))
        if found.dtype.kind != "i":
            raise IllegalActionError(f"actions must be signed integer ids, not {found.dtype}")
        if found.shape != (self.num_envs,):
            raise IllegalActionError(f"actions must have shape ({self.num_envs},), not {found.shape}")
        return found

    def _sow(self, begun: Beginnings) -> None:
        kept, sampling = downloaded(self._rows.bookkeeping), downloaded(self._sampling)
        begun.write(kept, sampling)
        overwrite(self._rows.bookkeeping, kept)
        overwrite(self._sampling, sampling)

    def _begin(self, chosen: Array, fresh: bool) -> GpuStep:
        launch(self._loops.begin, self.num_envs, self.constants, self._rows, self._rules, uploaded(chosen), fresh)
        self._started = True
        self._show()
        self.check()
        return self._result

    def _show(self) -> None:
        """Fill masks and observations of what the loops have left."""
        arrays, rows, threads = self._arrays, self._rows, LANES * self.num_envs
        if arrays.unpacked:
            launch(shared("show_masks"), threads, rows.words, arrays.shown_masks)
        if arrays.wide.shape[1]:
            launch(self._loops.observe, self.num_envs, self.constants, rows.states, rows.bookkeeping, arrays.wide)
        if arrays.shown_observations.dtype == np.uint8:
            launch(shared("show_bytes"), threads, arrays.wide, arrays.scales, arrays.shown_observations)
        elif arrays.shown_observations.dtype == np.float16:
            launch(shared("show_halves"), threads, arrays.wide, arrays.patterns, arrays.halves)

    def refresh(self) -> GpuStep:
        """Fill masks, observations and current players anew, after `states` was written to from outside."""
        self._check_begun()
        launch(self._loops.inspect, self.num_envs, self.constants, self._rows)
        self._show()
        return self._result

    # -- what is seen

    def random_actions(self, rng: np.random.Generator | None = None) -> Any:
        """A uniformly random legal action for each row, int64 (n,) on the GPU, as of `BatchEnv.random_actions`.

        The array is the same at every call and is overwritten by the next one.  With `rng` its keys are drawn on the
        processor.
        """
        self._check_begun()
        policy_rng = self._sampling if rng is None else uploaded(drawn_keys(rng, self.num_envs))
        launch(shared("sample"), self.num_envs, self._rows.words, self._rows.current, policy_rng, self._arrays.actions)
        return self._arrays.actions

    def privileged(self, out: Any = None) -> Any:
        """The privileged vector of every row, float32 (n, privileged_size) on the GPU, as of `BatchEnv.privileged`."""
        self._check_begun()
        shape = (self.num_envs, self.game.privileged.size)
        found = cuda.empty(shape, np.float32) if out is None else cuda.on_gpu(out)
        if found is None or found.shape != shape or found.dtype != np.float32:
            raise ValueError(f"out: expected float32 {shape} on the GPU")
        launch(self._loops.privileged, self.num_envs, self.constants, self.states, found)
        return found if out is None else out

    def redacted(self, rows: object = None, players: object = None) -> tuple[Any, Any]:
        """States (k,) of `rows`, redacted for those to move there or for `players`, and their seats, int8 (k,).

        Both on the GPU; `rows` by default wherever somebody is to move.
        """
        self._check_begun()
        current = downloaded(self.current_player)
        where = np.flatnonzero(chosen_rows(current >= 0 if rows is None else rows, self.num_envs))
        seats = current[where] if players is None else np.broadcast_to(np.asarray(players, dtype=np.int8), where.shape)
        if players is None and (seats < 0).any():
            raise ValueError(f"rows: the game in row {where[seats < 0][0]} is over, nobody is to decide there")
        for seat in np.unique(seats).tolist():
            check_player(seat, self.game.num_players)
        looking, out = uploaded(seats), cuda.empty(len(where), self.states.dtype)
        launch(self._loops.redact, len(where), self.constants, self.states, uploaded(where), looking, out)
        return out, looking

    def determinize(self, states: Any, players: Any, seeds: object) -> None:
        """Redraw in place what players cannot know of states on the GPU, those of `redacted` for instance.

        Args:
            states: (k,); players: int8 (k,); both on the GPU.
            seeds: int64 (k,).
        """
        wanted = uploaded(np.asarray(seeds, dtype=np.int64))
        for name, given in (("players", players), ("seeds", wanted)):
            if given.shape != states.shape:
                raise ValueError(f"{name}: {given.shape[0]} for {states.shape[0]} states")
        launch(self._loops.determinize, states.shape[0], self.constants, states, players, wanted)

    def views(self, rows: object = None) -> BatchView:
        """What an agent may hold who decides in `rows`, as of `BatchEnv.views`: copies on the processor."""
        states, seats = self.redacted(rows)
        size, words = self.game.observations.size, self.game.num_words
        count = states.shape[0]
        shown, sets = np.zeros((count, size), dtype=np.float32), np.zeros((count, words), dtype=np.uint64)
        found, players = downloaded(states).astype(self.game.dtype), downloaded(seats)
        kernel, constants = self.game.kernel, self.game.constants
        for i, player in enumerate(players.tolist()):
            kernel.observe(constants, found, i, player, shown[i])
            kernel.legal(constants, found, i, sets[i])
        return BatchView(self.game, players, shown, unpacked(sets, self.game.actions.size), found)

    def bookkeeping(self) -> Array:
        """A copy on the processor of what is kept of each row, (n,) of `core.batch.bookkeeping.BOOKKEEPING`."""
        found: Array = downloaded(self._rows.bookkeeping)
        return found

    def _record(self, row: int) -> tuple[States, int]:
        return downloaded(self.states[row : row + 1]).astype(self.game.dtype), 0

    def _set(self, row: int) -> Array:
        words: Array = downloaded(self._rows.words[row : row + 1])[0]
        return words

    # -- snapshots

    def snapshot(self) -> bytes:
        """All games as bytes, those of `BatchEnv.snapshot`: either goes on with the other's."""
        self._check_begun()
        return snapshots.written(self._kept(), np.ones(self.num_envs, dtype=np.bool_), self._settings.description())

    def restore(self, data: bytes) -> GpuStep:
        """Go on from a snapshot; ValueError as of `BatchEnv.restore`, and nothing has changed."""
        kept = self._kept()
        snapshots.read_into(kept, data, self._settings.description())
        for name in KEPT:
            overwrite(getattr(self._rows, name), kept[name])
        overwrite(self._sampling, kept["sampling"])
        self._started = True
        return self.refresh()

    def _kept(self) -> dict[str, Array]:
        """Copies on the processor of the arrays of a snapshot, by name."""
        kept = {name: downloaded(getattr(self._rows, name)) for name in KEPT}
        return kept | {"states": kept["states"].astype(self.game.dtype), "sampling": downloaded(self._sampling)}

    def __repr__(self) -> str:
        return f"GpuBatchEnv({self.game!r}, {self.num_envs}, seat={self.seat!r}, reward={self.reward!r})"
