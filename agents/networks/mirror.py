"""The agent of `agents.search.mirror`: mirror-descent search with a network."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.networks.network import PlayingNetwork
from agents.networks.neural import clock, evaluator_of, network_digest, network_of
from agents.options import MirrorOptions
from agents.search.mirror import Effort, MirrorResult, MirrorSearch
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View


class MirrorAgent(Agent):
    """Searches before every step with a choice, and plays the most probable action of the improved policy.

    Args:
        name, game, seed: see `Agent`.
        search: the search.
        seconds: time limit of a step; 0 for none.  Without one the answer depends only on view and seed, as far as
            the network's numbers agree.
        network: the network of the search, for `fingerprint`.
    """

    def __init__(
        self, name: str, game: Game, search: MirrorSearch, seconds: float, network: PlayingNetwork, seed: int = 0
    ) -> None:
        super().__init__(name, game, seed)
        self.search, self.seconds, self.network = search, seconds, network
        self.last: MirrorResult | None = None

    def knowledge(self) -> str:
        """Return the digest of the network."""
        return network_digest(self.network)

    def act(self, view: View) -> int:
        legal = view.legal_ids()
        return int(legal[0]) if len(legal) == 1 else int(self._search(view).improved.argmax())

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """Return the improved probabilities, float32 (num_actions,)."""
        return self.estimate(view)[0]

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        """Return the improved probabilities and the network's expected results."""
        result = self._search(view)
        return result.improved.astype(np.float32), result.expected

    def _search(self, view: View) -> MirrorResult:
        self.last = self.search.run(view, self.decision_seed(view), clock(self.seconds))
        return self.last


def make_mirror_agent(text: str, game: Game, seed: int, options: MirrorOptions) -> MirrorAgent:
    """Make the agent `mirror` of the registry."""
    network = network_of(game, options)
    # Without a clock there is no remaining time for deeper rollouts.
    deepest = options.deepest if options.seconds else 0
    effort = Effort(options.worlds, options.candidates, options.plies, options.rows, deepest, options.doubt)
    search = MirrorSearch(game, evaluator_of(network, options.device), effort, options.step, options.magnet)
    return MirrorAgent(text, game, search, options.seconds, network, seed)
