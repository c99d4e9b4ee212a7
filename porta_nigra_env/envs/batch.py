"""Many games at once: arrays in, arrays out, one compiled call for a decision in each of them."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import operator
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from porta_nigra_env.core import batch
from porta_nigra_env.core.game import Game, IllegalActionError, States, check_player, check_seed, new_seed
from porta_nigra_env.core.policy import RANDOM, Policy, stacked
from porta_nigra_env.core.view import BatchView, View
from porta_nigra_env.envs.match import read_position
from porta_nigra_env.envs.rewards import REWARDS

Array = npt.NDArray[Any]


@runtime_checkable
class BatchAgent(Protocol):
    """An agent that decides in several games at once, e.g. a network."""

    def act_batch(self, views: BatchView) -> Any:
        """Ids of legal actions, integers (k,), one for each view."""
        ...


#: One opponent: a compiled policy, a batched agent, or "random".
Opponent = Policy | BatchAgent | str
#: All of them: one for every seat, a list by place from the learner's left on, or a dict by seat (others random).
Opponents = Opponent | Sequence[Opponent] | Mapping[int, Opponent] | None

_SEAT_RULES: Final = {"every": batch.EVERY_SEAT, "rotate": batch.ROTATE_SEAT, "random": batch.RANDOM_SEAT}
_AUTORESET: Final = {
    AutoresetMode.NEXT_STEP: batch.NEXT_STEP,
    AutoresetMode.SAME_STEP: batch.SAME_STEP,
    AutoresetMode.DISABLED: batch.DISABLED,
}
_OBSERVATIONS: Final = ("float32", "float16", "uint8", "none")
_MASKS: Final = ("int8", "packed", "none")
#: Opponents by number: compiled policies count up from 0, agents with act_batch down from OUTSIDE - 1.
_NUMBERS: Final = np.iinfo(np.int8)
#: Arrays of a snapshot, all that cannot be computed from the states.
_KEPT: Final = ("states", "book", "rewards", "ended", "scores", "before", "lineups")
_FORMAT: Final = "porta_nigra_env batch/1"

#: The calling thread takes so many rows more than each of the others: they start later, and when they are done before
#: it, nobody has to wait for anybody to wake up.
HEAD_START: Final = 96

#: Scratch states of two threads lie so many states apart: what they write must not lie in one cache line.
SLOTS_PER_THREAD: Final = 2


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


class BatchEnv:
    """`num_envs` games of any number of players, each with its own seed, stepped together.

    By default every decision of every seat is asked for.  With a learner's `seat`, the others are played inside:
    by compiled policies without a return to Python, or by batched agents that are asked with `BatchView`.

    Results are the same bit for bit for any number of games, order of rows and number of threads: row i of
    ``reset(seed=s)`` plays the games that ``raw_env`` plays after ``reset(seed=s + i)``.

    Args:
        game: the game.
        num_envs: number of games.
        reward: one of `envs.rewards.REWARDS`.
        autoreset_mode: what follows the end of a game, as in Gymnasium.  SAME_STEP: the next game begins in the same
            step, `terminated`, `rewards` and `final_scores` tell of the one that ended.  NEXT_STEP: the next step
            ignores the row's action and begins the next game.  DISABLED: the row rests until `reset` or `load`.
        seat: "every", or the learner's seat: a number, "rotate" (seat ``seed % players``, then the next one in each
            game), "random" (for each game anew).
        opponents: who plays the other seats; random policies by default.
        observations: "float32"; "float16"; "uint8", the raw quantities (up to 255) before scaling; or "none".
        masks: "int8"; "packed", 64 actions in each uint64, action i at bit ``i & 63`` of word ``i >> 6``; or "none".
        illegal_action: "raise" refuses the whole step; "terminate" ends that row's game with reward -1 for the player
            to move, and `illegal` tells where.
        threads: how many threads share the rows.
        double_buffer: observations and masks alternate between two buffers, so that those of the last step stay.
        buffers: arrays to write into instead of new ones, C-contiguous: any of "observations", "action_masks",
            "rewards", "terminated", "current_player", "final_scores" in the shapes and dtypes of `BatchStep`.

    Attributes:
        observations, action_masks, rewards, terminated, current_player: see `BatchStep`.
        final_scores: int32 (n, players), totals of the game that ended last in each row.
        final_observations: float32 (n, observation_size), the learner's last sight of that game; only with a `seat`.
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
        threads: int = 1,
        double_buffer: bool = False,
        buffers: Mapping[str, Array] | None = None,
    ) -> None:
        self.game: Final = game
        self.num_envs: Final = _positive(num_envs, "num_envs")
        self.threads: Final = min(_positive(threads, "threads"), self.num_envs)
        if reward not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {reward!r}")
        self.autoreset_mode: Final = _autoreset(autoreset_mode)
        if observations not in _OBSERVATIONS:
            raise ValueError(f"observations must be one of {', '.join(_OBSERVATIONS)}, not {observations!r}")
        if masks not in _MASKS:
            raise ValueError(f"masks must be one of {', '.join(_MASKS)}, not {masks!r}")
        if game.num_players > batch.MAX_SEATS:
            raise ValueError(f"{game.name} has {game.num_players} players; a batch holds at most {batch.MAX_SEATS}")
        if illegal_action not in ("raise", "terminate"):
            raise ValueError(f"illegal_action must be 'raise' or 'terminate', not {illegal_action!r}")
        self.reward: Final = reward
        self.seat: Final = seat
        self.illegal_action: Final = illegal_action
        self._seat_rule = _seat_rule(seat, game.num_players)
        self._policies: list[Policy] = []
        self._agents: list[BatchAgent] = []
        line, self._by_seat = [batch.OUTSIDE] * game.num_players, False
        if self._seat_rule != batch.EVERY_SEAT:
            line, self._by_seat = self._line(opponents)
        elif opponents is not None:
            raise ValueError("opponents: there are none with seat='every'; name the learner's seat")

        self._allocate(observations, masks, double_buffer, dict(buffers or {}))
        self._lineups[:] = line
        self._bind()
        self._pool: ThreadPoolExecutor | None = None
        self._blocks = _blocks(self.num_envs, self.threads)
        self._started = False

    # -- the arrays

    def _allocate(self, observations: str, masks: str, double: bool, given: dict[str, Array]) -> None:
        game, n, players = self.game, self.num_envs, self.game.num_players
        size, actions = game.observations.size, game.actions.size

        def array(name: str, shape: tuple[int, ...], dtype: Any) -> Array:
            if name not in given:
                return np.zeros(shape, dtype)
            chosen = given.pop(name)
            _check_buffer(name, chosen, shape, np.dtype(dtype))
            chosen[...] = 0
            return chosen

        self.states: States = np.zeros(n, dtype=game.dtype)
        self._book = np.zeros(n, dtype=batch.BOOK)
        self._words = np.zeros((n, game.num_words), dtype=np.uint64)
        self._lineups = np.zeros((n, players), dtype=np.int8)
        self._before = np.zeros((n, players), dtype=np.int32)
        self.rewards = array("rewards", (n, players), np.float32)
        self.current_player = array("current_player", (n,), np.int8)
        self.terminated = array("terminated", (n,), np.bool_)
        self.final_scores = array("final_scores", (n, players), np.int32)
        learner = self._seat_rule != batch.EVERY_SEAT and observations != "none"
        self.final_observations = np.zeros((n, size if learner else 0), dtype=np.float32)

        if double and given:
            raise ValueError(f"buffers: {sorted(given)[0]!r} cannot be given together with double_buffer")
        # The kernel writes float32; other kinds are converted from it.
        self._narrow = observations in ("float16", "uint8")
        shown = array("observations", (n, 0 if observations == "none" else size), observations.replace("none", "f4"))
        self._wide = np.zeros((n, size), dtype=np.float32) if self._narrow else shown
        if masks == "packed":
            self._words = array("action_masks", self._words.shape, np.uint64)
            unpacked = np.zeros((n, 0), dtype=np.int8)
        else:
            unpacked = array("action_masks", (n, actions if masks == "int8" else 0), np.int8)
        if given:
            raise ValueError(f"buffers: there is no array {sorted(given)[0]!r}")
        self._packed = masks == "packed"
        self._scales = game.observations.scales()
        # For each buffer: masks the kernel writes, masks as shown, observations the kernel writes, the same as shown.
        self._sides = [(unpacked, self._words if self._packed else unpacked, self._wide, shown)]
        if double:
            twin, wide = np.zeros_like(unpacked), np.zeros_like(self._wide)
            # The sets of legal actions are looked at in the next step and have one buffer only: packed ones are copied.
            masks_shown = np.zeros_like(self._words) if self._packed else twin
            self._sides.append((twin, masks_shown, wide, np.zeros_like(shown) if self._narrow else wide))
            if self._packed:
                self._sides[0] = (unpacked, np.zeros_like(self._words), self._wide, shown)

    def _bind(self) -> None:
        """Compile, or fetch, the loops for the policies in use, and tie the arrays together."""
        policies = self._policies or [RANDOM]
        self._loops = batch.bind_batch(self.game, policies)
        parameters, reads = stacked(policies)
        field = self.game.points_field
        points = self.states[field] if field is not None else np.zeros((0, 0), dtype=np.int32)
        scratch = np.zeros(SLOTS_PER_THREAD * self.threads, dtype=self.game.dtype)
        self._rules = batch.Rules(
            self.game.num_players,
            REWARDS.index(self.reward),
            _AUTORESET[self.autoreset_mode],
            self._seat_rule,
            int(self._by_seat),
            int(self.illegal_action == "raise"),
        )
        self._rows = [
            batch.Rows(
                self.states, self._book, self._words, masks, wide, self.final_observations, self.rewards,
                self.current_player, self.terminated, self.final_scores, self._before, points, self._lineups,
                parameters, reads, scratch,
            )
            for masks, _, wide, _ in self._sides
        ]  # fmt: skip
        self._show(0)

    def _show(self, side: int) -> None:
        self._side = side
        _, masks, _, shown = self._sides[side]
        self.observations: Array = shown
        self.action_masks: Array = masks
        self._result = BatchStep(shown, self.action_masks, self.rewards, self.terminated, self.current_player)

    # -- opponents

    def _line(self, opponents: Opponents) -> tuple[list[int], bool]:
        """Who plays each place from the learner's left on, or each seat; and whether it is by seat."""
        players = self.game.num_players
        if opponents is None or isinstance(opponents, Policy | BatchAgent | str):
            return [self._number(opponents)] * players, False
        if isinstance(opponents, Mapping):
            for seat in opponents:
                check_player(seat, players)
                if seat == self.seat:
                    raise ValueError(f"opponents: seat {seat} is the learner's")
            return [self._number(opponents.get(seat)) for seat in range(players)], True
        if isinstance(opponents, Sequence):
            if len(opponents) != players - 1:
                raise ValueError(f"opponents: {players - 1} are needed beside the learner, not {len(opponents)}")
            return [batch.OUTSIDE, *(self._number(one) for one in opponents)], False
        raise ValueError(
            f"opponents must be a compiled Policy, an agent with act_batch, 'random', or a list or dict of them, "
            f"not {opponents!r}"
        )

    def _number(self, opponent: Opponent | None) -> int:
        """The number under which the rows know an opponent; a new one is entered."""
        if opponent is None or (isinstance(opponent, str) and opponent == "random"):
            opponent = RANDOM
        if isinstance(opponent, Policy):
            if opponent not in self._policies:
                self._policies.append(opponent)
            number = self._policies.index(opponent)
        elif isinstance(opponent, str) or not isinstance(opponent, BatchAgent):
            raise ValueError(
                f"opponents: {opponent!r} is neither a compiled Policy nor an agent with act_batch, nor 'random'"
            )
        else:
            if not any(one is opponent for one in self._agents):
                self._agents.append(opponent)
            number = batch.OUTSIDE - 1 - next(i for i, one in enumerate(self._agents) if one is opponent)
        if not _NUMBERS.min <= number <= _NUMBERS.max:
            raise ValueError(
                f"opponents: a batch keeps all that it ever met, at most {_NUMBERS.max + 1} compiled policies and "
                f"{_NUMBERS.max} agents with act_batch; change what an agent does instead of making new ones"
            )
        return number

    def set_opponents(self, opponents: Opponents, rows: object = None) -> None:
        """Other opponents in the games that begin from now on, in all rows or in `rows` (a mask or indices).

        Raises:
            ValueError: they do not fit, or are given by seat where the first ones were not, or the other way round.
        """
        if self._seat_rule == batch.EVERY_SEAT:
            raise ValueError("opponents: there are none with seat='every'")
        chosen = self._chosen(rows)
        policies, agents = self._policies.copy(), self._agents.copy()
        try:
            line, by_seat = self._line(opponents)
            if by_seat != self._by_seat:
                raise ValueError("opponents: a dict by seat and a list by place cannot be mixed in one batch")
        except ValueError:
            self._policies, self._agents = policies, agents
            raise
        self._lineups[chosen] = line
        if self._policies != policies:
            side = self._side
            self._bind()
            self._show(side)

    # -- a game's course

    def reset(self, seed: int | Sequence[int] | None = None, rows: object = None) -> BatchStep:
        """Begin new games in all rows, or in `rows` (a bool mask (n,) or indices).

        Args:
            seed: row i gets ``seed + i``, or its own from a sequence (n,) of seeds in 0..2**63-1; rows that are not
                begun ignore theirs.  Without a seed a row goes on to its next game; at first, the operating system's.
        """
        chosen = self._chosen(rows)
        if seed is not None:
            self._seed(seed, chosen)
        elif not self._started:
            self._seed(new_seed() // 2, np.ones(self.num_envs, dtype=np.bool_))
        self._begin(chosen, fresh=True)
        return self._result

    def load(self, positions: object, rows: object = None, seed: int | Sequence[int] | None = None) -> BatchStep:
        """Begin games from positions: one for all rows, or for all `rows`, or a list with one for each of them.

        Args:
            positions: dicts, JSON texts or states of the same number of players, with somebody to move; or a state
                array of the game's dtype, which is taken as it is.
            rows: a bool mask (n,) or indices; all rows by default.
            seed: as in `reset`; it decides about the future where a position has no random state, and about the
                games that follow.

        Raises:
            ValueError: an impossible position; the message tells which one, and no row has changed.
        """
        chosen = self._chosen(rows)
        where = np.flatnonzero(chosen)
        seeds = self._book["seed"].copy() if self._started else np.arange(self.num_envs) + new_seed() // 2
        if seed is not None:
            seeds[chosen] = self._seeds(seed)[chosen]
        if isinstance(positions, np.ndarray):
            if positions.dtype != self.game.dtype or positions.shape not in [(1,), where.shape]:
                raise ValueError(
                    f"positions: expected {self.game.name}'s state dtype and shape (1,) or {where.shape}, "
                    f"not {positions.dtype} {positions.shape}"
                )
            states = np.broadcast_to(positions, where.shape)
        else:
            several = isinstance(positions, Sequence) and not isinstance(positions, str | bytes)
            given: list[object] = list(positions) if several else [positions] * len(where)  # type: ignore[call-overload]
            if len(given) != len(where):
                raise ValueError(f"positions: {len(given)} for {len(where)} rows")
            states = np.zeros(len(where), dtype=self.game.dtype)
            for i, (row, position) in enumerate(zip(where.tolist(), given, strict=True)):
                try:
                    states[i] = read_position(self.game, position, int(seeds[row]))[0]
                except ValueError as error:
                    raise ValueError(f"positions[{i}]: {error}" if several else str(error)) from error
        if seed is not None or not self._started:
            self._seed(seeds.tolist(), chosen if self._started else np.ones(self.num_envs, dtype=np.bool_))
        self.states[chosen] = states
        if not self._started and not chosen.all():
            self._begin(~chosen, fresh=True)
        self._begin(chosen, fresh=False)
        return self._result

    def step(self, actions: object) -> BatchStep:
        """One decision in every game; actions: integers (n,), ignored in rows whose game is over.

        Raises:
            IllegalActionError: an action that is not legal in its row (a ValueError); nothing has changed.
            RuntimeError: no games are running, or an opponent answered with an illegal action.
        """
        if not self._started:
            raise RuntimeError("no games are running; call reset() first")
        chosen = self._actions(actions)
        if self.illegal_action == "raise":
            bad = batch.check(self._words, self.current_player, chosen, 0, self.num_envs)
            if bad >= 0:
                raise IllegalActionError(self._why_illegal(bad, int(chosen[bad])))
        if len(self._sides) > 1:
            self._show(1 - self._side)
        self._move(chosen, _ALL, fresh=True)
        return self._complete()

    def _begin(self, chosen: Array, fresh: bool) -> None:
        rows, tables = self._rows[self._side], self.game.tables
        self._run(
            lambda first, last, slot: self._loops.begin(tables, rows, self._rules, first, last, slot, chosen, fresh)
        )
        self._started = True
        self._check_faults()
        self._complete()

    def _complete(self) -> BatchStep:
        """Ask agents outside, and show what has come of it."""
        if self._agents:
            self._ask()
        if self.action_masks is not self._words and self._packed:
            self.action_masks[...] = self._words
        return self._result

    def _move(self, actions: Array, chosen: Array, fresh: bool) -> None:
        rows, rules, tables, step = self._rows[self._side], self._rules, self.game.tables, self._loops.step
        if self.threads == 1 and not self._narrow:
            step(tables, rows, rules, 0, self.num_envs, 0, actions, chosen, fresh)
        else:
            self._run(lambda first, last, slot: step(tables, rows, rules, first, last, slot, actions, chosen, fresh))
        self._check_faults()

    def _run(self, call: Callable[[int, int, int], Any]) -> None:
        """`_spread`, and then convert observations."""

        def work(first: int, last: int, slot: int) -> None:
            call(first, last, slot)
            if self._narrow:
                self._convert(first, last)

        self._spread(work)

    def _spread(self, call: Callable[[int, int, int], Any]) -> None:
        """Run a compiled loop over all rows, in as many threads as there are blocks."""

        def work(slot: int) -> None:
            first, last = self._blocks[slot]
            call(first, last, SLOTS_PER_THREAD * slot)

        if self.threads == 1:
            work(0)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="batch")
        waiting = [self._pool.submit(work, slot) for slot in range(1, self.threads)]
        work(0)
        for one in waiting:
            one.result()

    def _convert(self, first: int, last: int) -> None:
        if self.observations.dtype == np.uint8:
            batch.to_bytes(self._sides[self._side][2], self._scales, self.observations, first, last)
        else:
            wide, halves = self._sides[self._side][2], self.observations.view(np.uint16)
            batch.to_halves(wide, wide.view(np.int32), halves, first, last)

    def _ask(self) -> None:
        """Ask the agents outside until every row waits for the learner or is over."""
        everyone = np.arange(self.num_envs)
        answers = np.zeros(self.num_envs, dtype=np.int64)
        while True:
            current = self.current_player
            who = np.where(current < 0, batch.OUTSIDE, self._book["players"][everyone, current])
            waiting = who < batch.OUTSIDE
            if not waiting.any():
                return
            for number in np.unique(who[waiting]):
                rows = np.flatnonzero(who == number)
                answers[rows] = self._answers(self._agents[batch.OUTSIDE - 1 - int(number)], rows)
            self._move(answers, waiting, fresh=False)

    def _answers(self, agent: BatchAgent, rows: Array) -> Array:
        name = getattr(agent, "name", None) or type(agent).__name__
        given = np.asarray(agent.act_batch(self.views(rows)))
        if given.shape != rows.shape or given.dtype.kind not in "iu":
            raise RuntimeError(f"opponent {name}: expected {len(rows)} integer ids, not {given.dtype} {given.shape}")
        answers = given.astype(np.int64)
        words, current = self._words[rows], self.current_player[rows]
        bad = batch.check(words, current, answers, 0, len(rows))
        if bad >= 0:
            reason = self._why_illegal(int(rows[bad]), int(answers[bad]))
            raise RuntimeError(f"opponent {name} answered with an illegal action: {reason}")
        return answers

    def _check_faults(self) -> None:
        if self._policies and (faults := self._book["fault"]).any():
            row = int(np.flatnonzero(faults)[0])
            name = self._policies[int(faults[row]) - 1].name
            raise RuntimeError(f"policy {name!r} answered with an action that is not legal, in row {row}")

    # -- checks

    def _chosen(self, rows: object) -> Array:
        """`rows` as a bool mask (n,)."""
        if rows is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        given = np.atleast_1d(np.asarray(rows))
        if given.dtype == np.bool_:
            if given.shape != (self.num_envs,):
                raise ValueError(f"rows: a mask must have shape ({self.num_envs},), not {given.shape}")
            return given.copy()
        if given.size and (given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= self.num_envs):
            raise ValueError(f"rows: expected a bool mask or indices in 0..{self.num_envs - 1}, not {rows!r}")
        chosen = np.zeros(self.num_envs, dtype=np.bool_)
        chosen[given.astype(np.int64)] = True
        if chosen.sum() != given.size:
            raise ValueError(f"rows: an index stands twice in {rows!r}")
        return chosen

    def _seeds(self, seed: int | Sequence[int]) -> Array:
        """The seed of every row."""
        if not isinstance(seed, Sequence | np.ndarray):
            first = check_seed(seed)
            check_seed(first + self.num_envs - 1)
            return np.arange(self.num_envs, dtype=np.int64) + first
        given = list(seed)
        if len(given) != self.num_envs:
            raise ValueError(f"seed: expected one integer, or {self.num_envs} of them, not {len(given)}")
        return np.array([check_seed(one) for one in given], dtype=np.int64)

    def _seed(self, seed: int | Sequence[int], chosen: Array) -> None:
        self._book["seed"][chosen] = self._seeds(seed)[chosen]
        self._book["games"][chosen] = 0

    def _actions(self, actions: object) -> Array:
        chosen = np.asarray(actions)
        if chosen.dtype != np.int64:
            if chosen.dtype.kind not in "iu":
                raise IllegalActionError(f"actions must be integer ids, not {chosen.dtype}")
            chosen = np.where(chosen > np.iinfo(np.int64).max, -1, chosen).astype(np.int64)
        if chosen.shape != (self.num_envs,):
            raise IllegalActionError(f"actions must have shape ({self.num_envs},), not {chosen.shape}")
        return chosen

    def _why_illegal(self, row: int, action: int) -> str:
        legal = self.legal_actions(row)
        shown = ", ".join(legal[:12]) + (f", ... ({len(legal)} in all)" if len(legal) > 12 else "")
        texts = self.game.action_texts
        what = f"action {action} ({texts[action]!r})" if 0 <= action < len(texts) else f"action {action}"
        return f"row {row}: {what} is not legal now; player {self.current_player[row]} may choose {shown}"

    # -- what is seen

    def random_actions(self, rng: np.random.Generator | int | None = None) -> Array:
        """A uniformly random legal action for each row, int64 (n,); 0 where the game is over.

        rng: a generator, or a seed of one.
        """
        rng = np.random.default_rng(rng) if rng is None or isinstance(rng, int | np.integer) else rng
        chance = np.zeros((self.num_envs, 3), dtype=np.int64)
        chance[:, :2] = rng.integers(2**32, size=(self.num_envs, 2))
        actions = np.zeros(self.num_envs, dtype=np.int64)
        batch.sample(self._words, self.current_player, chance, actions, 0, self.num_envs)
        return actions

    def legal_actions(self, row: int) -> list[str]:
        """Texts of the legal actions in a row, sorted; [] when its game is over."""
        words = self._words[self._row(row)].astype("<u8").view(np.uint8)
        members = np.flatnonzero(np.unpackbits(words, bitorder="little"))
        return sorted(self.game.action_texts[i] for i in members)

    def view(self, row: int, player: int | None = None) -> View:
        """What an agent may hold who plays `player` (by default, the one to move) in a row."""
        row = self._row(row)
        seat = int(self.current_player[row]) if player is None else player
        return View(self.game, self.states, row, seat)

    def views(self, rows: object = None) -> BatchView:
        """What an agent may hold who decides in `rows` (a mask or indices; by default, wherever somebody is to move).

        The games stand in ascending order of rows.
        """
        chosen = self._chosen(self.current_player >= 0 if rows is None else rows)
        where = np.flatnonzero(chosen)
        players = self.current_player[where]
        if (players < 0).any():
            raise ValueError(f"rows: the game in row {where[players < 0][0]} is over, nobody is to decide there")
        states = np.zeros(len(where), dtype=self.game.dtype)
        self._loops.hide(self.game.tables, self.states, where, players, states)
        masks, _, wide, _ = self._sides[self._side]
        observations, shown = wide[where], masks[where]
        if not masks.shape[1]:
            bits = np.unpackbits(self._words[where].astype("<u8").view(np.uint8), axis=1, bitorder="little")
            shown = bits[:, : self.game.actions.size].astype(np.int8)
        if not wide.shape[1]:
            observations = np.zeros((len(where), self.game.observations.size), dtype=np.float32)
            for i, player in enumerate(players.tolist()):
                self.game.kernel.observe(self.game.tables, states, i, player, observations[i])
        return BatchView(self.game, players, observations, shown, states)

    def reveal(self, out: Array | None = None) -> Array:
        """The privileged vector of every row, float32 (n, state_size): everything, players by seat.

        For critics that only training uses: hidden cards are in it, an agent must not be given it.  `game.privileged` tells
        what it means.

        Args:
            out: an array to write into, C-contiguous, float32 (n, state_size); by default a new one.
        """
        shape = (self.num_envs, self.game.privileged.size)
        if out is None:
            out = np.empty(shape, dtype=np.float32)
        _check_buffer("out", out, shape, np.dtype(np.float32))
        states, tables = self.states, self.game.tables
        self._spread(lambda first, last, slot: self._loops.privileged(tables, states, first, last, out))
        return out

    @property
    def learners(self) -> Array:
        """The learner's seat in the running games, int8 (n,); -1 with ``seat="every"``."""
        return self._book["learner"].copy()

    @property
    def last_learners(self) -> Array:
        """Her seat in the game that ended last in each row, int8 (n,), where one has ended."""
        return self._book["last_learner"].copy()

    @property
    def illegal(self) -> Array:
        """Where a game ended in this step by an illegal action, bool (n,)."""
        ended: Array = self.terminated & (self._book["illegal"] != 0)
        return ended

    @property
    def lengths(self) -> Array:
        """Decisions made in the running games, int32 (n,)."""
        return self._book["length"].copy()

    @property
    def last_lengths(self) -> Array:
        """Decisions of the game that ended last in each row, int32 (n,)."""
        return self._book["last_length"].copy()

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        sides = [array for side in self._sides for array in side]
        others = [
            self.states,
            self._book,
            self._words,
            self._lineups,
            self._before,
            self.final_observations,
            *self._result[2:],
        ]
        arrays = {id(array): array.nbytes for array in [*sides, *others, self.final_scores]}
        return sum(arrays.values())

    def board(self, row: int, view: int | None = None) -> str:
        """The position in a row as text; with `view`, only what that seat may see."""
        return self.game.board(self.states, self._row(row), view)

    def refresh(self) -> BatchStep:
        """Fill masks, observations and current players anew, after `states` was written to from outside."""
        rows, tables = self._rows[self._side], self.game.tables
        self._run(lambda first, last, slot: self._loops.look(tables, rows, first, last))
        if self.action_masks is not self._words and self._packed:
            self.action_masks[...] = self._words
        return self._result

    def _row(self, row: int) -> int:
        number = operator.index(row)
        if not 0 <= number < self.num_envs:
            raise IndexError(f"row must be in 0..{self.num_envs - 1}, not {number}")
        return number

    # -- snapshots

    def snapshot(self) -> bytes:
        """All games as bytes; `restore` goes on from there exactly as this batch would.

        Agents outside and the parameters of policies are not in it: restore into a batch made with the same arguments.
        """
        if not self._started:
            raise RuntimeError("no games are running; call reset() first")
        file = io.BytesIO()
        described = np.frombuffer(json.dumps(self._description()).encode(), dtype=np.uint8)
        rows = self._rows[self._side]
        np.savez(file, description=described, **{name: getattr(rows, name) for name in _KEPT})
        return file.getvalue()

    def restore(self, data: bytes) -> BatchStep:
        """Go on from a snapshot.

        Raises:
            ValueError: damaged bytes, or a snapshot of another game, component set, size, reward, autoreset mode, seat
                or line of opponents; the message names both.  Nothing has changed.
        """
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                arrays = {name: file[name] for name in _KEPT}
                described = json.loads(file["description"].tobytes())
        except (ValueError, KeyError, OSError, EOFError, TypeError, zipfile.BadZipFile) as error:
            raise ValueError(f"not the bytes of a snapshot, or damaged ones: {error}") from error
        expected = self._description()
        for name, value in expected.items():
            found = described.get(name) if isinstance(described, dict) else None
            if found != value:
                raise ValueError(f"snapshot: {name} is {found!r}, here it is {value!r}")
        rows = self._rows[self._side]
        for name, array in arrays.items():
            _check_buffer(f"snapshot {name}", array, getattr(rows, name).shape, getattr(rows, name).dtype)
        for name, array in arrays.items():
            getattr(rows, name)[...] = array
        self._started = True
        return self.refresh()

    def _description(self) -> dict[str, Any]:
        return {
            "format": _FORMAT,
            "game": f"{self.game.name}_v{self.game.version}",
            "tables": hashlib.sha256(self.game.tables.tobytes()).hexdigest(),
            "num_players": self.game.num_players,
            "num_envs": self.num_envs,
            "reward": self.reward,
            "autoreset_mode": self.autoreset_mode.value,
            "seat": self.seat,
            "illegal_action": self.illegal_action,
            "policies": [one.name for one in self._policies],
            "agents": len(self._agents),
        }

    def close(self) -> None:
        """Let the threads go; the arrays stay."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"BatchEnv({self.game!r}, {self.num_envs}, seat={self.seat!r}, reward={self.reward!r})"


#: Stands for "every row" where no mask is read.
_ALL: Final = np.ones(0, dtype=np.bool_)


def play_games(
    game: Game,
    policies: Sequence[Policy],
    seeds: Sequence[int] | npt.NDArray[np.int64],
    lineups: npt.ArrayLike | None = None,
    threads: int = 1,
    limit: int = 100_000,
    ends: States | None = None,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Whole games of compiled policies, one compiled call for all of them.

    Args:
        game: the game.
        policies: compiled policies; without `lineups`, one for each seat.
        seeds: of the games, (n,) integers; a game's seed decides about cards and about the policies' chance.
        lineups: integers (n, players): the policy, by its number, on each seat of each game.
        threads: how many threads share the games; results do not depend on it.
        limit: decisions after which a game is scored as it stands.
        ends: states (n,) of the game's dtype that receive how each game ended.

    Returns:
        scores int32 (n, players), final totals by seat; lengths int32 (n,), decisions.

    Raises:
        ValueError: seats without a policy, numbers or seeds out of range.
        RuntimeError: a policy answered with an illegal action; the message names it and the game's seed.
    """
    if not policies or not all(isinstance(one, Policy) for one in policies):
        raise ValueError("policies: expected compiled policies (core.policy.Policy), at least one")
    numbers = np.array([check_seed(one) for one in seeds], dtype=np.int64)
    shape = (len(numbers), game.num_players)
    if lineups is None:
        if len(policies) != game.num_players:
            raise ValueError(f"policies: expected one for each of {game.num_players} seats, not {len(policies)}")
        lineups = np.arange(game.num_players)
    chosen = np.asarray(lineups)
    if chosen.dtype.kind not in "iu" or chosen.min(initial=0) < 0 or chosen.max(initial=0) >= len(policies):
        raise ValueError(f"lineups: expected numbers of policies in 0..{len(policies) - 1}")
    if chosen.shape not in [shape, shape[1:]]:
        raise ValueError(f"lineups: expected shape {shape}, not {chosen.shape}")
    if ends is None:
        ends = np.zeros(0, dtype=game.dtype)
    elif ends.dtype != game.dtype or ends.shape != shape[:1]:
        raise ValueError(f"ends: expected states of this game, {shape[:1]}, not {ends.dtype} {ends.shape}")
    chosen = np.ascontiguousarray(np.broadcast_to(chosen, shape), dtype=np.int8)
    slots = max(1, min(_positive(threads, "threads"), len(numbers)))
    unique = list(dict.fromkeys(policies))
    chosen = np.array([unique.index(one) for one in policies], dtype=np.int8)[chosen]
    parameters, reads = stacked(unique)
    scores, lengths = np.zeros(shape, dtype=np.int32), np.zeros(len(numbers), dtype=np.int32)
    play = batch.bind_batch(game, unique).play
    edges = np.linspace(0, len(numbers), slots + 1).astype(int).tolist()

    def work(slot: int) -> int:
        # Arrays of its own for each thread: what two threads write must not lie in one cache line.
        states, words = np.zeros(2, dtype=game.dtype), np.zeros(game.num_words, dtype=np.uint64)
        chance = np.zeros(3, dtype=np.int64)
        return int(
            play(
                game.tables, states, edges[slot], edges[slot + 1], numbers, chance, chosen, words, parameters, reads,
                game.num_players, limit, scores, lengths, ends,
            )
        )  # fmt: skip

    if slots == 1:
        faults = [work(0)]
    else:
        with ThreadPoolExecutor(slots) as pool:
            faults = list(pool.map(work, range(slots)))
    for fault in faults:
        if fault >= 0:
            raise RuntimeError(
                f"policy {unique[lengths[fault]].name!r} answered with an action that is not legal "
                f"in the game with the seed {numbers[fault]}"
            )
    return scores, lengths


def _blocks(rows: int, threads: int) -> list[tuple[int, int]]:
    """First and last row (exclusive) of each thread; the first is the calling one.

    One block for each: every further one would wait for the interpreter's lock, which takes as long as 200 rows.
    """
    own = min(rows - threads + 1, -(-(rows + HEAD_START * (threads - 1)) // threads))
    edges = np.linspace(own, rows, threads).astype(int).tolist()
    return list(itertools.pairwise([0, *edges]))


def _positive(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a positive integer, not {value!r}")
    return int(value)


def _autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if isinstance(mode, str) and mode.lower() in (known.name.lower(), known.value.lower()):
            return known
    names = ", ".join(known.name for known in AutoresetMode)
    raise ValueError(f"autoreset_mode must be one of {names}, not {mode!r}")


def _seat_rule(seat: int | str, players: int) -> int:
    if isinstance(seat, str) and seat in _SEAT_RULES:
        return _SEAT_RULES[seat]
    if isinstance(seat, int | np.integer) and not isinstance(seat, bool) and 0 <= seat < players:
        return int(seat)
    raise ValueError(f"seat must be 'every', 'rotate', 'random' or a seat in 0..{players - 1}, not {seat!r}")


def _check_buffer(name: str, array: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """ValueError for whatever the compiled loops could not write to."""
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name}: expected a numpy array, not {type(array).__name__}")
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(f"{name}: expected {dtype} {shape}, not {array.dtype} {array.shape}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{name}: the array must be C-contiguous and writeable")
