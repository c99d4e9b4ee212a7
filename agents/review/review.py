"""A review of a finished game: the skill and the luck of every seat in every step.

All figures are results in -1..1 (`core.game.results.outcome_returns`): 1 for a sole winner, -1/(n - 1) for each loser.

For step t = 0..T-1 with the mover m and the chosen action a:

``V[t, i]``
    The value of seat i before step t: the network's estimate in the view of the player to move.  ``V[T, i]`` is the
    exact result.
``q[w, b, i]``
    The value of seat i after action b in the sampled state w of the mover's view, w = 0..N-1.  The network plays some
    more plies for all seats, until the mover is to move again.  Then its value counts, in the view of the mover; at the
    end of the game it is the exact result.  Sampled states and random numbers are common to all actions.  In the last
    `LATE` steps of a typical game, all rollouts go to the end.
``g[w, i] = q[w, a, i] - q[w, best, i]``
    The difference that the choice made.  Sampled states form two halves; ``best`` maximizes the mover's mean over the
    other half.  So the noise that selects an action is not the noise that evaluates it.
``choice[t, i]``
    The mean over both halves of the mean of ``g[w, i]``.
``skill[t, i]``
    ``choice[t, m]`` for the mover, 0 for all others.  It is never positive in expectation without noise; an estimate of
    a good choice may be slightly positive.
``luck[t, i] = V[t + 1, i] - V[t, i] - skill[t, i]``
    Everything else: ``others[t, i]``, which is ``choice[t, i]`` for i != m and 0 for the mover, and ``chance[t, i]``,
    the remainder.  Besides cards and dice, the remainder has the network's errors, and the distance of the best action
    from the network's own policy, for which ``V`` stands.  That distance is a gain on the mover's steps and a loss on
    those of the others, so that it nearly cancels in the sum of a game.

So for every seat ``V[0, i] + sum of (skill + luck) over all steps = V[T, i]``, the result.  Skill is a function of the
mover's view alone.  Luck looks behind the cards: it compares views of different seats on the true states.

The standard error of skill is that of the mean of both halves.  A step is too close to call when ``|skill|`` is less
than `CLOSE_ERRORS` standard errors.

A step is in doubt if its loss less one standard error exceeds `LARGE_SHARE` of a win, and at first if the network's
probability of the chosen action is less than `RARE`.  Then the chosen action, the network's own choice and the better
half of the others are tried again, in more and other sampled states with rollouts to the end of the game (`STAGES`).
The last estimate counts.  It has more noise and no error of the network's values.

``best`` is one of all actions of a step that remains in doubt.  In other steps it is the chosen action or the network's
own choice: the best of many values has the luckiest error, which would make losses of good choices.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.playing import one_thread
from agents.review.estimates import ENDLESS, Baseline, Comparison, Effort, Estimator, Floats, Integers
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View

#: Version of the JSON.
SCHEMA: Final = 2
#: Standard errors of skill below which a step is too close to call.
CLOSE_ERRORS: Final = 2.0
#: Sampled states of the repeated estimates, as multiples of `Effort.samples`.
STAGES: Final = (2, 6)
#: Steps before the end of a typical game in which the network's values count for nothing.
LATE: Final = 64
#: The network has hardly seen positions after actions of a smaller probability; it may not see their loss.
RARE: Final = 0.02
#: A step is a large loss if it costs more of a win than this; the page uses the same share.
LARGE_SHARE: Final = 0.05


@dataclass(frozen=True)
class Step:
    """One step; lists have an entry for each seat.

    Attributes:
        number: from 1 on.
        seat: the mover.
        action: the action string of the choice.
        legal, tried: numbers of legal and of compared actions; 1 tried action is the chosen one, without a loss.
        skill, error: of the mover, and its standard error.
        close: whether the loss is too close to call.
        large: whether the step is not close and cost more than `LARGE_SHARE` of a win.
        better: the best of the tried actions by the mean of all sampled states; "" if it is the chosen one.
        samples: sampled states of the last estimate.
        values: after the step.
        others, chance: the parts of luck.
    """

    number: int
    seat: int
    action: str
    legal: int
    tried: int
    skill: float
    error: float
    close: bool
    large: bool
    better: str
    samples: int
    values: list[float]
    others: list[float]
    chance: list[float]


@dataclass(frozen=True)
class Seat:
    """The sums of one seat: ``start + skill + others + chance = result``.

    Attributes:
        name: of the player; "" if unknown.
        score: the final total.
        start, result: its value before the first step, and its result.
        skill, error: sum over its steps, and the standard error of the sum.
        others, chance: sums of the parts of luck over all steps.
        choices, large: numbers of its steps with more than one legal action, and of its large losses.
    """

    name: str
    score: int
    start: float
    skill: float
    error: float
    others: float
    chance: float
    result: float
    choices: int
    large: int

    @property
    def luck(self) -> float:
        return self.others + self.chance


@dataclass(frozen=True)
class Review:
    """A review, as its JSON has it.

    Attributes:
        schema: `SCHEMA`.
        game: name and version of the environment.
        digest: of the game's components.
        seed: of the game.
        network, network_digest: the agent string of the baseline, and the digest of its weights.
        effort: the size of the estimates.
        seats, steps: by seat and by step.
    """

    schema: int
    game: str
    digest: str
    seed: int
    network: str
    network_digest: str
    effort: Effort
    seats: list[Seat]
    steps: list[Step]

    def costliest(self, count: int = 5) -> list[Step]:
        """Return `costliest_steps` of all steps."""
        return costliest_steps(self.steps, count)

    def to_json(self) -> str:
        """Return the review as JSON; the keys are those of the dataclasses."""
        return json.dumps(asdict(self), indent=1) + "\n"


def costliest_steps(steps: Sequence[Step], count: int) -> list[Step]:
    """Return the steps with the largest losses that are not too close to call, the largest first."""
    lost = [step for step in steps if step.skill < 0 and step.better and not step.close]
    return sorted(lost, key=lambda step: step.skill)[:count]


def choice_effect(results: Floats, seat: int) -> tuple[Floats, float]:
    """Return the effect of a choice on every seat, float64 (players,), and the standard error of the mover's.

    results: float64 (samples, actions, players), the chosen action first; seat: the mover.
    """
    halves = np.array_split(results, 2)
    means, variance = np.zeros(results.shape[2]), 0.0
    for half, other in (halves, halves[::-1]):
        gaps = half[:, 0] - half[:, other[:, :, seat].mean(axis=0).argmax()]
        means += gaps.mean(axis=0) / 2
        variance += float(gaps[:, seat].var(ddof=1)) / len(gaps) / 4
    return means, variance**0.5


def step_of(number: int, state: State, found: Comparison, before: Floats, after: Floats) -> Step:
    """Return a step from the state and the values by seat, float64 (players,), before it; after: the values after."""
    seat, texts, players = state.player, state.game.action_texts, state.num_players
    choice, error = choice_effect(found.results, seat)
    skill, best = float(choice[seat]), int(found.results[:, :, seat].mean(axis=0).argmax())
    close = abs(skill) < CLOSE_ERRORS * error
    return Step(
        number, seat, texts[found.actions[0]], int(state.mask.sum()), len(found.actions), skill, error, close,
        not close and skill < -large_loss(players),
        "" if best == 0 else texts[found.actions[best]], len(found.results),
        after.tolist(), np.where(np.arange(players) == seat, 0.0, choice).tolist(), (after - before - choice).tolist(),
    )  # fmt: skip


def large_loss(players: int) -> float:
    """Return `LARGE_SHARE` of a win in results: between a sole win and a loss are n / (n - 1)."""
    return LARGE_SHARE * players / (players - 1)


def in_doubt(found: Comparison, seat: int) -> bool:
    """Return whether the chosen action may have cost the mover much."""
    effect, error = choice_effect(found.results, seat)
    return bool(effect[seat] + error < -large_loss(found.results.shape[2]))


def some_of(found: Comparison, others: Integers) -> Comparison:
    """Return the results of the chosen action, the network's own choice, and some others by index, int64 (k,)."""
    kept = np.unique([0, found.shares.argmax(), *others])
    return Comparison(found.actions[kept], found.results[:, kept], found.shares[kept])


def repeated(estimators: Sequence[Estimator], view: View, found: Comparison) -> Comparison:
    """Return the last estimate of a step, from its first one on: each doubt leads to the next."""
    seat, doubt = view.player, in_doubt(found, view.player)
    for number, estimator in enumerate(estimators):
        if not doubt and (number > 0 or found.shares[0] >= RARE):
            break
        order = np.argsort(-found.results[:, 1:, seat].mean(axis=0), kind="stable") + 1
        again = some_of(found, order[: (len(order) + 1) // 2])
        found = estimator.try_all(view, again.actions)._replace(shares=again.shares)
        doubt = in_doubt(found, seat)
    return found if doubt else some_of(found, np.array([], dtype=np.int64))


def seat_of(seat: int, name: str, score: int, start: float, steps: Sequence[Step]) -> Seat:
    """Return the sums of a seat over all steps."""
    own = [step for step in steps if step.seat == seat]
    return Seat(
        name, score, start,
        sum(step.skill for step in own), sum(step.error**2 for step in own) ** 0.5,
        sum(step.others[seat] for step in steps), sum(step.chance[seat] for step in steps), steps[-1].values[seat],
        sum(step.legal > 1 for step in own), sum(step.large for step in own),
    )  # fmt: skip


def states_of(game: Game, seed: int, actions: Sequence[int]) -> list[State]:
    """Return the states of a game before each action, and its end.

    Raises:
        ValueError: an illegal action, or a game that is not over.
    """
    states = [State(game, game.new_states(seed))]
    for action in actions:
        states.append(states[-1].clone().apply_id(action))
    if not states[-1].is_over:
        raise ValueError(f"actions: the game is not over after {len(actions)} steps, and a review needs its result")
    return states


@one_thread()
def review(
    game: Game,
    seed: int,
    actions: Sequence[int],
    network: Baseline,
    effort: Effort,
    names: Sequence[str] = (),
    progress: bool = False,
    stages: Sequence[int] = STAGES,
) -> Review:
    """Review a finished game.

    Args:
        game: the game.
        seed: of the game.
        actions: ids of all actions.
        network: the baseline (`agents.review.estimates.baseline`).
        effort: the size of the estimates.
        names: of the players by seat, if known.
        progress: whether to show a progress bar.
        stages: of steps in doubt; without them bad play takes no longer than good play.

    Raises:
        ValueError: an illegal action, or a game that is not over.
    """
    states = states_of(game, seed, actions)
    rollouts = [(1, effort.plies), *((factor, ENDLESS) for factor in (1, *stages))]
    efforts = [
        replace(effort, samples=factor * effort.samples, plies=plies, seed=later_seed(effort.seed, number))
        for number, (factor, plies) in enumerate(rollouts)
    ]
    early, late, *more = (Estimator(game, network.evaluator, one) for one in efforts)
    values, length = early.values(np.concatenate([state.states for state in states])), late.typical_length()
    steps = []
    for t, action in enumerate(tqdm(actions, unit="step", disable=not progress)):
        view = states[t].view()
        found = repeated(more, view, (late if t >= length - LATE else early).compare(view, action))
        steps.append(step_of(t + 1, states[t], found, values[t], values[t + 1]))
    named = names or [""] * game.num_players
    seats = [
        seat_of(seat, named[seat], score, float(values[0, seat]), steps)
        for seat, score in enumerate(states[-1].totals().tolist())
    ]
    network_name, digest, _ = network
    title = f"{game.name}_v{game.version}"
    return Review(SCHEMA, title, game.digest, seed, network_name, digest, effort, seats, steps)
