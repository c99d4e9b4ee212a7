"""Many games at once: arrays in, arrays out, one compiled call for a decision in each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from porta_nigra_env.core.batch import encoding
from porta_nigra_env.core.batch.batch import compile_batch
from porta_nigra_env.core.batch.bookkeeping import OUTSIDE
from porta_nigra_env.core.batch.policy import stacked
from porta_nigra_env.core.game.game import Game, IllegalActionError, States, check_positive
from porta_nigra_env.envs import snapshots
from porta_nigra_env.envs.batch_arrays import KEPT, BatchArrays, Formats
from porta_nigra_env.envs.batch_inputs import action_ids, beginnings, check_first, chosen_rows, read_positions
from porta_nigra_env.envs.batch_options import Settings
from porta_nigra_env.envs.opponents import BatchAgent, Opponents
from porta_nigra_env.envs.rows_seen import RowsSeen
from porta_nigra_env.envs.threads import Workers

Array = npt.NDArray[Any]


class BatchStep(NamedTuple):
    """What `BatchEnv.reset` and `BatchEnv.step` return: the environment's own buffers, overwritten by the next step.

    observations: (n, observation_size), of the player to move.
    action_masks: (n, num_actions) int8, or (n, num_words) uint64 packed.
    rewards: float32 (n, players), what every seat has gained by this step.
    terminated: bool (n,), whether a game ended in this step.
    current_player: int8 (n,), the player to move; -1 where the game is over.
    """

    observations: Array
    action_masks: Array
    rewards: Array
    terminated: Array
    current_player: Array


class BatchEnv(RowsSeen):
    """`num_envs` games of any number of players, each with its own seed, stepped together.

    By default every decision of every seat is asked for.  With a learner's `seat`, the others are played inside:
    by compiled policies without a return to Python, or by batched agents that are asked with `BatchView`.

    Results are the same bit for bit for any number of games, order of rows and number of threads: row i of
    ``reset(seed=s)`` plays the games that ``raw_env`` plays after ``reset(seed=s + i)``, and with a learner's seat
    those of ``seat_env``.

    Args:
        game: the game.
        num_envs: number of games.
        reward: one of `envs.rewards.REWARDS`.
        autoreset_mode: what follows the end of a game, as in Gymnasium.  SAME_STEP: the next game begins in the same
            step, `terminated`, `rewards` and `final_scores` tell of the one that ended.  NEXT_STEP: the next step
            ignores the row's action and begins the next game.  DISABLED: the row rests until `reset` or `load`.
        seat: "every", or the learner's seat: a number, "rotate" (seat ``seed % players``, then the next one in each
            game), "random" (for each game anew).
        opponents: who plays the other seats; random policies by default, see `envs.opponents.Opponents`.
        observations: "float32"; "float16"; "uint8", the raw quantities (up to 255) before scaling; or "none".
        masks: "int8"; "packed", 64 actions in each uint64, action i at bit ``i & 63`` of word ``i >> 6``; or "none".
        illegal_action: "raise" refuses the whole step; "terminate" ends that row's game for an action that is not
            legal, whatever integer it is, with `illegal_reward` for the player to move, who is last then; `illegal`
            tells where.
        illegal_reward: -1 by default, which is as bad as the worst "outcome"; lower it for the other rewards, where
            most ends are worse, unless the learner is given the masks.
        threads: how many threads share the rows.
        double_buffer: observations and masks alternate between two buffers from step to step, so that those of the last
            one stay; `reset` and `load` write into those that the last step gave.
        buffers: arrays to write into instead of new ones, C-contiguous: any of "observations", "action_masks",
            "rewards", "terminated", "current_player", "final_scores", "final_places" in the shapes and dtypes told here
            and at `BatchStep`.

    Attributes:
        observations, action_masks, rewards, terminated, current_player: see `BatchStep`.
        final_scores: int32 (n, players), totals of the game that ended last in each row.
        final_places: int8 (n, players), places in that game, 1 for the first; equal ones shared, and last who gave it
            away by an illegal action.
        final_observations: float32 (n, observation_size), the learner's last one of that game; only with a `seat`.
        states: (n,) state array, hidden cards included; call `refresh` after writing to it.

    Raises:
        ValueError: an argument that is none of the above; the message names it.
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
        threads: int = 1,
        double_buffer: bool = False,
        buffers: Mapping[str, Array] | None = None,
    ) -> None:
        settings = Settings(game, num_envs, reward, autoreset_mode, seat, opponents, illegal_action, illegal_reward)
        self._settings, self._opponents = settings, settings.lineups
        self.game, self.num_envs, self.seat = game, settings.num_envs, settings.seat
        self.reward, self.autoreset_mode = settings.reward, settings.autoreset_mode
        self.illegal_action = settings.illegal_action
        self.threads: Final = min(check_positive(threads, "threads"), self.num_envs)
        formats = Formats(observations, masks, double_buffer)

        self._workers = Workers(self.num_envs, self.threads)
        self._arrays = arrays = BatchArrays(game, self.num_envs, formats, settings.has_learner, buffers)
        self.states: States = arrays.states
        self.rewards, self.terminated, self.current_player = arrays.rewards, arrays.terminated, arrays.current_player
        self.final_scores, self.final_places = arrays.final_scores, arrays.final_places
        self.final_observations = arrays.final_observations
        self._bookkeeping = arrays.bookkeeping
        arrays.lineups[:] = settings.lineup
        self._bind()
        self._sampling = np.zeros((self.num_envs, 3), dtype=np.int64)
        self._started = self._unanswered = False

    def _bind(self, side: int = 0) -> None:
        """Compile, or fetch, the loops for the policies in use, and tie the arrays together."""
        policies = self._settings.policies
        self._loops, self._rules = compile_batch(self.game, policies), self._settings.rules()
        self._rows = self._arrays.rows(*stacked(policies), np.zeros(self._workers.slots, self.game.dtype))
        self._show(side)

    def _show(self, side: int) -> None:
        self._side = side
        shown = self._arrays.sides[side]
        self.observations: Array = shown.shown_observations
        self.action_masks: Array = shown.shown_masks
        self._result = BatchStep(
            self.observations, self.action_masks, self.rewards, self.terminated, self.current_player
        )

    def set_opponents(self, opponents: Opponents, rows: object = None) -> None:
        """Other opponents in the games that begin from now on, in all rows or in `rows` (a mask or indices).

        Raises:
            ValueError: they do not fit, or are given by seat where the first ones were not, or the other way round.
        """
        chosen = chosen_rows(rows, self.num_envs)
        known = len(self._opponents.policies)
        self._arrays.lineups[chosen] = self._settings.further(opponents)
        if len(self._opponents.policies) != known:
            self._bind(self._side)

    # -- a game's course

    def reset(self, seed: int | Sequence[int | None] | None = None, rows: object = None) -> BatchStep:
        """Begin new games in all rows, or in `rows` (a bool mask (n,) or indices).

        Args:
            seed: row i gets ``seed + i``, or its own from a sequence (n,) of seeds in 0..2**63-1; rows that are not
                begun ignore theirs.  Without a seed, or with None in the sequence, a row goes on to its next game; at
                first, the operating system's.

        Raises:
            ValueError: a seed or rows that are none, or some rows only where no games are running yet.
        """
        chosen = chosen_rows(rows, self.num_envs)
        check_first(chosen, self._started)
        beginnings(self._bookkeeping, seed, chosen, self._started).write(self._bookkeeping, self._sampling)
        self._begin(chosen, fresh=True)
        return self._result

    def load(self, positions: object, rows: object = None, seed: int | Sequence[int | None] | None = None) -> BatchStep:
        """Begin games from positions: one for all rows, or for all `rows`, or a list with one for each of them.

        Args:
            positions: dicts, JSON texts or states of the same number of players, with somebody to move; or a state
                array of the game's dtype and so many players, which is taken as it is.
            rows: a bool mask (n,) or indices; all rows by default.
            seed: as in `reset`; it decides about the future where a position has no random state, and about the
                games that follow.

        Raises:
            ValueError: an impossible position; the message tells which one, and no row has changed.
        """
        chosen = chosen_rows(rows, self.num_envs)
        begun = beginnings(self._bookkeeping, seed, chosen, self._started)
        states = read_positions(self.game, positions, np.flatnonzero(chosen), begun.future)
        begun.write(self._bookkeeping, self._sampling)
        self.states[chosen] = states
        if not self._started and not chosen.all():
            self._begin(~chosen, fresh=True)
        self._begin(chosen, fresh=False)
        return self._result

    def step(self, actions: object) -> BatchStep:
        """One decision in every game; actions: integers (n,), ignored in rows whose game is over.

        Raises:
            IllegalActionError: an action that is not legal in its row (a ValueError); nothing has changed.
            RuntimeError: no games are running, or an opponent answered with an illegal action, now or in the step
                before.
        """
        self._check_running()
        chosen = action_ids(actions, self.num_envs)
        words = self._arrays.words
        if self.illegal_action == "raise":
            bad = encoding.first_illegal(words, self.current_player, chosen, 0, self.num_envs)
            if bad >= 0:
                raise IllegalActionError(self._why_illegal(bad, int(chosen[bad])))
        if len(self._rows) > 1:
            self._show(1 - self._side)
        self._move(chosen, _ALL, fresh=True)
        return self._complete()

    def _check_running(self) -> None:
        self._check_begun()
        if self._unanswered:
            raise RuntimeError("an opponent failed, and its decisions are still missing; call reset(), load or restore")

    def _begin(self, chosen: Array, fresh: bool) -> None:
        rows, constants, rules, begin = self._rows[self._side], self.game.constants, self._rules, self._loops.begin
        self._run(lambda first, last, slot: begin(constants, rows, rules, first, last, slot, chosen, fresh))
        self._started = True
        self._check_faults()
        self._complete()

    def _complete(self) -> BatchStep:
        """Ask agents outside, and show what has come of it."""
        if self._opponents.agents:
            # Whatever ends this too early: the rows wait for an opponent, and no caller may decide for her.
            self._unanswered = True
            self._ask()
            self._unanswered = False
        self._arrays.show_packed(self._arrays.sides[self._side])
        return self._result

    def _move(self, actions: Array, chosen: Array, fresh: bool) -> None:
        rows, rules, constants, step = self._rows[self._side], self._rules, self.game.constants, self._loops.step
        if self.threads == 1 and not self._arrays.narrow:
            step(constants, rows, rules, 0, self.num_envs, 0, actions, chosen, fresh)
        else:
            self._run(lambda first, last, slot: step(constants, rows, rules, first, last, slot, actions, chosen, fresh))
        self._check_faults()

    def _run(self, call: Callable[[int, int, int], Any]) -> None:
        """`Workers.spread`, and then convert observations."""

        def work(first: int, last: int, slot: int) -> None:
            call(first, last, slot)
            if self._arrays.narrow:
                self._arrays.convert(self._arrays.sides[self._side], first, last)

        self._workers.spread(work)

    def _ask(self) -> None:
        """Ask the agents outside until every row waits for the learner or is over."""
        everyone = np.arange(self.num_envs)
        answers = np.zeros(self.num_envs, dtype=np.int64)
        while True:
            current = self.current_player
            who = np.where(current < 0, OUTSIDE, self._bookkeeping["players"][everyone, current])
            waiting = who < OUTSIDE
            if not waiting.any():
                return
            for number in np.unique(who[waiting]):
                rows = np.flatnonzero(who == number)
                answers[rows] = self._answers(self._opponents.agent(int(number)), rows)
            self._move(answers, waiting, fresh=False)

    def _answers(self, agent: BatchAgent, rows: Array) -> Array:
        name = getattr(agent, "name", None) or type(agent).__name__
        try:
            given = np.asarray(agent.act_batch(self.views(rows)))
        except IllegalActionError as error:
            raise RuntimeError(f"opponent {name} answered with an illegal action: {error}") from error
        if given.shape != rows.shape or given.dtype.kind not in "iu":
            raise RuntimeError(f"opponent {name}: expected {len(rows)} integer ids, not {given.dtype} {given.shape}")
        answers = given.astype(np.int64)
        bad = encoding.first_illegal(self._arrays.words[rows], self.current_player[rows], answers, 0, len(rows))
        if bad >= 0:
            reason = self._why_illegal(int(rows[bad]), int(answers[bad]))
            raise RuntimeError(f"opponent {name} answered with an illegal action: {reason}")
        return answers

    def _check_faults(self) -> None:
        if self._opponents.policies and (faults := self._bookkeeping["fault"]).any():
            row = int(np.flatnonzero(faults)[0])
            name = self._opponents.policies[int(faults[row]) - 1].name
            raise RuntimeError(f"policy {name!r} answered with an action that is not legal, in row {row}")

    # -- checks

    def refresh(self) -> BatchStep:
        """Fill masks, observations and current players anew, after `states` was written to from outside."""
        self._check_begun()
        rows, constants = self._rows[self._side], self.game.constants
        self._run(lambda first, last, slot: self._loops.inspect(constants, rows, first, last))
        self._arrays.show_packed(self._arrays.sides[self._side])
        return self._result

    # -- snapshots and copies

    def snapshot(self, rows: object = None) -> bytes:
        """All games, or `rows` (a mask or indices), as bytes; a batch of so many goes on exactly there after `restore`.

        Agents outside and the parameters of policies are not in it: restore into a batch made with the same arguments.
        Nor are `final_observations`, which stay as they are.
        """
        self._check_running()
        chosen = chosen_rows(rows, self.num_envs)
        return snapshots.written(self._kept(), chosen, self._settings.description() | {"num_envs": int(chosen.sum())})

    def _kept(self) -> dict[str, Array]:
        """The arrays of a snapshot, by name."""
        rows = self._rows[self._side]
        return {name: getattr(rows, name) for name in KEPT} | {"sampling": self._sampling}

    def restore(self, data: bytes) -> BatchStep:
        """Go on from a snapshot.

        Raises:
            ValueError: damaged bytes, or a snapshot of another game, component set, size, reward, autoreset mode, seat
                or line-up of opponents; the message names both.  Nothing has changed.
        """
        snapshots.read_into(self._kept(), data, self._settings.description())
        self._started, self._unanswered = True, False
        return self.refresh()

    def __getstate__(self) -> dict[str, Any]:
        # What ties compiled loops and arrays together is made anew: copied, it would hold copies of both.
        made = ("_loops", "_rows", "_result", "observations", "action_masks")
        return {name: value for name, value in vars(self).items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._bind(self._side)

    def close(self) -> None:
        """Let the threads go; the arrays stay."""
        self._workers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"BatchEnv({self.game!r}, {self.num_envs}, seat={self.seat!r}, reward={self.reward!r})"


#: Stands for "every row" where no mask is read.
_ALL: Final = np.ones(0, dtype=np.bool_)
