"""Sequential halving: which actions of the root a search tries, and how often."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.sampling import NEVER

#: Upper bound of the actions considered at a root.
MAX_CONSIDERED: Final = 16


class Halving:
    """Root action selection of several games: all considered actions equally often, then the better half.

    There are never more considered actions than simulations.  A phase ends with its share of the simulations or of the
    time.
    """

    def __init__(self, logits: Any, gumbel: Any, simulations: int) -> None:
        legal = (logits > NEVER).sum(axis=1)
        order = np.argsort(-(logits + gumbel), axis=1, kind="stable")
        self.candidates = [
            row[: min(MAX_CONSIDERED, simulations, count)].tolist()
            for row, count in zip(order, legal.tolist(), strict=True)
        ]
        # The number of phases of each game.
        self.phases = [max(1, int(np.ceil(np.log2(max(2, len(row)))))) for row in self.candidates]
        self.simulations = simulations
        self.remaining = [self._phase_length(game) for game in range(len(self.candidates))]
        self.tried = [dict.fromkeys(row, 0) for row in self.candidates]
        self.finished = [0] * len(self.candidates)

    def _phase_length(self, game: int) -> int:
        """Return the simulations of a phase, the same number for each candidate."""
        each = max(1, self.simulations // (self.phases[game] * len(self.candidates[game])))
        return each * len(self.candidates[game])

    def next(self, count: int, scores: Any, spent: float) -> npt.NDArray[np.int64]:
        """Return the root's actions of the next `count` simulations of every game, int64 (games * count,)."""
        actions = np.empty((len(self.candidates), count), dtype=np.int64)
        for game, candidates in enumerate(self.candidates):
            is_late = spent * self.phases[game] >= self.finished[game] + 1
            if (self.remaining[game] <= 0 or is_late) and len(candidates) > 2:
                candidates.sort(key=lambda action: -float(scores[game, action]))
                del candidates[(len(candidates) + 1) // 2 :]
                self.remaining[game] = self._phase_length(game)
                self.finished[game] += 1
            tried = self.tried[game]
            for i in range(count):
                # A phase may end in the middle of a round: the least tried candidate comes first.
                action = min(candidates, key=tried.__getitem__)
                actions[game, i] = action
                tried[action] += 1
            self.remaining[game] -= count
        return actions.reshape(-1)

    def best(self, scores: Any, visits: Any) -> npt.NDArray[np.int64]:
        """Return the choice of every game, int64 (games,), by the scores of the remaining candidates.

        A candidate must have as many visits as the others, except for the last round: the network's prior alone is not
        enough.
        """
        chosen = []
        for game, candidates in enumerate(self.candidates):
            actions = np.array(candidates)
            tried = visits[game, actions]
            chosen.append(actions[np.where(tried < max(1, tried.max() - 1), -np.inf, scores[game, actions]).argmax()])
        return np.array(chosen)
