"""The options of a batch: their types, declared once for every environment API, and their checks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from porta_nigra_env.core.batch.bookkeeping import EVERY_SEAT, MAX_SEATS, OUTSIDE, Rules
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game, check_positive
from porta_nigra_env.core.narration.history import TOKEN, check_history, check_tokens
from porta_nigra_env.envs.batch_inputs import AUTORESET_RULES, check_autoreset, seat_rule
from porta_nigra_env.envs.opponents import Lineups, Opponents
from porta_nigra_env.envs.rewards import REWARDS, check_illegal, check_reward

OBSERVATIONS: Final = ("float32", "float16", "uint8", "none")
MASKS: Final = ("int8", "packed", "none")
SNAPSHOT_FORMAT: Final = "porta_nigra_env batch/3"


class LearnerOptions(TypedDict, total=False):
    """The options that every environment with a learner's seat takes; see `envs.batch.BatchEnv`."""

    seat: int | str
    opponents: Opponents
    reward: str
    illegal_action: str
    illegal_reward: float | None
    history: int
    observe_components: bool


class BatchOptions(LearnerOptions, total=False):
    """The options of every batch, on the CPU or on a GPU; see `envs.batch.BatchEnv`."""

    autoreset_mode: AutoresetMode | str
    observations: str
    masks: str


class BatchEnvOptions(BatchOptions, total=False):
    """The options of `envs.batch.BatchEnv`."""

    threads: int
    double_buffer: bool
    buffers: Mapping[str, npt.NDArray[Any]] | None


class SeatEnvOptions(LearnerOptions, total=False):
    """The options of `envs.gymnasium.SeatEnv`."""

    render_mode: str | None
    mask_in: str
    mask_dtype: str
    events: bool


class VecEnvOptions(LearnerOptions, total=False):
    """The options of `envs.sb3.MaskedVecEnv`."""

    render_mode: str | None
    threads: int


class VectorEnvOptions(VecEnvOptions, total=False):
    """The options of `envs.vector.SeatVectorEnv`."""

    autoreset_mode: AutoresetMode | str
    copy: bool
    mask_in: str
    mask_dtype: str


class RawEnvOptions(TypedDict, total=False):
    """The options of `envs.pettingzoo.GameAEC`."""

    reward: str
    render_mode: str | None
    render_view: str
    mask_in: str
    history: int
    events: bool
    observe_components: bool


class Settings:
    """The checked options of a batch, with their defaults.

    Args:
        compiled: True if opponents have to be compiled policies, as on a GPU.

    Attributes:
        games: the games of the rows, in equal consecutive parts; `game` is the first of them.
        lineups: the opponents that the batch has met.
        lineup: the first line-up, a number for each seat or seat offset.

    Raises:
        ValueError: an invalid argument; the message names it.
    """

    def __init__(
        self,
        game: Game | Sequence[Game],
        num_envs: int,
        *,
        reward: str = "outcome",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        seat: int | str = "every",
        opponents: Opponents = None,
        observations: str = "float32",
        masks: str = "int8",
        illegal_action: str = "raise",
        illegal_reward: float | None = None,
        history: int = 0,
        observe_components: bool = False,
        compiled: bool = False,
    ) -> None:
        self.games: Final = (game,) if isinstance(game, Game) else tuple(game)
        self.num_envs: Final = check_positive(num_envs, "num_envs")
        check_alike(self.games, self.num_envs, observe_components)
        game = self.games[0]
        self.game: Final = game
        self.reward: Final = check_reward(reward)
        self.autoreset_mode: Final = check_autoreset(autoreset_mode)
        if game.num_players > MAX_SEATS:
            raise ValueError(f"{game.name} has {game.num_players} players; a batch holds at most {MAX_SEATS}")
        self.illegal_reward: Final = check_illegal(illegal_action, illegal_reward)
        self.illegal_action: Final = illegal_action
        for name, value, known in (("observations", observations, OBSERVATIONS), ("masks", masks, MASKS)):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")
        self.observations: Final = observations
        self.masks: Final = masks
        self.history: Final = check_history(game, history)
        if history and compiled:
            raise ValueError("history: a batch on a GPU records none")
        self.observe_components: Final = check_observed(game, observe_components)
        if compiled and (observe_components or len(self.games) > 1):
            raise ValueError("observe_components: a batch on a GPU has one component set and does not show it")
        self._seat_rule = seat_rule(seat, game.num_players)
        self.seat: Final = seat if isinstance(seat, str) else int(seat)
        # Views for other agents have one component set.
        self.lineups: Final = Lineups(game, self.seat, compiled or len(self.games) > 1)
        self.lineup = [OUTSIDE] * game.num_players
        if self.has_learner:
            self.lineup = self.lineups.first(opponents)
        elif opponents is not None:
            raise ValueError("opponents: there are none with seat='every'; name the learner's seat")

    @property
    def has_learner(self) -> bool:
        """True if one seat is the learner's and opponents play the others."""
        return self._seat_rule != EVERY_SEAT

    @property
    def raw(self) -> bool:
        """True if observations are raw quantities."""
        return self.observations == "uint8"

    @property
    def policies(self) -> list[Policy]:
        """The compiled policies that the batch has met, at least one."""
        return self.lineups.policies or [RANDOM]

    def next_lineup(self, opponents: Opponents, prepare: Callable[[], None]) -> list[int]:
        """Return another line-up, a number for each seat or seat offset; see `envs.opponents.Lineups.next`."""
        if not self.has_learner:
            raise ValueError("opponents: there are none with seat='every'")
        return self.lineups.next(opponents, prepare)

    def histories(self, given: object, rows: int) -> npt.NDArray[np.int16]:
        """Return histories to begin with, int16 (rows, players, history, 4); ValueError if they do not fit."""
        shape = (rows, self.game.num_players, self.history, TOKEN)
        if self.has_learner or not self.history:
            raise ValueError("histories: a batch begins with them only with seat='every' and history=N")
        tokens = np.asarray(given)
        if tokens.shape != shape or tokens.dtype != np.int16:
            raise ValueError(f"histories must be int16 {shape}, not {tokens.dtype} {tokens.shape}")
        check_tokens(self.game, tokens)
        return tokens

    def rules(self) -> Rules:
        """Return the rules that the loops follow."""
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
        """Return the description of the batch that a snapshot contains."""
        return {
            "format": SNAPSHOT_FORMAT,
            "game": f"{self.game.name}_v{self.game.version}",
            "tables": hashlib.sha256(b"".join(game.constants.tobytes() for game in self.games)).hexdigest(),
            "num_players": self.game.num_players,
            "num_envs": self.num_envs,
            "reward": self.reward,
            "autoreset_mode": self.autoreset_mode.value,
            "seat": self.seat,
            "illegal_action": self.illegal_action,
            "illegal_reward": self.illegal_reward,
            "policies": [policy.name for policy in self.lineups.policies],
            "agents": len(self.lineups.agents),
            **({"history": self.history} if self.history else {}),
        }


def check_alike(games: Sequence[Game], num_envs: int, observe_components: bool = False) -> None:
    """Raise ValueError unless the games differ in their component sets only, and there is a row for each.

    With `observe_components`, observations, actions and component numbers must also mean the same.
    """
    if not 1 <= len(games) <= num_envs:
        raise ValueError(f"components: {num_envs} games cannot share {len(games)} component sets; give 1 to {num_envs}")
    first = games[0]
    for game in games[1:]:
        kinds = [(type(one), one.num_players, one.actions.size, one.observations.size) for one in (first, game)]
        if kinds[0] != kinds[1]:
            raise ValueError(f"components: {game!r} has other actions or observations than {first!r}")
        if observe_components and not game.means_as(first):
            raise ValueError(f"observe_components: numbers or actions of {game!r} mean something else in {first!r}")


def check_observed(game: Game, observe_components: bool) -> bool:
    """Return `observe_components`; ValueError for a game without component numbers."""
    if observe_components and game.component_numbers() is None:
        raise ValueError(f"observe_components: {game.name} has no component numbers")
    return bool(observe_components)


def with_learner(game: Game, options: LearnerOptions) -> LearnerOptions:
    """Return the options of an environment with a learner's seat, with its defaults; ValueError for seat "every"."""
    if "seat" in options and options["seat"] == "every":
        raise ValueError(f"seat must be 'rotate', 'random' or a seat in 0..{game.num_players - 1}, not 'every'")
    return {"seat": "random", "illegal_action": "terminate", **options}
