"""Stable-Baselines3: a learner's seat in many games as one native, masked VecEnv.

The only module of the package that imports Stable-Baselines3; nothing else imports this one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.opponents import Opponents
from porta_nigra_env.envs.render import all_rendered, check_render_mode, close_window
from porta_nigra_env.envs.spaces import action_space, check_asked, check_options, observation_space

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError(f"{error}: the VecEnv needs Stable-Baselines3; pip install 'porta-nigra-env[sb3]'") from error

Array = npt.NDArray[Any]


class MaskedVecEnv(VecEnv):
    """`num_envs` games from a learner's seat for Stable-Baselines3, with the masks MaskablePPO asks for.

    One compiled call makes a step of all games, the opponents' moves and the next episodes included.  Observations
    alternate between two buffers: those of the last step are whole until the step after the next one, which is what
    Stable-Baselines3 relies on.  The info of a game that ended holds "terminal_observation", "scores" and "places" (of
    all seats; 1: the first), "seat" (the learner's), "length" (decisions of all), "illegal_action", and "episode" as
    Stable-Baselines3's VecMonitor gives it: "r", the sum of the learner's rewards, "l", how many decisions she made,
    and "t", seconds since the VecEnv was made.

    Args:
        game: the game.
        num_envs: number of games.
        seat, opponents, reward, illegal_action, illegal_reward, threads, render_mode: see `envs.vector.SeatVectorEnv`.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        seat: int | str = "random",
        opponents: Opponents = None,
        reward: str = "outcome",
        illegal_action: str = "terminate",
        illegal_reward: float | None = None,
        threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        if seat == "every":
            raise ValueError(f"seat must be 'rotate', 'random' or a seat in 0..{game.num_players - 1}, not 'every'")
        #: The games; their other arrays (final scores, lengths, ...) may be read, and opponents changed.
        self.games: Final = BatchEnv(
            game,
            num_envs,
            seat=seat,
            opponents=opponents,
            reward=reward,
            illegal_action=illegal_action,
            illegal_reward=illegal_reward,
            threads=threads,
            double_buffer=True,
        )
        self._everyone = np.arange(num_envs)
        self._actions: Any = None
        # The base class asks for it with `get_attr`.
        self._render_mode = check_render_mode(render_mode)
        self._begun = time.perf_counter()
        self._gained, self._decisions = np.zeros(num_envs), np.zeros(num_envs, dtype=np.int64)
        super().__init__(num_envs, observation_space(game), action_space(game))

    def reset(self) -> Array:
        """Begin an episode in every game, with what `seed` and `set_options` have said since the last time.

        The one option is "position" (a dict, JSON text or state), where the episode begins; of a list of options each
        game has its own.

        Raises:
            ValueError: an unknown option, an impossible position, or one that ends before the learner is asked.
        """
        known = [check_options(one, ("position",)) for one in self._options]
        rows = [row for row, one in enumerate(known) if "position" in one]
        seeds = self._seeds if any(one is not None for one in self._seeds) else None
        if len(rows) < self.num_envs:
            self.games.reset(seeds)
        if rows:
            self.games.load([known[row]["position"] for row in rows], rows, seeds)
            check_asked(self.games, rows)
        self._reset_seeds()
        self._reset_options()
        self._gained[:], self._decisions[:] = 0.0, 0
        self.reset_infos = [{"seat": seat} for seat in self.games.learners.tolist()]
        self._show()
        return self.games.observations

    def step_async(self, actions: Array) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """The learner's decision in every game, and the others' up to her next one; games that end begin anew.

        Returns:
            observations float32 (n, size), rewards float32 (n,), dones bool (n,), infos.

        Raises:
            IllegalActionError: with ``illegal_action="raise"``; nothing has changed.
        """
        games = self.games
        games.step(self._actions)
        dones = games.terminated.copy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        seats = games.learners
        if dones.any():
            seats = np.where(dones, games.last_learners, seats)
        rewards = games.rewards[self._everyone, seats]
        self._gained += rewards
        self._decisions += 1
        if dones.any():
            seconds = round(time.perf_counter() - self._begun, 6)
            illegal, lengths = games.illegal, games.last_lengths
            for row in np.flatnonzero(dones).tolist():
                infos[row] = {
                    "terminal_observation": games.final_observations[row].copy(),
                    "scores": games.final_scores[row].copy(),
                    "places": games.final_places[row].copy(),
                    "seat": int(seats[row]),
                    "length": int(lengths[row]),
                    "illegal_action": bool(illegal[row]),
                    "episode": {"r": float(self._gained[row]), "l": int(self._decisions[row]), "t": seconds},
                }
            self._gained[dones], self._decisions[dones] = 0.0, 0
        self._show()
        return games.observations, rewards, dones, infos

    def action_masks(self) -> Array:
        """The legal actions of every game, bool (n, num_actions); the buffer itself, overwritten two steps later."""
        masks: Array = self.games.action_masks.view(np.bool_)
        return masks

    def has_attr(self, attr_name: str) -> bool:
        """Whether the games have it: "action_masks" and "render_mode"."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """`render_mode`, the same for all; there are no environments of their own to ask for more."""
        if attr_name == "render_mode":
            return [self._render_mode] * len(self._rows(indices))
        raise AttributeError(f"the games of a MaskedVecEnv are rows of arrays and have no attribute {attr_name!r}")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Nothing can be set for a single game."""
        raise AttributeError(f"the games of a MaskedVecEnv are rows of arrays; {attr_name!r} cannot be set on one")

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
        """`action_masks`: one array for all games asked for, as MaskablePPO wants them; and `render`."""
        if method_name == "action_masks":
            masks = self.action_masks()
            return masks if indices is None else masks[self._rows(indices)]
        if method_name == "render" and self._render_mode is not None:
            boards = all_rendered(self._render_mode, self.games)
            return [boards[row] for row in self._rows(indices)]
        raise AttributeError(f"the games of a MaskedVecEnv are rows of arrays and have no method {method_name!r}")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """There are no wrappers."""
        return [False] * len(self._rows(indices))

    def get_images(self) -> Sequence[Any]:
        """The boards as pictures, see `envs.render`; None for each without ``render_mode="rgb_array"``."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        return all_rendered("rgb_array", self.games)

    def _show(self) -> None:
        if self._render_mode == "human":
            all_rendered("human", self.games)

    def close(self) -> None:
        """Let the threads go, and the window."""
        self.games.close()
        if self._render_mode == "human":
            close_window()

    def _rows(self, indices: Any) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [int(one) for one in indices] if isinstance(indices, Iterable) else [int(indices)]
