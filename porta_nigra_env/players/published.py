"""Files of networks as players, with numpy alone: a player takes the action with the highest logit."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.players.checkpoint import (
    WITH_COMPONENTS,
    CheckpointError,
    check_finite,
    check_made_for,
    part_of,
    read_checkpoint,
)
from porta_nigra_env.players.component_network import ComponentShape, fold
from porta_nigra_env.players.network import NumpyNetwork, Shape, check_arrays, shape_of


def load_numpy(path: Path, game: Game) -> NumpyNetwork:
    """Load the network of a file, one for any component set with the components of the game.

    Raises:
        CheckpointError: as in `read_checkpoint` and `check_made_for`, weights of another shape or not finite, or a
            network of a custom class.
    """
    arrays, described = read_checkpoint(path)
    check_made_for(path, described, game)
    kind = described.get("kind")
    if kind not in (None, WITH_COMPONENTS):
        raise CheckpointError(f"checkpoint {path}: a network of the class {kind} needs torch")
    shape = shape_of(path, described, Shape if kind is None else ComponentShape)
    weights = part_of(arrays, "network") or arrays
    plain, more = (shape, None) if kind is None else (shape.summing, shape.more)
    check_arrays(path, plain, {name: array.shape for name, array in weights.items()}, more)
    # A number beyond the range of float32 becomes infinite.
    with np.errstate(over="ignore"):
        weights = {name: array.astype(np.float32) for name, array in weights.items()}
    check_finite(path, weights)
    try:
        return NumpyNetwork(weights if kind is None else fold(weights, shape, game), shape.normed)
    except ValueError as error:
        raise CheckpointError(f"checkpoint {path}: it does not hold the network it describes: {error}") from error


class NetworkPlayer:
    """An agent that takes the legal action with the highest logit of a network.

    Args:
        name: name in reports.
        network: the network.
    """

    def __init__(self, name: str, network: NumpyNetwork) -> None:
        self.name, self.network = name, network

    def act(self, view: View) -> int:
        """Return the id of a legal action."""
        logits, _ = self.network(view.observation)
        return int(np.where(view.action_mask != 0, logits, -np.inf).argmax())

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """Return ids of legal actions, int64 (k,), one for each view."""
        logits, _ = self.network(np.asarray(views.observations))
        best: npt.NDArray[np.int64] = np.where(np.asarray(views.action_masks) != 0, logits, -np.inf).argmax(axis=1)
        return best


def published_file(game: Game) -> Path:
    """Return the file of `Game.published`; CheckpointError without one."""
    file = game.published()
    if file is None:
        components = "" if game.standard else " and these components"
        raise CheckpointError(
            f"no network is published for {game.name} with {game.num_players} players{components}; "
            "name a file with checkpoint=FILE"
        )
    return file


@lru_cache(maxsize=32)
def published_player(game: Game) -> NetworkPlayer:
    """Return the player of `published_file`, which is loaded once.

    Raises:
        CheckpointError: no network is published for the number of players and the components.
    """
    return NetworkPlayer("network", load_numpy(published_file(game), game))
