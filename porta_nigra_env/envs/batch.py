"""Many games as arrays: one compiled call steps all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Self, Unpack

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch import encoding
from porta_nigra_env.core.batch.batch import compile_batch
from porta_nigra_env.core.batch.bookkeeping import OUTSIDE
from porta_nigra_env.core.batch.policy import stacked
from porta_nigra_env.core.game.game import Game, IllegalActionError, States, check_positive
from porta_nigra_env.core.narration.history import TOKEN, Memory, tokens_of, tracker_of
from porta_nigra_env.envs import batch_arrays, batch_inputs
from porta_nigra_env.envs.batch_arrays import BatchArrays, check_buffer
from porta_nigra_env.envs.batch_base import BatchBase, BatchStep
from porta_nigra_env.envs.batch_options import BatchOptions, Settings
from porta_nigra_env.envs.opponents import BatchAgent
from porta_nigra_env.envs.threads import Threads

__all__ = ["BatchEnv", "BatchStep"]

Array = npt.NDArray[Any]

#: A row mask of length 0: the loops take it for all rows.
_ALL_ROWS: Final = np.ones(0, dtype=np.bool_)


class BatchEnv(BatchBase):
    """`num_envs` games, each with its own seed, stepped together on the CPU.

    By default `step` takes the actions of every seat.  With a learner's `seat`, opponents play the other seats.

    Results depend neither on the order of rows nor on threads.  Row i of ``reset(seed=s)`` plays the games of
    ``raw_env`` after ``reset(seed=s + i)``, or those of ``seat_env`` with a learner's seat.

    Args:
        game: the game; or several that differ in their component sets only, for equal consecutive parts of the rows.
        num_envs: number of games.
        reward: one of `envs.rewards.REWARDS`, "outcome" by default.
        autoreset_mode: Gymnasium's modes.  SAME_STEP (the default): the next game begins in the same step, whose
            `terminated` and `rewards` belong to the game that ended.  NEXT_STEP: the next step ignores the row's action
            and begins the next game.  DISABLED: the row rests until `reset` or `load`.
        seat: "every" (the default), or the learner's seat: a number, "rotate" (seat ``seed % players``, then the next
            one in each game), or "random" (drawn for each game).
        opponents: the players of the other seats; random policies by default, see `envs.opponents.Opponents`.
        observations: "float32"; "float16"; "uint8", the raw quantities (up to 255) before scaling; or "none".
        masks: "int8"; "packed", 64 actions in each uint64, action i at bit ``i & 63`` of word ``i >> 6``; or "none".
        illegal_action: "raise" (the default) refuses the whole step.  "terminate" ends that row's game for any illegal
            integer, with `illegal_reward` for the player to move, who is ranked last; `illegal` marks the row.
        illegal_reward: -1 by default, the worst "outcome".  Other rewards need a lower one without masks.
        history: number of events in `histories`, see `core.narration.history`; 0 (the default) for none.
        observe_components: append the component numbers (`core.positions.pieces`) to observations, which become
            longer than `observation_size`; views of agents stay as they are.
        threads: number of threads that share the rows.
        double_buffer: alternate observations and masks between two buffers, so that those of the previous step stay
            valid; `reset` and `load` write into the buffers of the last step.
        buffers: C-contiguous arrays to write into, by the name of the attribute.

    Attributes:
        observations, action_masks, rewards, terminated, current_player: see `BatchStep`.
        final_scores: int32 (n, players), totals of the last game that ended in each row.
        final_places: int8 (n, players), ranks in that game, 1 for the first; an illegal action makes its player last.
        final_observations: float32 (n, observation_size), the learner's last one of that game; only with a `seat`.
        histories: int16 (n, history, 4), the last events that the player to move has seen, the latest one last.
        final_histories: the same of the learner at the end of the game that ended last; only with a `seat`.
        states: (n,) state array, hidden cards included; call `refresh` after writing to it.

    Raises:
        ValueError: an invalid argument; the message names it.
    """

    def __init__(
        self,
        game: Game | Sequence[Game],
        num_envs: int,
        *,
        threads: int = 1,
        double_buffer: bool = False,
        buffers: Mapping[str, Array] | None = None,
        **options: Unpack[BatchOptions],
    ) -> None:
        settings = Settings(game, num_envs, **options)
        super().__init__(settings)
        self.threads: Final = min(check_positive(threads, "threads"), self.num_envs)
        self._threads = Threads(self.num_envs, self.threads)
        self._arrays = BatchArrays(settings, self._threads.slots, double_buffer, buffers)
        rows = self._arrays.sides[0].rows
        self.states: States = rows.states
        self.rewards, self.terminated, self.current_player = rows.rewards, rows.ended, rows.current
        self.final_scores, self.final_places = rows.totals, rows.places
        self.final_observations = self._arrays.finals
        self.histories = self.final_histories = np.zeros((self.num_envs, 0, TOKEN), dtype=np.int16)
        self._sampling = np.zeros((self.num_envs, 3), dtype=np.int64)
        # The loop itself refuses illegal actions if one call reaches all rows.
        plain = not self._arrays.converted and len(self.games) == 1
        self._at_once: Final = self.threads == 1 and plain and not double_buffer
        self._side = 0
        self._bind()

    def _bind(self) -> None:
        policies, raw = self._settings.policies, self._settings.raw
        tracker = tracker_of(self.game) if self._settings.history else None
        self._loops, self._rules = compile_batch(self.game, policies, tracker, raw), self._settings.rules()
        self._parts = [(first, last, game.constants) for first, last, game in batch_arrays.row_parts(self._settings)]
        self._arrays.use_policies(*stacked(policies))
        self._show(self._side)

    def _show(self, side: int) -> None:
        """Make a set of buffers the current one."""
        self._side = side
        self._rows, self.observations, self.action_masks = self._arrays.sides[side]
        history = self._rows.history
        if isinstance(history, Memory):
            self.histories, self.final_histories = tokens_of(history.shown), tokens_of(history.finals)
        self._result = BatchStep(
            self.observations, self.action_masks, self.rewards, self.terminated, self.current_player
        )

    # -- episodes

    def _begin(self, chosen: Array, fresh: bool) -> None:
        rows, rules, begin = self._rows, self._rules, self._loops.begin
        self._run(lambda constants, first, last, slot: begin(constants, rows, rules, first, last, slot, chosen, fresh))
        self._started = True
        self._check_faults()
        self._complete()

    def _ids(self, actions: object) -> Array:
        return batch_inputs.action_ids(actions, self.num_envs)

    def _advance(self, actions: Array) -> int:
        if not self._at_once and self._rules.strict:
            row = int(encoding.first_illegal(self._rows.words, self.current_player, actions, 0, self.num_envs))
            if row >= 0:
                return row
        if len(self._arrays.sides) > 1:
            self._show(1 - self._side)
        row = self._move(actions, _ALL_ROWS, fresh=True)
        if row < 0:
            self._complete()
        return row

    def _move(self, actions: Array, chosen: Array, fresh: bool) -> int:
        rows, rules, step = self._rows, self._rules, self._loops.step
        row = -1
        if self._at_once:
            row = step(self._parts[0][2], rows, rules, 0, self.num_envs, 0, actions, chosen, fresh)
        else:
            self._run(
                lambda constants, first, last, slot: step(
                    constants, rows, rules, first, last, slot, actions, chosen, fresh
                )
            )
        self._check_faults()
        return row

    def _run(self, call: Callable[[States, int, int, int], Any]) -> None:
        """Run `call`, with constants, over all rows on the threads, then convert the observations."""

        def work(first: int, last: int, slot: int) -> None:
            self._call_parts(call, first, last, slot)
            if self._arrays.converted:
                self._arrays.convert(self._arrays.sides[self._side], first, last)

        self._threads.spread(work)

    def _call_parts(self, call: Callable[[States, int, int, int], Any], first: int, last: int, slot: int) -> None:
        """Call ``call(constants, first, last, slot)`` for the part of the rows that each component set has."""
        for begin, end, constants in self._parts:
            if begin < last and first < end:
                call(constants, max(begin, first), min(end, last), slot)

    def _inspect(self) -> None:
        rows = self._rows
        self._run(lambda constants, first, last, slot: self._loops.inspect(constants, rows, first, last))
        self._arrays.copy_packed(self._arrays.sides[self._side])

    def _sample(self, keys: Array) -> Array:
        actions = np.zeros(self.num_envs, dtype=np.int64)
        encoding.sample(self._rows.words, self.current_player, keys, actions, 0, self.num_envs)
        return actions

    # -- agents outside compiled code

    def _complete(self) -> None:
        """Ask agents outside compiled code, then copy packed masks."""
        if self._settings.lineups.agents:
            # If an agent raises, the rows wait for an opponent and no caller may act for it.
            self._unanswered = True
            self._ask()
            self._unanswered = False
        if self._arrays.packed:
            self._arrays.copy_packed(self._arrays.sides[self._side])

    def _ask(self) -> None:
        """Ask the agents until every row waits for the learner or is over."""
        indices = np.arange(self.num_envs)
        answers = np.zeros(self.num_envs, dtype=np.int64)
        while True:
            current = self.current_player
            movers = np.where(current < 0, OUTSIDE, self._rows.bookkeeping["players"][indices, current])
            waiting = movers < OUTSIDE
            if not waiting.any():
                return
            for number in np.unique(movers[waiting]):
                rows = np.flatnonzero(movers == number)
                answers[rows] = self._answers(self._settings.lineups.agent(int(number)), rows)
            self._move(answers, waiting, fresh=False)

    def _answers(self, agent: BatchAgent, rows: Array) -> Array:
        name = getattr(agent, "name", None) or type(agent).__name__
        try:
            ids = np.asarray(self._act(agent, rows))
        except IllegalActionError as error:
            raise RuntimeError(f"opponent {name} answered with an illegal action: {error}") from error
        if ids.shape != rows.shape or ids.dtype.kind not in "iu":
            raise RuntimeError(f"opponent {name}: expected {len(rows)} integer ids, not {ids.dtype} {ids.shape}")
        answers = ids.astype(np.int64)
        bad = encoding.first_illegal(self._rows.words[rows], self.current_player[rows], answers, 0, len(rows))
        if bad >= 0:
            reason = self._why_illegal(int(rows[bad]), int(answers[bad]))
            raise RuntimeError(f"opponent {name} answered with an illegal action: {reason}")
        return answers

    def _act(self, agent: BatchAgent, rows: Array) -> Any:
        """Return the answers of an agent; one that draws gets a seed for each game, so that games differ."""
        act_seeded = getattr(agent, "act_seeded", None)
        if act_seeded is None:
            return agent.act_batch(self.views(rows))
        seeds = np.zeros(len(rows), dtype=np.int64)
        encoding.agent_seeds(self._rows.bookkeeping, rows, seeds)
        return act_seeded(self.views(rows), seeds)

    def _check_faults(self) -> None:
        # Counting is the fastest test of a column of records.
        if self._settings.lineups.policies and np.count_nonzero(faults := self._rows.bookkeeping["fault"]):
            raise self._policy_error(int(np.flatnonzero(faults)[0]))

    # -- views

    def _redact(self, rows: Array, players: Array) -> States:
        states = np.zeros(len(rows), dtype=self.game.dtype)
        self._loops.redact_rows(self.game.constants, self.states, rows, players, states)
        return states

    def privileged(self, out: Array | None = None) -> Array:
        """Return the privileged vector of every row, float32 (n, privileged_size): the whole state, players by seat.

        For critics in training only: it contains hidden cards.  `game.privileged` describes its fields.

        Args:
            out: an array to write into, C-contiguous, float32 (n, privileged_size); by default a new one.
        """
        self._check_started()
        shape = (self.num_envs, self.game.privileged.size)
        if out is None:
            out = np.empty(shape, dtype=np.float32)
        check_buffer("out", out, shape, np.dtype(np.float32))
        states, privileged = self.states, self._loops.privileged

        def write(constants: States, first: int, last: int, _: int) -> None:
            privileged(constants, states, first, last, out)

        self._threads.spread(lambda first, last, slot: self._call_parts(write, first, last, slot))
        return out

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        return self._arrays.nbytes

    # -- copies

    def __getstate__(self) -> dict[str, Any]:
        # Compiled functions and constants are not copied: they are fetched again.
        return {name: value for name, value in vars(self).items() if name not in ("_loops", "_parts")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._bind()

    def close(self) -> None:
        """Stop the threads; the arrays stay."""
        self._threads.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
