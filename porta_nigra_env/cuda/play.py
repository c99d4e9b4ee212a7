"""Whole games of compiled policies on a GPU, one thread per game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch.bookkeeping import Games, Scratch
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.cuda import compile as cuda
from porta_nigra_env.cuda.arrays import on_device
from porta_nigra_env.cuda.loops import compile_kernels
from porta_nigra_env.envs.play import GamesPlayed, illegal_answer_error, prepare_games


def play_games(
    game: Game,
    policies: Sequence[Policy],
    seeds: Sequence[int] | npt.NDArray[np.int64],
    lineups: npt.ArrayLike | None = None,
    limit: int = 100_000,
    ends: States | None = None,
    starts: States | None = None,
) -> GamesPlayed:
    """Play whole games like `envs.play.play_games`, from their setups or from given states.

    Inputs and results are on the CPU and identical byte for byte.
    """
    cuda.check_gpu()
    unique, games = prepare_games(game, policies, seeds, lineups, limit, ends, starts)
    count, dtype = len(games.seeds), cuda.of_states(game.dtype)
    inputs = games._replace(starts=games.starts.astype(dtype), ends=games.ends.astype(dtype))
    on_gpu = Games(*map(cuda.uploaded, inputs))
    scratch = Scratch(
        states=cuda.empty(count, dtype),
        visible=cuda.zeros((2 * count, 1), dtype),
        words=cuda.empty((count, game.num_words), np.uint64),
        policy_rng=cuda.empty((count, 3), np.int64),
    )
    faults = cuda.zeros(1, np.int32)
    play = compile_kernels(game, unique).play
    cuda.launch(play, count, on_device(game), on_gpu, scratch, game.num_players, faults)
    for name in ("totals", "places", "lengths", "ends"):
        getattr(games, name)[...] = cuda.downloaded(getattr(on_gpu, name))
    if fault := int(cuda.downloaded(faults)[0]):
        raise illegal_answer_error(unique, games, fault - 1)
    return GamesPlayed(games.totals, games.places, games.lengths)
