"""The agent of `agents.search.mirror`: a network that looks some plies ahead in many worlds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.networks.network import PlayingNetwork
from agents.networks.neural import chosen_network, evaluator_of
from agents.search.mirror import Effort, MirrorSearch, Weighed
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View


class MirrorAgent(Agent):
    """Searches before every decision that leaves a choice, and plays the likeliest action of the new probabilities.

    Args:
        name, game, seed: see `Agent`.
        search: what it searches with.
        seconds: at most so long for a decision; 0 for as long as it takes, and only then the answer depends on view and
            seed alone, as far as the network's numbers are the same.
        network: that the search asks, for `fingerprint`.
    """

    def __init__(
        self, name: str, game: Game, search: MirrorSearch, seconds: float, network: PlayingNetwork, seed: int = 0
    ) -> None:
        super().__init__(name, game, seed)
        self.search, self.seconds, self.network = search, seconds, network
        self.last: Weighed | None = None

    @property
    def fingerprint(self) -> str:
        """That of the network."""
        return self.network.fingerprint()

    def act(self, view: View) -> int:
        legal = view.legal_ids()
        return int(legal[0]) if len(legal) == 1 else int(self._found(view).improved.argmax())

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """The new probabilities, float32 (num_actions,)."""
        return self.estimate(view)[0]

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        """The new probabilities, and the results that the network expects."""
        found = self._found(view)
        return found.improved.astype(np.float32), found.expected

    def _found(self, view: View) -> Weighed:
        begun = time.perf_counter()
        spent = (lambda: (time.perf_counter() - begun) / self.seconds) if self.seconds else (lambda: 0.0)
        self.last = self.search.run(view, self.decision_seed(view), spent)
        return self.last


def make_mirror_agent(
    text: str,
    game: Game,
    seed: int,
    values: Mapping[str, Any],
    searching: type[MirrorSearch] = MirrorSearch,
    playing: type[MirrorAgent] = MirrorAgent,
) -> Agent:
    """The agent of a registry entry, of the class `playing`, with a search of the class `searching`."""
    network, device = chosen_network(game, values)
    seconds = float(values["seconds"])
    worlds, candidates, plies, rows, deepest = (
        int(values[name]) for name in ("worlds", "candidates", "plies", "rows", "deepest")
    )
    # Without a clock there is no time left over.
    effort = Effort(worlds, candidates, plies, rows, deepest if seconds else 0)
    search = searching(game, evaluator_of(network, device), effort, float(values["step"]), float(values["magnet"]))
    return playing(text, game, search, seconds, network, seed)
