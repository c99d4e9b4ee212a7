"""Teachers of expert iteration: searches that improve on the network that guides them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from agents.sampling import NEVER, sample
from agents.search.guided import Evaluator, GuidedSearch
from agents.search.mirror import Effort, MirrorSearch
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView
from training.expert.options import Options

#: Rollouts that a mirror-descent search runs in parallel, over all its steps.
ROWS: Final = 256


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
            views: views of movers with at least two legal actions.
            full: whether the policy learns from the steps; otherwise actions suffice.
            seeds: int64 (k,).
            noise: 1 to sample actions, 0 for the best.
        """


class GumbelTeacher:
    """Tree search with sequential halving at the root (`agents.search.guided`); `threads` share its games."""

    def __init__(self, game: Game, evaluator: Evaluator, options: Options, threads: int) -> None:
        self.full, self.fast = (
            GuidedSearch(
                game, evaluator, simulations, options.parallel_simulations, options.exploration,
                prior_temperature=options.prior_temperature, threads=threads,
            )
            for simulations in (options.num_simulations, options.fast_simulations)
        )  # fmt: skip

    def teach(self, views: BatchView, full: bool, seeds: Any, noise: float) -> Lesson:
        """See `Teacher`."""
        result = (self.full if full else self.fast).run(views.states, views.players, seeds, noise)
        agreed = result.logits.argmax(axis=1) == result.improved.argmax(axis=1)
        return Lesson(result.actions, result.improved, result.means, np.ones(len(agreed), dtype=np.bool_), agreed)


class MirrorTeacher:
    """Mirror-descent search: rollouts of the network in sampled states, without a tree (`agents.search.mirror`).

    It searches all steps in one batch.  The network decides the steps that need no search.
    """

    def __init__(self, game: Game, evaluator: Evaluator, options: Options) -> None:
        rows = max(ROWS, options.candidates)
        effort = Effort(
            options.determinizations, options.candidates, options.rollout_steps, rows, 0, options.noise_std_errors
        )
        self.evaluator, self.search = evaluator, MirrorSearch(game, evaluator, effort, options.step_size)
        self.max_certainty = options.max_certainty

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


def make_teacher(game: Game, evaluator: Evaluator, options: Options, threads: int) -> Teacher:
    """Return the teacher that the options ask for."""
    if options.search == "gumbel":
        return GumbelTeacher(game, evaluator, options, threads)
    return MirrorTeacher(game, evaluator, options)
