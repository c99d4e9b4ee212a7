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
from porta_nigra_env.envs.batch_options import LearnerOptions, with_learner
from porta_nigra_env.envs.render import (
    RENDER_FPS,
    RENDER_MODES,
    check_render_mode,
    close_window,
    render_all,
    warn_without_mode,
)
from porta_nigra_env.envs.spaces import action_space, check_not_over, check_options, observation_space

Array = npt.NDArray[Any]


class SeatVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` games of `envs.gymnasium.SeatEnv` in one array.

    Row i of ``reset(seed=s)`` plays the episodes of `SeatEnv` after ``reset(seed=s + i)``, the later ones included.

    Infos hold "action_mask" (int8 (n, num_actions)) and "seat" (n,).  For episodes that ended they also hold "scores"
    and "places" of all seats (1: the first), "length" in steps of the game, and "illegal_action", True if one ended
    it.  If a new episode began in the same step, these keys are in "final_info", with the learner's "seat", and
    "final_obs" holds the last observation of the episode that ended.

    Args:
        game: the game.
        num_envs: number of games.
        autoreset_mode: `gymnasium.vector.AutoresetMode` or its name.
        threads: number of threads that share the games.
        copy: True if returned arrays belong to the caller, as in Gymnasium's vector environments.  False returns
            buffers that the step after the next overwrites, and `reset` those of the last step.
        render_mode: None, or one of `envs.render.RENDER_MODES`: the boards as the learner sees them, one for each
            game.
        options: see `envs.batch.BatchEnv`.  `seat` is by default "random" (drawn for each episode); `illegal_action`
            is by default "terminate".
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
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
        self.single_observation_space = observation_space(game)
        self.single_action_space = action_space(game)
        self._copy = copy
        self._indices = np.arange(self.num_envs)

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
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode in every game, or in those of ``options["reset_mask"]`` (bool (n,)).

        Args:
            seed: game i gets ``seed + i``, or its entry of a list; without a seed, or with None in the list, a game
                continues with its next episode.
            options: "reset_mask"; "position" (a dict, JSON string or state), the start of all these episodes.

        Raises:
            ValueError: an unknown option, an invalid seed, an impossible position, or one that ends before the
                learner's turn; reset again after the last error.
        """
        known = check_options(options, ("reset_mask", "position"))
        super().reset(seed=seed if isinstance(seed, int) else None)
        rows = known.get("reset_mask")
        if rows is not None and np.asarray(rows).dtype != np.bool_:
            raise ValueError(f"option 'reset_mask' must be a bool mask, not {rows!r}")
        seeds = None if isinstance(seed, list) and all(entry is None for entry in seed) else seed
        if "position" in known:
            self.games.load(known["position"], rows, seeds)
            check_not_over(self.games, rows)
        else:
            self.games.reset(seeds, rows)
        self._show()
        return self._observations(), self._infos()

    def step(self, actions: npt.ArrayLike) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Play the learner's action in every game, and the others' until the learner's next turn.

        Returns:
            observations float32 (n, size), rewards float32 (n,), terminations bool (n,), truncations bool (n,) (never),
            infos.

        Raises:
            IllegalActionError: with ``illegal_action="raise"``; nothing has changed.
        """
        games = self.games
        games.step(actions)
        ended = games.terminated.copy()
        seats = np.where(ended, games.last_learners, games.learners)
        rewards = games.rewards[self._indices, seats]
        infos = self._infos()
        if ended.any():
            infos |= self._final_infos(ended)
        self._show()
        return self._observations(), rewards, ended, np.zeros(self.num_envs, dtype=np.bool_), infos

    def _final_infos(self, ended: Array) -> dict[str, Any]:
        games = self.games
        details = {
            "scores": games.final_scores.copy(),
            "places": games.final_places.copy(),
            "length": games.last_lengths,
            "illegal_action": games.illegal,
        }
        same_step = games.autoreset_mode is AutoresetMode.SAME_STEP
        if same_step:
            details["seat"] = games.last_learners
        details |= {f"_{name}": ended.copy() for name in details}
        if not same_step:
            return details
        final = np.full(self.num_envs, None, dtype=object)
        for row in np.flatnonzero(ended):
            final[row] = games.final_observations[row].copy()
        return {"final_obs": final, "_final_obs": ended.copy(), "final_info": details, "_final_info": ended.copy()}

    def action_masks(self) -> Array:
        """Return the learner's legal actions, bool (n, num_actions); a copy."""
        return self.games.action_masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Render the boards as the learner sees them, see `envs.render`; None, with a warning, without a mode."""
        if self.render_mode is None:
            warn_without_mode()
            return None
        return render_all(self.render_mode, self.games)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads and close the window."""
        self.games.close()
        if self.render_mode == "human":
            close_window()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _observations(self) -> Array:
        return self.games.observations.copy() if self._copy else self.games.observations

    def _infos(self) -> dict[str, Any]:
        mask = self.games.action_masks.copy() if self._copy else self.games.action_masks
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        return {"action_mask": mask, "_action_mask": everywhere, "seat": self.games.learners, "_seat": everywhere}
