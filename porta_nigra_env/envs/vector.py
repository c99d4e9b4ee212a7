"""Gymnasium's vector API: a learner's seat in many games."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, Self, Unpack

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.batch_inputs import row_mask
from porta_nigra_env.envs.batch_options import LearnerOptions, with_learner
from porta_nigra_env.envs.render import RENDER_FPS, RENDER_MODES, Rendering, check_render_mode, render_boards
from porta_nigra_env.envs.spaces import ObservationFormat, action_space, check_options

Array = npt.NDArray[Any]


class SeatVectorEnv(Rendering, gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` games of `envs.gymnasium.SeatEnv` in one array.

    Row i of ``reset(seed=s)`` plays the episodes of `SeatEnv` after ``reset(seed=s + i)``, the later ones included.

    Infos always have the same keys.  "action_mask" (n, num_actions) and "seat" (n,) are of the running episodes.
    "scores" and "places" of all seats (1: the first), "length" in steps of the game, and "illegal_action" are of those
    that ended: "_scores" and so on are True there, and the other entries are zeros.  With SAME_STEP these are in
    "final_info", with the learner's "seat", and "final_obs" holds the last observation of the episode.

    Args:
        game: the game.
        num_envs: number of games.
        autoreset_mode: `gymnasium.vector.AutoresetMode` or its name.  NEXT_STEP is the mode that Gymnasium's vector
            wrappers expect: the step after an end ignores the row's action and begins the next episode.
        threads: number of threads that share the games.
        copy: True if returned arrays belong to the caller, as in Gymnasium's vector environments.  False returns
            buffers that the step after the next overwrites, and `reset` those of the last step.
        render_mode: None, or one of `envs.render.RENDER_MODES`: the boards as the learner sees them, one for each
            game.
        mask_in, mask_dtype, history, observe_components: see `envs.spaces.ObservationFormat`.
        options: see `envs.batch.BatchEnv`.  `seat` is by default "random" (drawn for each episode); `illegal_action`
            is by default "terminate".
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
        mask_in: str = "info",
        mask_dtype: str = "int8",
        **options: Unpack[LearnerOptions],
    ) -> None:
        #: The games; their other arrays (final scores, lengths, ...) may be read, not stepped or reset.
        self.games: Final = BatchEnv(
            game,
            num_envs,
            autoreset_mode=autoreset_mode,
            threads=threads,
            double_buffer=not copy,
            **with_learner(game, options),
        )
        self.num_envs = self.games.num_envs
        self.render_mode = check_render_mode(render_mode)
        self.autoreset_mode = self.games.autoreset_mode
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        shown = options.get("history", 0), options.get("observe_components", False)
        self._format = ObservationFormat(game, mask_in, mask_dtype, *shown)
        self.single_observation_space = self._format.space()
        self.single_action_space = action_space(game)
        self._copy = copy
        self._indices, self._everywhere = np.arange(self.num_envs), np.ones(self.num_envs, dtype=np.bool_)
        self._nowhere = np.zeros(self.num_envs, dtype=np.bool_)
        #: The results of a step without an end; copies of them are the fastest new arrays.
        self._no_results = _no_results(self.num_envs, game.num_players)

    # Lazy: the bounds of all games take 16 bytes an entry.
    @cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]  # Gymnasium declares attributes
        """`single_observation_space`, batched."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]
        """`single_action_space`, batched."""
        return batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in every game, or in those of ``options["reset_mask"]`` (bool (n,)).

        Args:
            seed: game i gets ``seed + i``, or its entry of a list; without a seed, or with None in the list, a game
                continues with its next episode.
            options: "reset_mask"; "position" (a dict, JSON string or state), the start of all these episodes, or a list
                with one for each.

        Raises:
            ValueError: an unknown option, an invalid seed, an impossible position, or one that ends before the
                learner's turn; the running episodes stay.
        """
        known = check_options(options, ("reset_mask", "position"))
        rows = known.get("reset_mask")
        if rows is not None and np.asarray(rows).dtype != np.bool_:
            raise ValueError(f"option 'reset_mask' must be a bool mask, not {rows!r}")
        seeds = None if isinstance(seed, list) and all(entry is None for entry in seed) else seed
        if "position" in known:
            _load(self.games, known["position"], rows, seeds)
        else:
            self.games.reset(seeds, rows)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._show()
        return self.observations(), self._infos(self.games.learners, np.arange(0))

    def step(self, actions: npt.ArrayLike) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        """Play the learner's action in every game, and the others' until the learner's next turn.

        Rewards are float32 (n,), and no episode is truncated.

        Raises:
            IllegalActionError: with ``illegal_action="raise"``; nothing has changed.
        """
        games = self.games
        games.step(actions)
        ended, seats = games.terminated.copy(), games.learners
        rows = ended.nonzero()[0]
        rewards = games.rewards[self._indices, seats]
        if len(rows):
            rewards[rows] = games.rewards[rows, games.last_learners[rows]]
        self._show()
        return self.observations(), rewards, ended, self._nowhere.copy(), self._infos(seats, rows)

    def action_masks(self) -> Array:
        """Return the learner's legal actions, bool (n, num_actions); a copy."""
        return self.games.action_masks.astype(np.bool_)

    def _boards(self, mode: str) -> tuple[Any, ...]:
        self.games._check_started()
        return render_boards(mode, self.games.game, self.games.states, self.games.learners.tolist())

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads and close the window."""
        self.games.close()
        self._close_window()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _mask(self) -> Array:
        mask = self.games.action_masks
        if self._format.mask_dtype != "int8":
            mask = mask.view(self._format.mask_dtype)
        return mask.copy() if self._copy else mask

    def observations(self) -> Any:
        """Return the observations of the running step, as `step` does."""
        vectors, histories = self.games.observations, self.games.histories
        if self._copy:
            vectors, histories = vectors.copy(), histories.copy()
        return self._format.observation(vectors, None if self._format.mask_in_info else self._mask(), histories)

    def _infos(self, seats: Array, rows: Array) -> dict[str, Any]:
        """Return the infos; seats: the learner's, int8 (n,); rows: the games that ended in this step."""
        infos: dict[str, Any] = {"seat": seats, "_seat": self._everywhere.copy()}
        if self._format.mask_in_info:
            infos["action_mask"], infos["_action_mask"] = self._mask(), self._everywhere.copy()
        if self.autoreset_mode is AutoresetMode.SAME_STEP and len(rows):
            return infos | self._final(rows) | self._results(rows[:0])
        return infos | self._results(rows)

    def _final(self, rows: Array) -> dict[str, Any]:
        """Return the infos of the games that ended and began again in this step, those in `rows`."""
        games, ended = self.games, self._nowhere.copy()
        ended[rows] = True
        final = np.empty(self.num_envs, dtype=object)  # of None
        size = games.game.actions.size
        for row in rows.tolist():
            no_actions = None if self._format.mask_in_info else np.zeros(size, dtype=self._format.mask_dtype)
            vector, history = games.final_observations[row].copy(), games.final_histories[row].copy()
            final[row] = self._format.observation(vector, no_actions, history)
        result = self._results(rows) | {"seat": games.last_learners, "_seat": ended}
        return {"final_obs": final, "_final_obs": ended.copy(), "final_info": result, "_final_info": ended.copy()}

    def _results(self, rows: Array) -> dict[str, Array]:
        """Return the results of the games that ended, those in `rows`; zeros for the others."""
        results = {name: array.copy() for name, array in self._no_results.items()}
        if len(rows):
            games = self.games
            values = {
                "scores": games.final_scores,
                "places": games.final_places,
                "length": games.last_lengths,
                "illegal_action": games.illegal,
            }
            for name, value in values.items():
                results[name][rows] = value[rows]
                results[f"_{name}"][rows] = True
        return results


def _no_results(count: int, players: int) -> dict[str, Array]:
    """Return the results in the infos of `count` games without an end."""
    results: dict[str, Array] = {
        "scores": np.zeros((count, players), dtype=np.int32),
        "places": np.zeros((count, players), dtype=np.int8),
        "length": np.zeros(count, dtype=np.int32),
        "illegal_action": np.zeros(count, dtype=np.bool_),
    }
    return results | {f"_{name}": np.zeros(count, dtype=np.bool_) for name in list(results)}


def _load(games: BatchEnv, positions: object, rows: object, seeds: Any) -> None:
    """Begin games from positions; if one ends before the learner's turn, ValueError, and the running games stay."""
    try:
        before = games.snapshot()
    except RuntimeError:  # no games are running
        before = None
    games.load(positions, rows, seeds)
    over = np.flatnonzero(row_mask(rows, games.num_envs) & (games.current_player < 0))
    if len(over):
        seat = int(games.learners[over[0]])
        if before is not None:
            games.restore(before)
        raise ValueError(f"game {over[0]} ended before the learner on seat {seat} was asked; begin earlier")
