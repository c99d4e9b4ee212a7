"""Factories of the environments of one game; each ``<game>_v0`` module exports those of its game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, Unpack

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.positions.components import ComponentSource
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.batch_options import (
    BatchEnvOptions,
    RawEnvOptions,
    SeatEnvOptions,
    VecEnvOptions,
    VectorEnvOptions,
)
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC, Observed, wrap
from porta_nigra_env.envs.vector import SeatVectorEnv

if TYPE_CHECKING:
    from porta_nigra_env.envs.sb3 import MaskedVecEnv

Env = TypeVar("Env", GameAEC, SeatEnv)


class Factories:
    """The functions that make environments of one game.

    All take `num_players` (by default the smallest allowed number) and `components`: "standard", "varied:SEED", the
    path of a component file, or a loaded set, for games that have component files.  The other options are those of the
    environment's class.

    Args:
        game_class: the class of the game.
    """

    def __init__(self, game_class: type[Game]) -> None:
        self._game_class = game_class
        self._module = f"porta_nigra_env.{game_class.name}_v{game_class.version}"

    @property
    def guide(self) -> str:
        """A description of the game and its actions, for the smallest number of players."""
        return self._game_class().guide()

    def _documented(self, env: Env) -> Env:
        """Describe the game in the environment's docstring, for programs that read it there."""
        env.__doc__, env.__module__ = env.game.guide(), self._module
        return env

    def raw_env(
        self,
        num_players: int | None = None,
        components: ComponentSource | None = None,
        **options: Unpack[RawEnvOptions],
    ) -> GameAEC:
        """Make the PettingZoo environment without wrappers, see `envs.pettingzoo.GameAEC`; it checks its input."""
        return self._documented(GameAEC(self._game_class(num_players, components), **options))

    def env(
        self,
        num_players: int | None = None,
        components: ComponentSource | None = None,
        illegal_reward: float | None = None,
        **options: Unpack[RawEnvOptions],
    ) -> OrderEnforcingWrapper[str, Observed, int | None]:
        """Make `raw_env` in PettingZoo's three wrappers.

        An illegal action ends the game with `illegal_reward` for its agent: by default -1, the worst "outcome".
        """
        return wrap(self.raw_env(num_players, components, **options), illegal_reward)

    def seat_env(
        self,
        num_players: int | None = None,
        components: ComponentSource | None = None,
        **options: Unpack[SeatEnvOptions],
    ) -> SeatEnv:
        """Make one learner's seat for Gymnasium, see `envs.gymnasium.SeatEnv`; ``gymnasium.make`` calls this."""
        return self._documented(SeatEnv(self._game_class(num_players, components), **options))

    def batch_env(
        self,
        num_envs: int,
        num_players: int | None = None,
        components: ComponentSource | Sequence[ComponentSource] | None = None,
        **options: Unpack[BatchEnvOptions],
    ) -> BatchEnv:
        """Make many games as arrays, see `envs.batch.BatchEnv`; a list of component sets shares the rows evenly."""
        if isinstance(components, Sequence) and not isinstance(components, str):
            return BatchEnv([self._game_class(num_players, one) for one in components], num_envs, **options)
        return BatchEnv(self._game_class(num_players, components), num_envs, **options)

    def vector_env(
        self,
        num_envs: int = 1,
        num_players: int | None = None,
        components: ComponentSource | None = None,
        **options: Unpack[VectorEnvOptions],
    ) -> SeatVectorEnv:
        """Make a learner's seat in many games, see `envs.vector.SeatVectorEnv`; ``gymnasium.make_vec`` calls this."""
        return SeatVectorEnv(self._game_class(num_players, components), num_envs, **options)

    def sb3_vec_env(
        self,
        num_envs: int,
        num_players: int | None = None,
        components: ComponentSource | None = None,
        **options: Unpack[VecEnvOptions],
    ) -> MaskedVecEnv:
        """Make the same as a masked VecEnv, see `envs.sb3.MaskedVecEnv`; needs Stable-Baselines3."""
        from porta_nigra_env.envs.sb3 import MaskedVecEnv

        return MaskedVecEnv(self._game_class(num_players, components), num_envs, **options)
