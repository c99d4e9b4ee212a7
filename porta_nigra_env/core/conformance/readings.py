"""What verbs and loops say, read into buffers that are full of other things, so that whatever is left out shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.game.game import NO_OBSERVATION, NO_TOTALS, Game, States

#: What a law has found; None where it holds.
Finding = str | None


class Inspected(NamedTuple):
    """What `loops.inspect` gives: who moves, mask int8, observation float32, totals int32."""

    player: int
    mask: npt.NDArray[np.int8]
    observation: npt.NDArray[np.float32]
    totals: npt.NDArray[np.int32]


def named(game: Game) -> str:
    return f"{game.name} v{game.version} with {game.num_players} players"


def changed(game: Game, states: States, verb: Callable[..., Any], *arguments: int) -> States:
    """A copy of `states` after a verb that writes."""
    twin = states.copy()
    verb(game.constants, twin, 0, *arguments)
    return twin


def legal_words(game: Game, states: States, row: int = 0) -> npt.NDArray[np.uint64]:
    """The legality bits, written over ones."""
    words = np.full(game.num_words, ~np.uint64(0))
    game.kernel.legal(game.constants, states, row, words)
    return words


def legal_ids(game: Game, states: States) -> list[int]:
    """Ids of the legal actions, read from the bits without the machinery that is being checked."""
    number = int.from_bytes(legal_words(game, states).astype("<u8").tobytes(), "little")
    return [i for i in range(64 * game.num_words) if (number >> i) & 1]


def observed(game: Game, states: States, player: int, row: int = 0) -> npt.NDArray[np.float32]:
    """An observation, written over not-a-numbers."""
    out = np.full(game.observations.size, np.nan, dtype=np.float32)
    game.kernel.observe(game.constants, states, row, player, out)
    return out


def privileged_of(game: Game, states: States, row: int = 0) -> npt.NDArray[np.float32]:
    """The privileged vector, written over not-a-numbers."""
    out = np.full(game.privileged.size, np.nan, dtype=np.float32)
    game.kernel.privileged(game.constants, states, row, out)
    return out


def totals_of(game: Game, states: States, row: int = 0, before: int = 0) -> npt.NDArray[np.int32]:
    """The totals, written over `before`."""
    totals = np.full(game.num_players, before, dtype=np.int32)
    game.kernel.score(game.constants, states, row, totals)
    return totals


def places_of(game: Game, states: States, row: int = 0, before: int = 0) -> npt.NDArray[np.int8]:
    """The places, written over `before`."""
    places = np.full(game.num_players, before, dtype=np.int8)
    game.kernel.rank(game.constants, states, row, totals_of(game, states, row), places)
    return places


def points_of(game: Game, states: States, row: int = 0, before: int = 0) -> npt.NDArray[np.int32]:
    """The points gained so far, written over `before`."""
    points = np.full(game.num_players, before, dtype=np.int32)
    game.kernel.points(game.constants, states, row, points)
    return points


def rounds_of(game: Game, states: States, row: int = 0) -> int:
    """How many rounds have begun."""
    return int(game.kernel.rounds(game.constants, states, row))


def inspected(game: Game, states: States) -> Inspected:
    """`loops.inspect` into buffers full of other things."""
    words = np.full(game.num_words, ~np.uint64(0))
    mask = np.full(game.actions.size, 7, dtype=np.int8)
    observation = np.full(game.observations.size, np.nan, dtype=np.float32)
    totals = np.full(game.num_players, -7, dtype=np.int32)
    player = game.loops.inspect(game.constants, states, 0, words, mask, observation, totals)
    return Inspected(int(player), mask, observation, totals)


def advanced(game: Game, states: States, action: int) -> tuple[int, npt.NDArray[np.int8]]:
    """`loops.advance` on `states`: its answer and the mask."""
    words = np.zeros(game.num_words, dtype=np.uint64)
    mask = np.zeros(game.actions.size, dtype=np.int8)
    answer = game.loops.advance(game.constants, states, 0, action, words, mask, NO_OBSERVATION, NO_TOTALS)
    return int(answer), mask


def played_out(game: Game, states: States, limit: int, policy_rng: tuple[int, int, int] = (1, 2, 0)) -> int:
    """Random play on `states`; returns the decisions made."""
    words = np.zeros(game.num_words, dtype=np.uint64)
    return int(game.loops.playout(game.constants, states, 0, words, np.array(policy_rng, dtype=np.int64), limit))


def out_of_bounds(values: npt.NDArray[np.float32], spans: Layout) -> Finding:
    """The first entry that is not within 0 and its span's bound."""
    high = spans.high()
    wrong = np.flatnonzero(~((values >= 0) & (values <= high)))  # so that not-a-number is wrong, too
    if len(wrong) == 0:
        return None
    field, place = spans.find(int(wrong[0]))
    return f"entry {place} of {field.name} is {values[wrong[0]]}, allowed are 0 to {high[wrong[0]]}"
