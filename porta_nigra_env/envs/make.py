"""The environments of a game, made once for all games: a game's ``<game>_v0`` module hands their functions on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.positions.components import ComponentSource
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC, Observed, wrap
from porta_nigra_env.envs.vector import SeatVectorEnv

if TYPE_CHECKING:
    from porta_nigra_env.envs.sb3 import MaskedVecEnv

Env = TypeVar("Env", GameAEC, SeatEnv)


class Faces:
    """The functions that make environments of one game.

    All of them take `num_players` (by default the fewest there may be) and `components` ("standard", the path of a
    component file, or a loaded set; only for games that have component files); what follows are the options of the
    environment, see there.

    Args:
        games: the class of the game.
    """

    def __init__(self, games: type[Game]) -> None:
        self._games = games
        self._module = f"porta_nigra_env.{games.name}_v{games.version}"

    @property
    def guide(self) -> str:
        """What the game is and how to act, with the fewest players; for the docstring of the game's module."""
        return self._games().guide()

    def _told(self, env: Env) -> Env:
        """An environment that describes its game where programs look: in its docstring and in that of its module."""
        env.__doc__, env.__module__ = env.game.guide(), self._module
        return env

    def raw_env(
        self, num_players: int | None = None, components: ComponentSource | None = None, **options: Any
    ) -> GameAEC:
        """The PettingZoo environment without wrappers; it checks its input itself, see `envs.pettingzoo.GameAEC`."""
        return self._told(GameAEC(self._games(num_players, components), **options))

    def env(
        self,
        num_players: int | None = None,
        components: ComponentSource | None = None,
        illegal_reward: float | None = None,
        **options: Any,
    ) -> OrderEnforcingWrapper[str, Observed, int | None]:
        """`raw_env` in PettingZoo's three wrappers: an illegal action ends the game, with `illegal_reward` for its
        agent, by default -1, which is as bad as the worst "outcome"."""
        return wrap(self.raw_env(num_players, components, **options), illegal_reward)

    def seat_env(
        self, num_players: int | None = None, components: ComponentSource | None = None, **options: Any
    ) -> SeatEnv:
        """One learner's seat for Gymnasium, see `envs.gymnasium.SeatEnv`; what ``gymnasium.make`` makes."""
        return self._told(SeatEnv(self._games(num_players, components), **options))

    def batch_env(
        self, num_envs: int, num_players: int | None = None, components: ComponentSource | None = None, **options: Any
    ) -> BatchEnv:
        """Many games as arrays, see `envs.batch.BatchEnv`."""
        return BatchEnv(self._games(num_players, components), num_envs, **options)

    def vector_env(
        self,
        num_envs: int = 1,
        num_players: int | None = None,
        components: ComponentSource | None = None,
        **options: Any,
    ) -> SeatVectorEnv:
        """One learner's seat in many games, see `envs.vector.SeatVectorEnv`; what ``gymnasium.make_vec`` makes."""
        return SeatVectorEnv(self._games(num_players, components), num_envs, **options)

    def sb3_vec_env(
        self, num_envs: int, num_players: int | None = None, components: ComponentSource | None = None, **options: Any
    ) -> MaskedVecEnv:
        """The same as a masked VecEnv, see `envs.sb3.MaskedVecEnv`; needs Stable-Baselines3."""
        from porta_nigra_env.envs.sb3 import MaskedVecEnv

        return MaskedVecEnv(self._games(num_players, components), num_envs, **options)
