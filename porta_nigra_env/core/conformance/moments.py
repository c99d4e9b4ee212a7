"""Subjects of invariants, random games and their positions, and results of the functions under test.

Results are written into buffers with invalid contents, so that unwritten entries show.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.game.game import NO_OBSERVATION, NO_TOTALS, Game, States

Subject = TypeVar("Subject")
#: The description of a violation; None if the invariant holds.
Finding = str | None


class Invariants(list[Callable[[Subject], Finding]]):
    """The invariants of one kind of subject, in the order of their checks."""

    def add(self, invariant: Callable[[Subject], Finding]) -> Callable[[Subject], Finding]:
        """Decorate an invariant: append it."""
        self.append(invariant)
        return invariant


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

    def determinized(self, count: int = 3) -> Iterator[tuple[str, int, int, States]]:
        """Yield a name, the seat, the seed and the state of `count` determinizations for each seat."""
        for seat in self.seats:
            for seed in self.seeds(count):
                yield f"seat {seat}, seed {seed}", seat, seed, determinized(self, seat, seed)

    def indistinguishable(self) -> Iterator[tuple[str, States]]:
        """Yield the redacted state of each seat and some determinizations, with their names."""
        yield from ((f"seat {seat}, redacted", redacted(self, seat)) for seat in self.seats)
        yield from ((name, twin) for name, _, _, twin in self.determinized())

    def __str__(self) -> str:
        return f"{self.episode}, ply {self.ply}"


GAME_INVARIANTS: Final[Invariants[Game]] = Invariants()
EPISODE_INVARIANTS: Final[Invariants[Episode]] = Invariants()
POSITION_INVARIANTS: Final[Invariants[Moment]] = Invariants()


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


def redrawn(moment: Moment, seed: int) -> States:
    """Return the position with future chance drawn again."""
    return changed(moment.game, moment.states, moment.game.kernel.redraw, seed)


class Inspected(NamedTuple):
    """Result of `loops.inspect`: player to move, mask int8, observation float32, totals int32."""

    player: int
    mask: npt.NDArray[np.int8]
    observation: npt.NDArray[np.float32]
    totals: npt.NDArray[np.int32]


def named(game: Game) -> str:
    return f"{game.name} v{game.version} with {game.num_players} players"


def changed(game: Game, states: States, function: Callable[..., Any], *arguments: int) -> States:
    """Return a copy of `states` after a kernel function that writes."""
    twin = states.copy()
    function(game.constants, twin, 0, *arguments)
    return twin


def legal_words(game: Game, states: States, row: int = 0) -> npt.NDArray[np.uint64]:
    """Return the legality bits, written over ones."""
    words = np.full(game.num_words, ~np.uint64(0))
    game.kernel.legal(game.constants, states, row, words)
    return words


def legal_ids(game: Game, states: States) -> list[int]:
    """Return the ids of the legal actions, read from the bits without the code under test."""
    number = int.from_bytes(legal_words(game, states).astype("<u8").tobytes(), "little")
    return [i for i in range(64 * game.num_words) if (number >> i) & 1]


def observed(game: Game, states: States, player: int, row: int = 0) -> npt.NDArray[np.float32]:
    """Return an observation, written over NaN."""
    out = np.full(game.observations.size, np.nan, dtype=np.float32)
    game.kernel.observe(game.constants, states, row, player, out)
    return out


def privileged_of(game: Game, states: States, row: int = 0) -> npt.NDArray[np.float32]:
    """Return the privileged vector, written over NaN."""
    out = np.full(game.privileged.size, np.nan, dtype=np.float32)
    game.kernel.privileged(game.constants, states, row, out)
    return out


def totals_of(game: Game, states: States, row: int = 0, before: int = 0) -> npt.NDArray[np.int32]:
    """Return the totals, written over `before`."""
    totals = np.full(game.num_players, before, dtype=np.int32)
    game.kernel.score(game.constants, states, row, totals)
    return totals


def places_of(game: Game, states: States, row: int = 0, before: int = 0) -> npt.NDArray[np.int8]:
    """Return the ranks, written over `before`."""
    places = np.full(game.num_players, before, dtype=np.int8)
    game.kernel.rank(game.constants, states, row, totals_of(game, states, row), places)
    return places


def points_of(game: Game, states: States, row: int = 0, before: int = 0) -> npt.NDArray[np.int32]:
    """Return the points gained so far, written over `before`."""
    points = np.full(game.num_players, before, dtype=np.int32)
    game.kernel.points(game.constants, states, row, points)
    return points


def rounds_of(game: Game, states: States, row: int = 0) -> int:
    """Return the number of rounds that have begun."""
    return int(game.kernel.rounds(game.constants, states, row))


def inspected(game: Game, states: States) -> Inspected:
    """Return the result of `loops.inspect`, written over invalid contents."""
    words = np.full(game.num_words, ~np.uint64(0))
    mask = np.full(game.actions.size, 7, dtype=np.int8)
    observation = np.full(game.observations.size, np.nan, dtype=np.float32)
    totals = np.full(game.num_players, -7, dtype=np.int32)
    player = game.loops.inspect(game.constants, states, 0, words, mask, observation, totals)
    return Inspected(int(player), mask, observation, totals)


def advanced(game: Game, states: States, action: int) -> tuple[int, npt.NDArray[np.int8]]:
    """Call `loops.advance` on `states`; return its result and the mask."""
    words = np.zeros(game.num_words, dtype=np.uint64)
    mask = np.zeros(game.actions.size, dtype=np.int8)
    answer = game.loops.advance(game.constants, states, 0, action, words, mask, NO_OBSERVATION, NO_TOTALS)
    return int(answer), mask


def play_out(game: Game, states: States, limit: int, policy_rng: tuple[int, int, int] = (1, 2, 0)) -> int:
    """Play randomly on `states`; return the number of steps."""
    words = np.zeros(game.num_words, dtype=np.uint64)
    return int(game.loops.playout(game.constants, states, 0, words, np.array(policy_rng, dtype=np.int64), limit))


def out_of_bounds(values: npt.NDArray[np.float32], layout: Layout) -> Finding:
    """Describe the first entry that is not between 0 and the bound of its field."""
    high = layout.high()
    wrong = np.flatnonzero(~((values >= 0) & (values <= high)))  # so that NaN is wrong, too
    if len(wrong) == 0:
        return None
    field, index = layout.find(int(wrong[0]))
    return f"entry {index} of {field.name} is {values[wrong[0]]}, allowed are 0 to {high[wrong[0]]}"


def differing_fields(game: Game, states: States, other: States) -> str:
    """Return the names of the fields that differ."""
    names = game.dtype.names or ()
    return ", ".join(name for name in names if states[name].tobytes() != other[name].tobytes())
