"""The common part of batches on the CPU and on a GPU: episodes, views, counters, snapshots."""

from __future__ import annotations

import operator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch.bookkeeping import Rows, Rules
from porta_nigra_env.core.game.game import Game, IllegalActionError, States, check_view
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.core.narration.history import Memory, remember
from porta_nigra_env.envs import batch_arrays, batch_inputs
from porta_nigra_env.envs.batch_arrays import unpacked
from porta_nigra_env.envs.batch_inputs import Seeds, row_mask, seed_rows
from porta_nigra_env.envs.batch_options import Settings
from porta_nigra_env.envs.opponents import Opponents

Array = npt.NDArray[Any]


class BatchStep(NamedTuple):
    """The result of `reset` and `step`: the environment's buffers, on the GPU for a `GpuBatchEnv`.

    The next step overwrites them.
    """

    observations: Any  # (n, observation_size), of the player to move
    action_masks: Any  # (n, num_actions) int8, or (n, num_words) uint64 packed
    rewards: Any  # float32 (n, players), the gain of every seat in this step
    terminated: Any  # bool (n,), True if a game ended in this step
    current_player: Any  # int8 (n,), the player to move; -1 if the game is over


class BatchBase:
    """The methods that `BatchEnv` and `cuda.batch.GpuBatchEnv` share; a subclass owns the arrays and runs the loops."""

    states: Any
    current_player: Any
    terminated: Any
    histories: Any
    _rows: Rows
    _rules: Rules
    _sampling: Any
    _result: BatchStep

    def __init__(self, settings: Settings) -> None:
        self._settings: Final = settings
        self.game: Final = settings.game
        self.games: Final = settings.games
        #: The number of the game of each row, int64 (n,).
        self.game_numbers: Final = np.repeat(
            np.arange(len(self.games)), [last - first for first, last, _ in batch_arrays.row_parts(settings)]
        )
        self.num_envs: Final = settings.num_envs
        self.seat: Final = settings.seat
        self.reward: Final = settings.reward
        self.autoreset_mode: Final = settings.autoreset_mode
        self.illegal_action: Final = settings.illegal_action
        self._scales: Final = settings.game.observations.scales()
        self._started = self._unanswered = False

    # -- the array backend

    def _host(self, array: Any) -> Array:
        """Return an array in the memory of the CPU, states with the game's dtype."""
        result: Array = array
        return result

    def _write(self, array: Any, values: Array) -> None:
        """Copy `values`, changed since `_host` returned them, into `array`."""

    def _bind(self) -> None:
        """Fetch the loops for the policies in use."""

    def _begin(self, chosen: Array, fresh: bool) -> None:
        """Begin games in the rows `chosen` (a mask): new ones if `fresh`, else at the states they hold."""

    def _ids(self, actions: object) -> Any:
        """Return actions as integers (n,) that the loops can read."""
        raise NotImplementedError

    def _advance(self, actions: Any) -> int:
        """Step every game and return -1; or change nothing and return a row whose illegal action raises an error."""
        raise NotImplementedError

    def _inspect(self) -> None:
        """Recompute masks, observations and current players from the states."""

    def _redact(self, rows: Array, players: Array) -> States:
        """Return the states of `rows` (k,), redacted for `players` (k,)."""
        raise NotImplementedError

    def _sample(self, keys: Any) -> Any:
        """Draw a legal action for each row; keys: int64 (n, 3)."""
        raise NotImplementedError

    # -- episodes

    def set_opponents(self, opponents: Opponents, rows: object = None) -> None:
        """Set the opponents of the games that begin from now on, in all rows or in `rows` (a mask or indices).

        Raises:
            ValueError: they do not fit, or they are given by seat and the first ones were not, or the reverse.
        """
        chosen = row_mask(rows, self.num_envs)
        lineup = self._settings.next_lineup(opponents, self._bind)
        lineups = self._host(self._rows.lineups)
        lineups[chosen] = lineup
        self._write(self._rows.lineups, lineups)

    def reset(self, seed: Seeds = None, rows: object = None) -> BatchStep:
        """Begin new games in all rows, or in `rows` (a bool mask (n,) or indices).

        Args:
            seed: row i gets ``seed + i``, or its entry of a sequence (n,) of seeds in 0..2**63-1; rows that are not
                reset ignore theirs.  Without a seed, or with None in the sequence, a row continues with its next game.
                All rows take part in the first reset or load; without a seed it takes one from the operating system.

        Raises:
            ValueError: invalid seeds or rows, or a first reset of some rows only.
        """
        chosen = row_mask(rows, self.num_envs)
        batch_inputs.check_first_reset(chosen, self._started)
        self._seed(seed_rows(self.bookkeeping(), seed, chosen, self._started))
        self._begin(chosen, fresh=True)
        return self._result

    def load(self, positions: object, rows: object = None, seed: Seeds = None, told: Array | None = None) -> BatchStep:
        """Begin games from positions: one for all `rows`, or a list with one for each of them.

        Args:
            positions: dicts, JSON strings or states with the batch's number of players and a player to move; or an
                array of true states, of the game's dtype, which is used without a check of its other contents.
            rows: a bool mask (n,) or indices; all rows by default.
            seed: as in `reset`; it seeds the future of a position without a random state, and the following games.
            told: int16 (k, players, history, 4), the histories that seats begin with; only with ``seat="every"``.

        Raises:
            ValueError: an impossible position, named by its index, or histories that do not fit; no row has changed.
        """
        chosen = row_mask(rows, self.num_envs)
        self._check_one_set("load")
        seeds = seed_rows(self.bookkeeping(), seed, chosen, self._started)
        tokens = None if told is None else self._settings.histories(told, int(chosen.sum()))
        begin = batch_inputs.read_positions(self.game, positions, np.flatnonzero(chosen), seeds.game_seed)
        self._seed(seeds)
        states = self._host(self.states)
        states[chosen] = begin
        self._write(self.states, states)
        if not self._started and not chosen.all():
            self._begin(~chosen, fresh=True)
        self._begin(chosen, fresh=False)
        if tokens is not None:
            remember(self._rows.history, chosen, tokens)
            self._inspect()
        return self._result

    def step(self, actions: object) -> BatchStep:
        """Play one action in every game; actions: integers (n,), ignored in rows whose game is over.

        Raises:
            IllegalActionError: an action that is not legal in its row (a ValueError); nothing has changed.
            RuntimeError: no games are running, or an opponent answered with an illegal action, now or in the previous
                step.
        """
        self._check_running()
        ids = self._ids(actions)
        row = self._advance(ids)
        if row >= 0:
            raise IllegalActionError(self._why_illegal(row, int(self._host(ids)[row])))
        return self._result

    def refresh(self) -> BatchStep:
        """Recompute masks, observations and current players after a write to `states`."""
        self._check_started()
        self._inspect()
        return self._result

    def random_actions(self, rng: np.random.Generator | None = None) -> Any:
        """Draw a uniformly random legal action for each row, int64 (n,); 0 where the game is over.

        rng: one generator for all calls; by default each row draws from its seed and repeats after `reset` with the
            same seed.
        """
        self._check_started()
        return self._sample(self._sampling if rng is None else batch_inputs.drawn_keys(rng, self.num_envs))

    def _seed(self, seeds: batch_inputs.RowSeeds) -> None:
        bookkeeping, sampling = self._host(self._rows.bookkeeping), self._host(self._sampling)
        seeds.write(bookkeeping, sampling)
        self._write(self._rows.bookkeeping, bookkeeping)
        self._write(self._sampling, sampling)

    # -- views

    def views(self, rows: object = None) -> BatchView:
        """Return the views of the players to move in `rows` (a mask or indices), ordered by row.

        `rows` are by default all rows with a player to move.
        """
        self._check_one_set("views")
        where, players = self._movers(rows)
        states = self._redact(where, players)
        arrays = self._rows
        if arrays.masks.shape[1]:
            masks = self._host(arrays.masks)[where]
        else:
            masks = unpacked(self._host(arrays.words)[where], self.game.actions.size)
        if arrays.observations.shape[1]:
            observations = self._host(arrays.observations)[where]
            if self._settings.raw:
                observations = observations / self._scales
        else:
            observations = np.zeros((len(where), self.game.observations.size), dtype=np.float32)
            for i, player in enumerate(players.tolist()):
                self.game.kernel.observe(self.game.constants, states, i, player, observations[i])
        histories = self.histories[where] if self._settings.history else None
        return BatchView(self.game, players, observations, masks, states, histories)

    def _movers(self, rows: object) -> tuple[Array, Array]:
        """Return the indices of `rows` and the player to move in each; ValueError if a game there is over."""
        self._check_started()
        current = self._host(self.current_player)
        where = np.flatnonzero(row_mask(current >= 0 if rows is None else rows, self.num_envs))
        players = current[where]
        if (players < 0).any():
            raise ValueError(f"rows: the game in row {where[players < 0][0]} is over, there is no player to move")
        return where, players

    def view(self, row: int, player: int | None = None) -> View:
        """Return the view of `player` (by default the one to move) on the game in a row."""
        states = self._state(self._row(row))
        seat = int(self._host(self.current_player[row : row + 1])[0]) if player is None else player
        if player is None and seat < 0:
            raise ValueError(f"the game in row {row} is over and there is no player to move; pass `player`")
        return View(self.game_of(row), states, 0, seat)

    def board(self, row: int, view: int | None = None) -> str:
        """Return the text board of a row; with `view`, only the information of that seat."""
        states = self._state(self._row(row))
        return self.game_of(row).board(states, 0, check_view(view, self.game.num_players))

    def legal_actions(self, row: int) -> list[str]:
        """Return the sorted strings of the legal actions in a row; [] when its game is over."""
        members = np.flatnonzero(self._mask(self._row(row)))
        texts = self.game_of(row).action_texts
        return sorted(texts[i] for i in members)

    def game_of(self, row: int) -> Game:
        """Return the game of a row; games differ in their component sets."""
        return self.games[int(self.game_numbers[row])]

    def _check_one_set(self, name: str) -> None:
        if len(self.games) > 1:
            raise ValueError(f"{name}: the rows have several component sets; make a batch for each")

    def _state(self, row: int) -> States:
        return self._host(self.states[row : row + 1])

    def _mask(self, row: int) -> Array:
        """Return the legality mask of a row, int8 (num_actions,)."""
        return unpacked(self._host(self._rows.words[row : row + 1])[0], self.game.actions.size)

    def _row(self, row: int) -> int:
        self._check_started()
        number = operator.index(row)
        if not 0 <= number < self.num_envs:
            raise IndexError(f"row must be in 0..{self.num_envs - 1}, not {number}")
        return number

    # -- per-row counters

    def bookkeeping(self) -> Array:
        """Return a copy of the counters of every row, (n,) of `core.batch.bookkeeping.BOOKKEEPING`."""
        return self._host(self._rows.bookkeeping).copy()

    def _counter(self, name: str) -> Array:
        return self._host(self._rows.bookkeeping)[name].copy()

    @property
    def learners(self) -> Array:
        """The learner's seat in the running games, int8 (n,); -1 with ``seat="every"``."""
        return self._counter("learner")

    @property
    def last_learners(self) -> Array:
        """The learner's seat in the last game that ended in each row, int8 (n,)."""
        return self._counter("last_learner")

    @property
    def illegal(self) -> Array:
        """True where an illegal action ended a game in this step, bool (n,)."""
        return np.logical_and(self._host(self.terminated), self._counter("illegal"))

    @property
    def lengths(self) -> Array:
        """Steps of the running games, int32 (n,)."""
        return self._counter("length")

    @property
    def last_lengths(self) -> Array:
        """Steps of the last game that ended in each row, int32 (n,)."""
        return self._counter("last_length")

    # -- snapshots

    def snapshot(self, rows: object = None) -> bytes:
        """Serialize all games, or `rows` (a mask or indices); a batch of that size resumes from it with `restore`.

        Agents outside compiled code and the parameters of policies are not included: restore into a batch made with
        the same arguments.  `final_observations` are not included either.
        """
        self._check_running()
        chosen = row_mask(rows, self.num_envs)
        if not chosen.all():
            self._check_one_set("snapshot")
        description = self._settings.description() | {"num_envs": int(chosen.sum())}
        return batch_arrays.write_snapshot(self._snapshot_arrays(), chosen, description)

    def restore(self, data: bytes) -> BatchStep:
        """Resume from a snapshot, of either kind of batch.

        Raises:
            ValueError: damaged bytes, values out of range or an impossible position; or a snapshot of another game,
                component set, size, reward, autoreset mode, seat or line-up of opponents.  Nothing has changed.
        """
        arrays = self._snapshot_arrays()
        batch_arrays.read_snapshot(arrays, data, self._settings)
        for name in batch_arrays.SNAPSHOT_ARRAYS:
            self._write(getattr(self._rows, name), arrays[name])
        self._write(self._sampling, arrays["sampling"])
        self._started, self._unanswered = True, False
        return self.refresh()

    def _snapshot_arrays(self) -> dict[str, Array]:
        arrays = {name: self._host(getattr(self._rows, name)) for name in batch_arrays.SNAPSHOT_ARRAYS}
        history = self._rows.history
        if isinstance(history, Memory):
            arrays |= {"events": history.events, "heads": history.heads}
        return arrays | {"sampling": self._host(self._sampling)}

    # -- checks

    def _check_started(self) -> None:
        if not self._started:
            raise RuntimeError("no games are running; call reset() first")

    def _check_running(self) -> None:
        self._check_started()
        if self._unanswered:
            raise RuntimeError("an opponent failed, and its actions are still missing; call reset(), load or restore")

    def _why_illegal(self, row: int, action: int) -> str:
        player = int(self._state(row)["current_player"][0])
        return f"row {row}: {self.game_of(row).why_illegal(action, player, self._mask(row))}"

    def _policy_error(self, row: int) -> RuntimeError:
        """Return the error for a compiled policy that chose an illegal action in a row."""
        name = self._settings.policies[int(self._counter("fault")[row]) - 1].name
        return RuntimeError(f"policy {name!r} answered with an action that is not legal, in row {row}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game!r}, {self.num_envs}, seat={self.seat!r}, reward={self.reward!r})"
