"""Gymnasium: a learner's seat in many games at once."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, Self

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.opponents import Opponents
from porta_nigra_env.envs.render import (
    RENDER_FPS,
    RENDER_MODES,
    all_rendered,
    check_render_mode,
    close_window,
    warn_without_mode,
)
from porta_nigra_env.envs.spaces import action_space, check_asked, check_options, observation_space

Array = npt.NDArray[Any]


class SeatVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """`num_envs` games from a learner's seat; what `envs.gymnasium.SeatEnv` is, in one array.

    Row i of ``reset(seed=s)`` is `SeatEnv` after ``reset(seed=s + i)``: the same episodes, the later ones included.

    Infos hold "action_mask" (int8 (n, num_actions)) and "seat" (n,).  Where an episode ended, "scores" and
    "places" (1: the first) are those of all seats, "length" is that of the game in decisions, and "illegal_action"
    tells whether one ended it; where a new one began in the same step, they stand in "final_info", with the learner's
    "seat", and "final_obs" holds the last observation of the one that ended.

    Args:
        game: the game.
        num_envs: number of games.
        seat: the learner's: a number, "random" (drawn for each episode) or "rotate" (``seed % num_players``, then the
            next one in each episode).
        opponents: who plays the other seats: the name of a player, a compiled policy, an agent with
            ``act_batch(views)``, a function of a view; a list of them in turn order from the learner's left on, or a
            dict by seat.
        reward: one of `envs.rewards.REWARDS`.
        illegal_action, illegal_reward: "terminate" ends the episode with that reward, -1 by default; "raise" refuses
            the step; see `envs.batch.BatchEnv`.
        autoreset_mode: `gymnasium.vector.AutoresetMode` or its name.
        threads: how many threads share the games.
        copy: whether returned arrays belong to the caller, as in Gymnasium's own vector environments.  False hands out
            buffers that the step after the next one overwrites, and `reset` those of the last step.
        render_mode: None, or one of `envs.render.RENDER_MODES`: the boards as the learner sees them, one for each
            game.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        *,
        seat: int | str = "random",
        opponents: Opponents = None,
        reward: str = "outcome",
        illegal_action: str = "terminate",
        illegal_reward: float | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        if seat == "every":
            raise ValueError(f"seat must be 'rotate', 'random' or a seat in 0..{game.num_players - 1}, not 'every'")
        #: The games; their other arrays (final scores, lengths, ...) may be read, `step` and `reset` are this class's.
        self.games: Final = BatchEnv(
            game,
            num_envs,
            seat=seat,
            opponents=opponents,
            reward=reward,
            illegal_action=illegal_action,
            illegal_reward=illegal_reward,
            autoreset_mode=autoreset_mode,
            threads=threads,
            double_buffer=not copy,
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
        self._everyone = np.arange(self.num_envs)

    # Bounds for every game take 16 bytes an entry: made when asked for.
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
        """Begin an episode in every game, or where ``options["reset_mask"]`` (bool (n,)) says so.

        Args:
            seed: game i gets ``seed + i``, or its own from a list; without it, or with None in the list, a game goes on
                to its next episode.
            options: "reset_mask"; "position" (a dict, JSON text or state), where all these episodes begin.

        Raises:
            ValueError: an unknown option, a seed that is none, an impossible position, or one that ends before the
                learner is asked: begin anew then.
        """
        known = check_options(options, ("reset_mask", "position"))
        super().reset(seed=seed if isinstance(seed, int) else None)
        rows = known.get("reset_mask")
        if rows is not None and np.asarray(rows).dtype != np.bool_:
            raise ValueError(f"option 'reset_mask' must be a bool mask, not {rows!r}")
        seeds: Any = seed
        if isinstance(seed, list) and all(one is None for one in seed):
            seeds = None
        if "position" in known:
            self.games.load(known["position"], rows, seeds)
            check_asked(self.games, rows)
        else:
            self.games.reset(seeds, rows)
        self._show()
        return self._observed(), self._infos()

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """The learner's decision in every game, and the others' up to her next one.

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
        rewards = games.rewards[self._everyone, seats]
        infos = self._infos()
        if ended.any():
            details = {
                "scores": games.final_scores.copy(),
                "places": games.final_places.copy(),
                "length": games.last_lengths,
                "illegal_action": games.illegal,
            }
            if games.autoreset_mode is AutoresetMode.SAME_STEP:
                final = np.full(self.num_envs, None, dtype=object)
                for row in np.flatnonzero(ended):
                    final[row] = games.final_observations[row].copy()
                details["seat"] = games.last_learners
                infos["final_obs"], infos["_final_obs"] = final, ended.copy()
                infos["final_info"] = {**details, **{f"_{name}": ended.copy() for name in details}}
                infos["_final_info"] = ended.copy()
            else:
                infos |= {**details, **{f"_{name}": ended.copy() for name in details}}
        self._show()
        return self._observed(), rewards, ended, np.zeros(self.num_envs, dtype=np.bool_), infos

    def action_masks(self) -> Array:
        """The learner's legal actions, bool (n, num_actions); a copy."""
        return self.games.action_masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """The boards as the learner sees them, see `envs.render`; None, with a warning, without a render mode."""
        if self.render_mode is None:
            warn_without_mode()
            return None
        return all_rendered(self.render_mode, self.games)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Let the threads go, and the window."""
        self.games.close()
        if self.render_mode == "human":
            close_window()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _observed(self) -> Array:
        return self.games.observations.copy() if self._copy else self.games.observations

    def _infos(self) -> dict[str, Any]:
        mask = self.games.action_masks.copy() if self._copy else self.games.action_masks
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        return {"action_mask": mask, "_action_mask": everywhere, "seat": self.games.learners, "_seat": everywhere}
