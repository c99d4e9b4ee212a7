"""What laws look at: random games, and positions in them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from porta_nigra_env.core.conformance.readings import changed, legal_ids, named
from porta_nigra_env.core.game.game import Game, States


@dataclass(frozen=True)
class Course:
    """A random game.

    Attributes:
        game, seed: what is played, and its seed.
        actions: the ids that were played.
        records: the bytes of the states before, between and after them.
        limit: decisions after which the game is taken for endless.
    """

    game: Game
    seed: int
    actions: tuple[int, ...]
    records: tuple[bytes, ...]
    limit: int

    @property
    def is_stuck(self) -> bool:
        """Whether the game goes on and nothing is legal; a law of positions has the words for it."""
        last = np.frombuffer(self.records[-1], dtype=self.game.dtype)
        return int(last["current_player"][0]) >= 0 and len(self.actions) < self.limit

    def __str__(self) -> str:
        return f"{named(self.game)}, seed {self.seed}"


@dataclass(frozen=True)
class Moment:
    """A position of a course, after `ply` decisions."""

    course: Course
    ply: int

    @property
    def game(self) -> Game:
        return self.course.game

    @property
    def record(self) -> bytes:
        """The bytes of the state."""
        return self.course.records[self.ply]

    @property
    def states(self) -> States:
        """A new (1,) array that holds the position."""
        return np.frombuffer(bytearray(self.record), dtype=self.game.dtype)

    @property
    def player(self) -> int:
        """The seat that is asked, -1 when the game is over."""
        return int(self.states["current_player"][0])

    @property
    def seats(self) -> range:
        return range(self.game.num_players)

    @property
    def rng(self) -> random.Random:
        """Random numbers that belong to this position."""
        return random.Random(f"{self.course.seed} {self.ply}")

    def seeds(self, count: int) -> list[int]:
        """Different seeds for determinizations, from the whole range."""
        rng = self.rng
        return [rng.getrandbits(63) for _ in range(count)]

    def __str__(self) -> str:
        return f"{self.course}, ply {self.ply}"


def play_course(game: Game, seed: int, limit: int) -> Course:
    """A game of random decisions by the bare verbs; it stops at the end, at the limit, or where nothing is legal."""
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
    return Course(game, seed, tuple(actions), tuple(records), limit)


def redacted(moment: Moment, player: int) -> States:
    """The position without what `player` cannot know."""
    return changed(moment.game, moment.states, moment.game.kernel.redact, player)


def determinized(moment: Moment, player: int, seed: int) -> States:
    """The position with what `player` cannot know redrawn."""
    return changed(moment.game, moment.states, moment.game.kernel.determinize, player, seed)
