"""Teachers of expert iteration: searches that improve on the network that guides them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from agents.networks.network import NEVER
from agents.networks.sampling import sample
from agents.search.guided import Evaluator, GuidedSearch
from agents.search.mirror import Effort, MirrorSearch
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView


class Lesson(NamedTuple):
    """Output of a teacher for k steps.

    actions: int64 (k,), actions to play.
    improved: float64 (k, num_actions), improved policies, zeros where only an action was requested.
    means: float64 (k, players), expected results by seat.
    searched: bool (k,), True if `means` come from a search, False if from the network.
    agreed: bool (k,), True if search and network prefer the same action.
    """

    actions: Any
    improved: Any
    means: Any
    searched: Any
    agreed: Any


class Teacher(Protocol):
    """Chooses actions and returns policies to learn from."""

    def teach(self, views: BatchView, full: bool, seeds: Any, noise: float) -> Lesson:
        """Return the lesson of one step in each of k games.

        Args:
            views: views of the movers, who all have a choice.
            full: whether the policy learns from the steps; otherwise actions suffice.
            seeds: int64 (k,).
            noise: 1 to sample actions, 0 for the best.
        """


@dataclass(frozen=True)
class Gumbel:
    """Tree search with sequential halving at the root (`agents.search.guided`).

    Attributes:
        simulations, fast_simulations: simulations of steps that the policy learns from, and of other steps.
        parallel: simulations per game between two network calls.
        exploration: constant of PUCT.
        prior_temperature: temperature of the prior policy.
    """

    simulations: int
    fast_simulations: int
    parallel: int
    exploration: float
    prior_temperature: float

    def teacher(self, game: Game, evaluator: Evaluator, threads: int) -> Teacher:
        """Return the teacher of a game; `threads` share its parallel games."""

        def search(simulations: int) -> GuidedSearch:
            return GuidedSearch(
                game, evaluator, simulations, self.parallel, self.exploration,
                prior_temperature=self.prior_temperature, threads=threads,
            )  # fmt: skip

        return GumbelTeacher(search(self.simulations), search(self.fast_simulations))


@dataclass(frozen=True)
class Mirror:
    """Mirror-descent search without a tree: rollouts of the network in sampled states (`agents.search.mirror`).

    Attributes:
        effort, step_size: parameters of the search.
        max_certainty: actions with this probability are taken without a search.
    """

    effort: Effort
    step_size: float
    max_certainty: float = 1.0

    def teacher(self, game: Game, evaluator: Evaluator, threads: int) -> Teacher:
        """Return the teacher of a game; it searches all steps in one batch and ignores `threads`."""
        return MirrorTeacher(evaluator, MirrorSearch(game, evaluator, self.effort, self.step_size), self.max_certainty)


class GumbelTeacher:
    """Teacher of `Gumbel` with its full and its fast search."""

    def __init__(self, full: GuidedSearch, fast: GuidedSearch) -> None:
        self.full, self.fast = full, fast

    def teach(self, views: BatchView, full: bool, seeds: Any, noise: float) -> Lesson:
        """See `Teacher`."""
        result = (self.full if full else self.fast).run(views.states, views.players, seeds, noise)
        agreed = result.logits.argmax(axis=1) == result.improved.argmax(axis=1)
        return Lesson(result.actions, result.improved, result.means, np.ones(len(agreed), dtype=np.bool_), agreed)


class MirrorTeacher:
    """Teacher of `Mirror`; the network decides the steps that need no search."""

    def __init__(self, evaluator: Evaluator, search: MirrorSearch, max_certainty: float) -> None:
        self.evaluator, self.search, self.max_certainty = evaluator, search, max_certainty

    def teach(self, views: BatchView, full: bool, seeds: Any, noise: float) -> Lesson:
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
            uncertain = np.flatnonzero(improved.max(axis=1) < self.max_certainty)
            results = self.search.run_all([views[int(row)] for row in uncertain], seeds[uncertain].tolist())
            for row, result in zip(uncertain, results, strict=True):
                improved[row], means[row] = result.improved, result.means
            searched[uncertain] = True
            logits = np.log(np.maximum(improved, np.exp(-80.0))).astype(np.float32)
        actions = logits.argmax(axis=1).astype(np.int64)
        agreed = actions == preferred
        if noise:
            # A second stream, since the search drew from the seed itself.
            uniforms = np.array([np.random.default_rng([seed, 1]).random() for seed in seeds.tolist()])
            sample(logits, views.action_masks, uniforms, actions, np.zeros(len(actions), dtype=np.float32))
        return Lesson(actions, improved, means.astype(np.float64), searched, agreed)
