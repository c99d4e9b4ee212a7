"""What expert iteration learns from: searches that know better than the network that guides them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from agents.sampling import NEVER, sample
from agents.search.guided import Evaluator, GuidedSearch
from agents.search.mirror import Effort, MirrorSearch
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView


class Taught(NamedTuple):
    """What a teacher says of k decisions.

    actions: int64 (k,), what is done; improved: float64 (k, num_actions), probabilities better than the network's,
    zeros where it was asked for an action only; means: float64 (k, players), results that it expects, by seat;
    searched: bool (k,), whether these are of a search, and not what the network says itself; agreed: bool (k,),
    whether it prefers what the network prefers.
    """

    actions: Any
    improved: Any
    means: Any
    searched: Any
    agreed: Any


class Teacher(Protocol):
    """Decides in games, and says what the network should have thought."""

    def teach(self, views: BatchView, full: bool, seeds: Any, noise: float) -> Taught:
        """Of a decision in each of some games.

        Args:
            views: of whoever decides; all have a choice.
            full: whether the policy learns from it; else an action is enough.
            seeds: int64 (k,).
            noise: 1 to draw actions, 0 for the best.
        """


@dataclass(frozen=True)
class Gumbel:
    """A teacher that grows a tree for each decision, with sequential halving at its root (`agents.search.guided`).

    Attributes:
        simulations, quick: of a decision that the policy learns from, and of the others.
        parallel: simulations of a game between two calls of the network.
        exploration: constant of PUCT.
        prior_temperature: of the network's probabilities where they tell what to try.
    """

    simulations: int
    quick: int
    parallel: int
    exploration: float
    prior_temperature: float

    def teacher(self, game: Game, evaluator: Evaluator, threads: int) -> Teacher:
        """For a game, with a network; threads share out the games that are searched."""

        def search(simulations: int) -> GuidedSearch:
            return GuidedSearch(
                game, evaluator, simulations, self.parallel, self.exploration,
                prior_temperature=self.prior_temperature, threads=threads,
            )  # fmt: skip

        return GumbelTeacher(search(self.simulations), search(self.quick))


@dataclass(frozen=True)
class Mirror:
    """A teacher without a tree: the network plays on in many worlds (`agents.search.mirror`).

    Attributes:
        effort, step: of the search.
        sure: where the network gives an action at least this probability, it is not searched for a better one.
    """

    effort: Effort
    step: float
    sure: float = 1.0

    def teacher(self, game: Game, evaluator: Evaluator, threads: int) -> Teacher:
        """For a game, with a network; it searches all decisions in one batch, whatever `threads`."""
        return MirrorTeacher(evaluator, MirrorSearch(game, evaluator, self.effort, self.step), self.sure)


class GumbelTeacher:
    """See `Gumbel`; full, quick: its searches."""

    def __init__(self, full: GuidedSearch, quick: GuidedSearch) -> None:
        self.full, self.quick = full, quick

    def teach(self, views: BatchView, full: bool, seeds: Any, noise: float) -> Taught:
        """See `Teacher`."""
        found = (self.full if full else self.quick).run(views.states, views.players, seeds, noise)
        agreed = found.logits.argmax(axis=1) == found.improved.argmax(axis=1)
        return Taught(found.actions, found.improved, found.means, np.ones(len(agreed), dtype=np.bool_), agreed)


class MirrorTeacher:
    """See `Mirror`; where the policy does not learn, and where the network is sure, the network decides."""

    def __init__(self, evaluator: Evaluator, search: MirrorSearch, sure: float) -> None:
        self.evaluator, self.search, self.sure = evaluator, search, sure

    def teach(self, views: BatchView, full: bool, seeds: Any, noise: float) -> Taught:
        """See `Teacher`."""
        logits, values = self.evaluator(views.observations, views.action_masks)
        logits = np.where(views.action_masks != 0, logits, np.float32(NEVER)).astype(np.float32)
        preferred, improved = logits.argmax(axis=1), np.zeros(logits.shape)
        players = views.game.num_players
        means = np.array([np.roll(row[:players], seat) for row, seat in zip(values, views.players, strict=True)])
        searched = np.zeros(len(logits), dtype=np.bool_)
        if full:
            improved = np.exp(logits - logits.max(axis=1, keepdims=True).astype(np.float64))
            improved /= improved.sum(axis=1, keepdims=True)
            doubtful = np.flatnonzero(improved.max(axis=1) < self.sure)
            answers = self.search.run_all([views[int(row)] for row in doubtful], seeds[doubtful].tolist())
            for row, found in zip(doubtful, answers, strict=True):
                improved[row], means[row] = found.improved, found.means
            searched[doubtful] = True
            logits = np.log(np.maximum(improved, np.exp(-80.0))).astype(np.float32)
        actions = logits.argmax(axis=1).astype(np.int64)
        agreed = actions == preferred
        if noise:
            # Other numbers than those that the search drew from the same seed.
            uniforms = np.array([np.random.default_rng([seed, 1]).random() for seed in seeds.tolist()])
            sample(logits, views.action_masks, uniforms, actions, np.zeros(len(actions), dtype=np.float32))
        return Taught(actions, improved, means.astype(np.float64), searched, agreed)
