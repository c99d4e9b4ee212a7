"""Subjects of invariants: random games and their positions."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from porta_nigra_env.core.conformance.readings import changed, legal_ids, named
from porta_nigra_env.core.game.game import Game, States


@dataclass(frozen=True)
class Episode:
    """A random game.

    Attributes:
        game, seed: the game and its seed.
        actions: the played action ids.
        records: bytes of the states before, between and after the actions.
        limit: steps after which the game counts as endless.
    """

    game: Game
    seed: int
    actions: tuple[int, ...]
    records: tuple[bytes, ...]
    limit: int

    @property
    def is_stuck(self) -> bool:
        """True if the game is not over but has no legal action; an invariant of positions reports it."""
        last = np.frombuffer(self.records[-1], dtype=self.game.dtype)
        return int(last["current_player"][0]) >= 0 and len(self.actions) < self.limit

    def __str__(self) -> str:
        return f"{named(self.game)}, seed {self.seed}"


@dataclass(frozen=True)
class Moment:
    """A position of an episode, after `ply` steps."""

    episode: Episode
    ply: int

    @property
    def game(self) -> Game:
        return self.episode.game

    @property
    def record(self) -> bytes:
        """The bytes of the state."""
        return self.episode.records[self.ply]

    @property
    def states(self) -> States:
        """The position as a new (1,) array."""
        return np.frombuffer(bytearray(self.record), dtype=self.game.dtype)

    @property
    def player(self) -> int:
        """The seat to move, -1 when the game is over."""
        return int(self.states["current_player"][0])

    @property
    def seats(self) -> range:
        return range(self.game.num_players)

    @property
    def rng(self) -> random.Random:
        """Random numbers specific to this position."""
        return random.Random(f"{self.episode.seed} {self.ply}")

    def seeds(self, count: int) -> list[int]:
        """Return different seeds for determinizations, from the whole range."""
        rng = self.rng
        return [rng.getrandbits(63) for _ in range(count)]

    def __str__(self) -> str:
        return f"{self.episode}, ply {self.ply}"


def play_episode(game: Game, seed: int, limit: int) -> Episode:
    """Play a random game with kernel functions only, to its end, to the limit, or until no action is legal."""
    rng = random.Random(seed)
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.constants, states, 0, seed, game.num_players)
    actions: list[int] = []
    records = [states.tobytes()]
    while int(states["current_player"][0]) >= 0 and len(actions) < limit:
        legal = [i for i in legal_ids(game, states) if i < game.actions.size]
        if not legal:
            break
        actions.append(rng.choice(legal))
        game.kernel.step(game.constants, states, 0, actions[-1])
        records.append(states.tobytes())
    return Episode(game, seed, tuple(actions), tuple(records), limit)


def redacted(moment: Moment, player: int) -> States:
    """Return the position without the information hidden from `player`."""
    return changed(moment.game, moment.states, moment.game.kernel.redact, player)


def determinized(moment: Moment, player: int, seed: int) -> States:
    """Return the position with the information hidden from `player` sampled again."""
    return changed(moment.game, moment.states, moment.game.kernel.determinize, player, seed)
