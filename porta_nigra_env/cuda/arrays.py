"""The arrays of a batch on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from porta_nigra_env.core.batch.bookkeeping import Rows
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.cuda import compile as cuda
from porta_nigra_env.envs.batch_arrays import row_forms
from porta_nigra_env.envs.batch_options import Settings


def on_device(game: Game) -> Any:
    """Return a game's constants on the GPU, in an aligned layout."""
    return cuda.uploaded(game.constants.astype(cuda.aligned(game.constants.dtype)))


class GpuArrays:
    """All arrays of a batch on a GPU.

    Args:
        settings: the options of the batch.

    Attributes:
        rows: the arguments of the kernels, without masks and observations: other kernels than those of the rules write
            them.
        written: float32 or uint8 (n, observation_size or 0), the observations before a conversion to float16.
        shown_observations, shown_masks: the environment's outputs.
        unpacked: true if masks are bytes, unpacked from the sets of legal actions.
        all, none: (0,), in place of unused `chosen` and `actions` arguments.
    """

    def __init__(self, settings: Settings) -> None:
        game, n = settings.game, settings.num_envs
        # A thread writes to the slot of its row; without opponents no policy reads a state.
        forms = row_forms(settings, n if settings.has_learner else 0) | {"points": ((n, game.num_players), np.int32)}
        (_, size), observed = forms["observations"]
        width = forms["masks"][0][1]
        forms |= {"masks": ((n, 0), np.int8), "observations": ((n, 0), np.float32)}
        self.rows = Rows(
            **{
                name: cuda.zeros(shape, cuda.of_states(game.dtype) if dtype is game.dtype else dtype)
                for name, (shape, dtype) in forms.items()
            }
        )
        cuda.overwrite(self.rows.lineups, np.tile(np.array(settings.lineup, dtype=np.int8), (n, 1)))
        self.written = cuda.empty((n, size), observed)
        self.shown_observations, self.halves, self.patterns = self.written, None, None
        if settings.observations == "float16":
            self.halves, self.patterns = cuda.empty((n, size), np.uint16), self.written.view(np.int32)
            self.shown_observations = self.halves.view(np.float16)
        self.unpacked = settings.masks == "int8"
        self.shown_masks = self.rows.words if settings.masks == "packed" else cuda.empty((n, width), np.int8)
        self.actions, self.faults = cuda.zeros(n, np.int64), cuda.zeros(2, np.int64)
        self.all, self.none = cuda.empty(0, np.bool_), cuda.empty(0, np.int64)
