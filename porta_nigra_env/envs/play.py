"""Whole games of compiled policies in one compiled call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch.batch import compile_batch
from porta_nigra_env.core.batch.bookkeeping import Games, Scratch
from porta_nigra_env.core.batch.policy import Policy, stacked
from porta_nigra_env.core.game.game import Game, States, check_positive, check_seed, copied


class GamesPlayed(NamedTuple):
    """The results of n games.

    totals: int32 (n, players), final totals by seat.
    places: int8 (n, players), final ranks by seat, 1 for the first.
    lengths: int32 (n,), steps.
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
        seeds: (n,) integers; the seed of a game determines its cards and the policies' random numbers.  Games that
            begin from `starts` take their cards from there.
        lineups: integers (n, players), the index of the policy on each seat of each game.
        threads: number of threads that share the games; results do not depend on it.
        limit: steps after which a game is ranked as it stands.
        ends: states (n,) of the game's dtype, an output: the final state of each game.
        starts: states (n,) of the game's dtype, or (1,) for all games, in which games begin; not changed.

    Raises:
        ValueError: seats without a policy, numbers or seeds out of range.
        RuntimeError: a policy answered with an illegal action; the message names it and the game's seed.
    """
    unique, games = prepare_games(game, policies, seeds, lineups, limit, ends, starts)
    for fault in _spread(game, compile_batch(game, unique).play, games, check_positive(threads, "threads")):
        if fault >= 0:
            raise illegal_answer_error(unique, games, fault)
    return GamesPlayed(games.totals, games.places, games.lengths)


def prepare_games(
    game: Game,
    policies: Sequence[Policy],
    seeds: Sequence[int] | npt.NDArray[np.int64],
    lineups: npt.ArrayLike | None,
    limit: int,
    ends: States | None,
    starts: States | None,
) -> tuple[list[Policy], Games]:
    """Return the arguments of `play_games` as its loop takes them, each policy once; ValueError if they do not fit."""
    if not policies or not all(isinstance(policy, Policy) for policy in policies):
        raise ValueError("policies: expected compiled policies (core.batch.policy.Policy), at least one")
    numbers = np.array([check_seed(seed) for seed in seeds], dtype=np.int64)
    shape = (len(numbers), game.num_players)
    unique = list(dict.fromkeys(policies))
    indices = np.array([unique.index(policy) for policy in policies], dtype=np.int8)
    functions, parameters, reads = stacked(unique)
    games = Games(
        seeds=numbers,
        starts=_checked_starts(starts, game, len(numbers)),
        lineups=indices[_seating(policies, lineups, shape)],
        functions=functions,
        parameters=parameters,
        reads=reads,
        limit=np.array([check_positive(limit, "limit")], dtype=np.int64),
        totals=np.zeros(shape, dtype=np.int32),
        places=np.zeros(shape, dtype=np.int8),
        lengths=np.zeros(len(numbers), dtype=np.int32),
        ends=_checked_ends(ends, game, len(numbers)),
    )
    return unique, games


def illegal_answer_error(policies: Sequence[Policy], games: Games, fault: int) -> RuntimeError:
    """Return the error for the game in which a policy chose an illegal action."""
    return RuntimeError(
        f"policy {policies[games.lengths[fault]].name!r} answered with an action that is not legal "
        f"in the game with the seed {games.seeds[fault]}"
    )


def _spread(game: Game, play: Callable[..., int], games: Games, threads: int) -> list[int]:
    """Play on threads, each a range of games; return for each the game with a fault, or -1."""
    slots = max(1, min(threads, len(games.seeds)))
    edges = np.linspace(0, len(games.seeds), slots + 1).astype(int).tolist()

    def work(slot: int) -> int:
        # Threads allocate their own scratch, since two of them must not write to one cache line.
        scratch = Scratch(
            states=np.zeros(1, dtype=game.dtype),
            visible=np.zeros((2, 1), dtype=game.dtype),
            words=np.zeros(game.num_words, dtype=np.uint64),
            policy_rng=np.zeros(3, dtype=np.int64),
        )
        return int(play(game.constants, games, scratch, game.num_players, edges[slot], edges[slot + 1]))

    if slots == 1:
        return [work(0)]
    with ThreadPoolExecutor(slots) as pool:
        return list(pool.map(work, range(slots)))


def _seating(
    policies: Sequence[Policy], lineups: npt.ArrayLike | None, shape: tuple[int, int]
) -> npt.NDArray[np.int64]:
    """Return the index of the policy on each seat of each game, (n, players)."""
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
    if not ends.flags.writeable:
        raise ValueError("ends: the array is read-only; give one to write to")
    return ends


def _checked_starts(starts: States | None, game: Game, count: int) -> States:
    if starts is None:
        return np.zeros(0, dtype=game.dtype)
    if starts.dtype != game.dtype or starts.shape not in [(count,), (1,)]:
        raise ValueError(f"starts: expected states of this game, {(count,)} or (1,), not {starts.dtype} {starts.shape}")
    game.check_states(starts, "starts")
    return copied(np.broadcast_to(starts, (count,)))
