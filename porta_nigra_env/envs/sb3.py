"""Stable-Baselines3: a learner's seat in many games as one native, masked VecEnv.

The only module of the package that imports Stable-Baselines3; no other module imports it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Final, Unpack

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch_options import LearnerOptions
from porta_nigra_env.envs.spaces import check_options
from porta_nigra_env.envs.vector import SeatVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(f"{error}: the VecEnv needs Stable-Baselines3; pip install 'porta-nigra-env[sb3]'") from error

Array = npt.NDArray[Any]
Indices = int | Iterable[int] | None


class MaskedVecEnv(VecEnv):
    """`num_envs` games from a learner's seat for Stable-Baselines3, with the masks of MaskablePPO.

    One compiled call steps all games, the opponents' moves and the next episodes included.  Observations alternate
    between two buffers, since Stable-Baselines3 relies on those of the previous step.

    The info of a game that ended holds "terminal_observation", "scores" and "places" of all seats (1: the first),
    "seat" (the learner's), "length" (steps of all players), "illegal_action", and "episode" as in VecMonitor: "r", the
    sum of the learner's rewards, "l", the learner's steps, and "t", seconds since the VecEnv was made.

    Args:
        game: the game.
        num_envs: number of games.
        threads, render_mode, options: as in `envs.vector.SeatVectorEnv`.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        threads: int = 1,
        render_mode: str | None = None,
        **options: Unpack[LearnerOptions],
    ) -> None:
        self._vector: Final = SeatVectorEnv(
            game, num_envs, autoreset_mode="same_step", threads=threads, copy=False, render_mode=render_mode, **options
        )
        #: The games; their other arrays (final scores, lengths, ...) may be read, and opponents changed.
        self.games: Final = self._vector.games
        self._actions: Any = None
        self._start = time.perf_counter()
        self._returns, self._steps = np.zeros(num_envs), np.zeros(num_envs, dtype=np.int64)
        super().__init__(num_envs, self._vector.single_observation_space, self._vector.single_action_space)

    def reset(self) -> Any:
        """Begin an episode in every game, with the seeds of `seed` and the options of `set_options`.

        The one option is "position" (a dict, JSON string or state), the start of the episode; a list of options has
        one for each game.

        Raises:
            ValueError: an unknown option, an impossible position, or one that ends before the learner's turn; the
                running episodes stay.
        """
        known = [check_options(options, ("position",)) for options in self._options]
        positions = [options["position"] for options in known if "position" in options]
        placed = np.array(["position" in options for options in known])
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        # The positions first: they can be refused.
        if positions:
            self._vector.reset(seed=seeds, options={"position": positions, "reset_mask": placed})
        if not placed.all():
            self._vector.reset(seed=seeds, options={"reset_mask": ~placed})
        self._reset_seeds()
        self._reset_options()
        self._returns[:], self._steps[:] = 0.0, 0
        self.reset_infos = [{"seat": seat} for seat in self.games.learners.tolist()]
        return self._vector.observations()

    def step_async(self, actions: Array) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Play the learner's action in every game, and the others' until its next turn; ended games begin again.

        IllegalActionError with ``illegal_action="raise"``; nothing has changed.
        """
        observations, rewards, dones, _, results = self._vector.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._returns += rewards
        self._steps += 1
        if dones.any():
            seconds, final = round(time.perf_counter() - self._start, 6), results["final_info"]
            for row in np.flatnonzero(dones).tolist():
                infos[row] = {
                    "terminal_observation": results["final_obs"][row],
                    "scores": final["scores"][row],
                    "places": final["places"][row],
                    "seat": int(final["seat"][row]),
                    "length": int(final["length"][row]),
                    "illegal_action": bool(final["illegal_action"][row]),
                    "episode": {"r": float(self._returns[row]), "l": int(self._steps[row]), "t": seconds},
                }
            self._returns[dones], self._steps[dones] = 0.0, 0
        return observations, rewards, dones, infos

    def action_masks(self) -> Array:
        """Return the legal actions of every game, bool (n, num_actions); the buffer, overwritten two steps later."""
        masks: Array = self.games.action_masks.view(np.bool_)
        return masks

    def has_attr(self, attr_name: str) -> bool:
        """Return True for "action_masks" and "render_mode"."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return `render_mode` for each game; the games are not environments and have no other attributes."""
        if attr_name == "render_mode":
            return [self._vector.render_mode] * len(self._rows(indices))
        raise AttributeError(f"the games of a MaskedVecEnv are rows of arrays and have no attribute {attr_name!r}")

    def set_attr(self, attr_name: str, value: object, indices: Indices = None) -> None:
        """Raise AttributeError: a single game has no attributes."""
        raise AttributeError(f"the games of a MaskedVecEnv are rows of arrays; {attr_name!r} cannot be set on one")

    def env_method(
        self, method_name: str, *method_args: object, indices: Indices = None, **method_kwargs: object
    ) -> Any:
        """Call `action_masks`, one array for all chosen games as in MaskablePPO, or `render`."""
        if method_name == "action_masks":
            masks = self.action_masks()
            return masks if indices is None else masks[self._rows(indices)]
        if method_name == "render" and self._vector.render_mode is not None:
            boards = self._vector.render()
            return [boards[row] for row in self._rows(indices)]
        raise AttributeError(f"the games of a MaskedVecEnv are rows of arrays and have no method {method_name!r}")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Return False for every game: there are no wrappers."""
        return [False] * len(self._rows(indices))

    def get_images(self) -> Sequence[Any]:
        """Return the boards as pictures, see `envs.render`; None for each without ``render_mode="rgb_array"``."""
        return self._vector.render() if self.render_mode == "rgb_array" else [None] * self.num_envs

    def close(self) -> None:
        """Stop the threads and close the window."""
        self._vector.close()

    def _rows(self, indices: Indices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [int(index) for index in indices] if isinstance(indices, Iterable) else [int(indices)]
