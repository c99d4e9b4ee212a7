"""Sequential halving: which of the root's actions a search tries, and how often."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.networks.network import NEVER

#: Actions that are considered at a root, at most.
CONSIDERED: Final = 16


class Halving:
    """Which of the root's actions each simulation tries: all considered ones equally often, then the better half.

    There are never more of them than simulations.  A phase ends with its share of the simulations or of the time.
    """

    def __init__(self, logits: Any, gumbel: Any, simulations: int) -> None:
        legal = (logits > NEVER).sum(axis=1)
        order = np.argsort(-(logits + gumbel), axis=1, kind="stable")
        self.candidates = [
            row[: min(CONSIDERED, simulations, count)].tolist()
            for row, count in zip(order, legal.tolist(), strict=True)
        ]
        # A game's phases: how many simulations each of them has.
        self.phases = [max(1, int(np.ceil(np.log2(max(2, len(one)))))) for one in self.candidates]
        self.simulations = simulations
        self.left = [self._length(i) for i in range(len(self.candidates))]
        # How often each action was tried, by game.
        self.tried = [dict.fromkeys(one, 0) for one in self.candidates]
        self.over = [0] * len(self.candidates)

    def _length(self, game: int) -> int:
        """Simulations of a phase, the same number for each candidate."""
        each = max(1, self.simulations // (self.phases[game] * len(self.candidates[game])))
        return each * len(self.candidates[game])

    def next(self, count: int, scores: Any, spent: float) -> npt.NDArray[np.int64]:
        """The root's actions of the next `count` simulations of every game, int64 (games * count,)."""
        found = np.empty((len(self.candidates), count), dtype=np.int64)
        for game, candidates in enumerate(self.candidates):
            late = spent * self.phases[game] >= self.over[game] + 1
            if (self.left[game] <= 0 or late) and len(candidates) > 2:
                candidates.sort(key=lambda action: -float(scores[game, action]))
                del candidates[(len(candidates) + 1) // 2 :]
                self.left[game] = self._length(game)
                self.over[game] += 1
            tried = self.tried[game]
            for i in range(count):
                # A phase may end in the middle of a round: who is behind by one is served first.
                action = min(candidates, key=tried.__getitem__)
                found[game, i] = action
                tried[action] += 1
            self.left[game] -= count
        return found.reshape(-1)

    def best(self, scores: Any, visits: Any) -> npt.NDArray[np.int64]:
        """The choice of every game, int64 (games,), by the scores of the candidates that are left.

        Only what was tried as often as the others, but for the last round: the network's word is not enough.
        """
        chosen = []
        for game, candidates in enumerate(self.candidates):
            left = np.array(candidates)
            tried = visits[game, left]
            chosen.append(left[np.where(tried < max(1, tried.max() - 1), -np.inf, scores[game, left]).argmax()])
        return np.array(chosen)
