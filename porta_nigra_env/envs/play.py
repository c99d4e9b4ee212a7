"""Whole games of compiled policies, one compiled call for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch.batch import compile_batch
from porta_nigra_env.core.batch.bookkeeping import Games, Scratch
from porta_nigra_env.core.batch.policy import Policy, stacked
from porta_nigra_env.core.game.game import Game, States, check_positive, check_seed, copied


class GamesPlayed(NamedTuple):
    """What came of n games.

    totals: int32 (n, players), final totals by seat.
    places: int8 (n, players), final places by seat, 1 for the first.
    lengths: int32 (n,), decisions.
    """

    totals: npt.NDArray[np.int32]
    places: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int32]


def play_games(
    game: Game,
    policies: Sequence[Policy],
    seeds: Sequence[int] | npt.NDArray[np.int64],
    lineups: npt.ArrayLike | None = None,
    threads: int = 1,
    limit: int = 100_000,
    ends: States | None = None,
    starts: States | None = None,
) -> GamesPlayed:
    """Play whole games, from their setups or from given states.

    Args:
        game: the game.
        policies: compiled policies; without `lineups`, one for each seat.
        seeds: of the games, (n,) integers; a game's seed decides about cards and about the policies' chance.
            Where games begin from `starts`, cards are a matter of those.
        lineups: integers (n, players): the policy, by its number, on each seat of each game.
        threads: how many threads share the games; results do not depend on it.
        limit: decisions after which a game is ranked as it stands.
        ends: states (n,) of the game's dtype that receive how each game ended.
        starts: states (n,), or (1,) for all games alike, of the game's dtype, where they begin; they stay as they are.

    Raises:
        ValueError: seats without a policy, numbers or seeds out of range.
        RuntimeError: a policy answered with an illegal action; the message names it and the game's seed.
    """
    unique, games = asked_for(game, policies, seeds, lineups, limit, ends, starts)
    for fault in _spread(game, compile_batch(game, unique).play, games, check_positive(threads, "threads")):
        if fault >= 0:
            raise illegal_answer(unique, games, fault)
    return GamesPlayed(games.totals, games.places, games.lengths)


def asked_for(
    game: Game,
    policies: Sequence[Policy],
    seeds: Sequence[int] | npt.NDArray[np.int64],
    lineups: npt.ArrayLike | None,
    limit: int,
    ends: States | None,
    starts: States | None,
) -> tuple[list[Policy], Games]:
    """The arguments of `play_games` as its loop wants them, each policy once; ValueError for those that do not fit."""
    if not policies or not all(isinstance(one, Policy) for one in policies):
        raise ValueError("policies: expected compiled policies (core.batch.policy.Policy), at least one")
    numbers = np.array([check_seed(one) for one in seeds], dtype=np.int64)
    shape = (len(numbers), game.num_players)
    unique = list(dict.fromkeys(policies))
    # A policy that is given twice is compiled, and known to the loop, once.
    chosen = np.array([unique.index(one) for one in policies], dtype=np.int8)[_seating(policies, lineups, shape)]
    parameters, reads = stacked(unique)
    games = Games(
        seeds=numbers,
        starts=_checked_starts(starts, game, len(numbers)),
        lineups=chosen,
        parameters=parameters,
        reads=reads,
        limit=np.array([limit], dtype=np.int64),
        totals=np.zeros(shape, dtype=np.int32),
        places=np.zeros(shape, dtype=np.int8),
        lengths=np.zeros(len(numbers), dtype=np.int32),
        ends=_checked_ends(ends, game, len(numbers)),
    )
    return unique, games


def illegal_answer(policies: Sequence[Policy], games: Games, fault: int) -> RuntimeError:
    """What to raise for the game in which a policy answered with an illegal action."""
    return RuntimeError(
        f"policy {policies[games.lengths[fault]].name!r} answered with an action that is not legal "
        f"in the game with the seed {games.seeds[fault]}"
    )


def _spread(game: Game, play: Any, games: Games, threads: int) -> list[int]:
    """Play in so many threads, each a run of games; returns the game with a fault, or -1, of each."""
    slots = max(1, min(threads, len(games.seeds)))
    edges = np.linspace(0, len(games.seeds), slots + 1).astype(int).tolist()

    def work(slot: int) -> int:
        # Arrays of its own for each thread: what two threads write must not lie in one cache line.
        scratch = Scratch(
            np.zeros(2, dtype=game.dtype), np.zeros(game.num_words, dtype=np.uint64), np.zeros(3, dtype=np.int64)
        )
        return int(play(game.constants, games, scratch, game.num_players, edges[slot], edges[slot + 1]))

    if slots == 1:
        return [work(0)]
    with ThreadPoolExecutor(slots) as pool:
        return list(pool.map(work, range(slots)))


def _seating(
    policies: Sequence[Policy], lineups: npt.ArrayLike | None, shape: tuple[int, int]
) -> npt.NDArray[np.int64]:
    """The number of the policy on each seat of each game, (n, players)."""
    if lineups is None:
        if len(policies) != shape[1]:
            raise ValueError(f"policies: expected one for each of {shape[1]} seats, not {len(policies)}")
        lineups = np.arange(shape[1])
    chosen = np.asarray(lineups)
    if chosen.dtype.kind not in "iu" or chosen.min(initial=0) < 0 or chosen.max(initial=0) >= len(policies):
        raise ValueError(f"lineups: expected numbers of policies in 0..{len(policies) - 1}")
    if chosen.shape not in [shape, shape[1:]]:
        raise ValueError(f"lineups: expected shape {shape}, not {chosen.shape}")
    return np.ascontiguousarray(np.broadcast_to(chosen, shape), dtype=np.int64)


def _checked_ends(ends: States | None, game: Game, count: int) -> States:
    if ends is None:
        return np.zeros(0, dtype=game.dtype)
    if ends.dtype != game.dtype or ends.shape != (count,):
        raise ValueError(f"ends: expected states of this game, {(count,)}, not {ends.dtype} {ends.shape}")
    return ends


def _checked_starts(starts: States | None, game: Game, count: int) -> States:
    if starts is None:
        return np.zeros(0, dtype=game.dtype)
    if starts.dtype != game.dtype or starts.shape not in [(count,), (1,)]:
        raise ValueError(f"starts: expected states of this game, {(count,)} or (1,), not {starts.dtype} {starts.shape}")
    game.check_states(starts, "starts")
    return copied(np.broadcast_to(starts, (count,)))
