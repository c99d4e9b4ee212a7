"""How many games are played at once, on the processor or on a GPU: the arguments of a batch, checked."""

from __future__ import annotations

from typing import Any, Final

from gymnasium.vector import AutoresetMode

from porta_nigra_env.core.batch.bookkeeping import EVERY_SEAT, MAX_SEATS, OUTSIDE, Rules
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game, check_positive
from porta_nigra_env.envs import snapshots
from porta_nigra_env.envs.batch_inputs import AUTORESET_RULES, autoreset_of, seat_rule
from porta_nigra_env.envs.opponents import Lineups, Opponents
from porta_nigra_env.envs.rewards import REWARDS, check_illegal, check_reward


class Settings:
    """The arguments of that name of `envs.batch.BatchEnv`, and what follows from them.

    Args:
        compiled: whether opponents have to be compiled policies, as on a GPU.

    Attributes:
        lineups: the opponents met so far.
        lineup: the first ones, a number for each place or seat.

    Raises:
        ValueError: an argument that cannot be used; the message names it.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        reward: str,
        autoreset_mode: AutoresetMode | str,
        seat: int | str,
        opponents: Opponents,
        illegal_action: str,
        illegal_reward: float | None,
        compiled: bool = False,
    ) -> None:
        self.game: Final = game
        self.num_envs: Final = check_positive(num_envs, "num_envs")
        self.reward: Final = check_reward(reward)
        self.autoreset_mode: Final = autoreset_of(autoreset_mode)
        if game.num_players > MAX_SEATS:
            raise ValueError(f"{game.name} has {game.num_players} players; a batch holds at most {MAX_SEATS}")
        self.illegal_reward: Final = check_illegal(illegal_action, illegal_reward)
        self.illegal_action: Final = illegal_action
        self._seat_rule = seat_rule(seat, game.num_players)
        self.seat: Final = seat if isinstance(seat, str) else int(seat)
        self.lineups: Final = Lineups(game, self.seat, compiled)
        self.lineup = [OUTSIDE] * game.num_players
        if self.has_learner:
            self.lineup = self.lineups.first(opponents)
        elif opponents is not None:
            raise ValueError("opponents: there are none with seat='every'; name the learner's seat")

    @property
    def has_learner(self) -> bool:
        """Whether one seat is the learner's and the others are opponents'."""
        return self._seat_rule != EVERY_SEAT

    @property
    def policies(self) -> list[Policy]:
        """The compiled policies met so far, at least one."""
        return self.lineups.policies or [RANDOM]

    def further(self, opponents: Opponents) -> list[int]:
        """Another line-up, a number for each place or seat; ValueError if it does not fit."""
        if not self.has_learner:
            raise ValueError("opponents: there are none with seat='every'")
        return self.lineups.further(opponents)

    def rules(self) -> Rules:
        """What the loops are told."""
        return Rules(
            players=self.game.num_players,
            reward=REWARDS.index(self.reward),
            autoreset=AUTORESET_RULES[self.autoreset_mode],
            seat=self._seat_rule,
            by_seat=int(self.lineups.by_seat),
            strict=int(self.illegal_reward is None),
            illegal=self.illegal_reward or 0.0,
        )

    def description(self) -> dict[str, Any]:
        """What a snapshot says of its batch."""
        return snapshots.described(self.game) | {
            "num_envs": self.num_envs,
            "reward": self.reward,
            "autoreset_mode": self.autoreset_mode.value,
            "seat": self.seat,
            "illegal_action": self.illegal_action,
            "illegal_reward": self.illegal_reward,
            "policies": [one.name for one in self.lineups.policies],
            "agents": len(self.lineups.agents),
        }
