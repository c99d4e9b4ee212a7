"""Measure how far reviews can be trusted: the network against itself, and planted blunders.

A review of games of the baseline network with itself shows the loss that its own choices are said to have.  That is
partly true, since a search plays better, and partly an error of the network's values.  Losses of other players below it
mean nothing.

Rollouts to the end show how much of a large loss is real.

A planted blunder is a random legal action at a random step of such a game, whose result in rollouts to the end is
clearly worse than that of the network's action.  The network continues the game, and a good review lists the blunder
as the costliest step.  The rollouts have no values of the network, and other random numbers than the review.

The network loses much by some of its choices, mostly near the end, and a good review lists these as well.  So a
step that is listed before the blunder counts only if such rollouts show that it costs clearly less.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.agent import Agent
from agents.arena.matches import deal_seed
from agents.arena.ratings import Estimate, mean_of_deals, wilson
from agents.arena.tables import markdown
from agents.registry import make
from agents.review.estimates import ENDLESS, QUICK, Baseline, Effort, Estimator, baseline
from agents.review.review import Review, review, states_of
from benchmarks.options import Seated, at_least, read
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.game.game import Game, check_seed
from porta_nigra_env.core.game.state import State

#: Rollouts to the end that say how much a step costs.
TRUE_SAMPLES = 800


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated):
    """Options of the program."""

    games: int = 20
    """Games of the network with itself."""
    planted: int = 20
    """Games with a planted blunder."""
    loss: float = 0.2
    """Smallest loss of a planted blunder, as a share of the distance between a win and a loss."""
    samples: int = Effort.samples
    """Sampled states of a step."""
    plies: int = Effort.plies
    """Steps of the network after an action."""
    quick: bool = False
    """Review with --quick instead."""
    seed: int = 1
    """Seed of the games and reviews."""

    def check(self) -> None:
        super().check()
        for name, least in (("games", 2), ("planted", 0), ("samples", 4), ("plies", 0)):
            at_least(name, getattr(self, name), least)
        if not 0 < self.loss < 1:
            raise ValueError(f"--loss must be between 0 and 1, not {self.loss:g}")
        check_seed(self.seed)
        baseline("network", self.made())

    def effort(self) -> Effort:
        """Return the size of the reviews."""
        return QUICK if self.quick else Effort(samples=self.samples, plies=self.plies)


class Blunder(NamedTuple):
    """A game with a planted blunder: ids of all actions, the number of the step from 1 on, the loss and its error."""

    actions: list[int]
    number: int
    loss: float
    error: float


def continued(agent: Agent, state: State) -> list[int]:
    """Let an agent play all seats to the end of a game; return the ids of its actions.  The state is changed."""
    actions = []
    while not state.is_over:
        actions.append(int(agent.act(state.view())))
        state.apply_id(actions[-1])
    return actions


def loss_of(rollouts: Estimator, state: State, chosen: int, other: int) -> tuple[float, float]:
    """Return the loss of the mover by an action instead of another one, in results, and its standard error."""
    results = rollouts.try_all(state.view(), np.array([chosen, other])).results[:, :, state.player]
    gaps = results[:, 1] - results[:, 0]
    return float(gaps.mean()), float(gaps.std(ddof=1) / len(gaps) ** 0.5)


def plant(agent: Agent, network: Baseline, seed: int, least: float, samples: int = 64) -> Blunder | None:
    """Play a game of an agent with itself, with a blunder; None if no step of the game has one.

    least: of the loss, in results, less two standard errors of rollouts to the end; samples: their number, and again
        four times as many in other sampled states, since the first of many losses may be large by chance.
    """
    game, rng = agent.game, np.random.default_rng(seed)
    actions = continued(agent, State(game, game.new_states(seed)))
    states = states_of(game, seed, actions)
    first, second = (
        Estimator(game, network.evaluator, Effort(factor * samples, 1, ENDLESS, later_seed(seed, factor)))
        for factor in (1, 4)
    )
    for t in rng.permutation(len(actions)).tolist():
        others = states[t].legal_ids()[states[t].legal_ids() != actions[t]]
        if not len(others):
            continue
        action = int(rng.choice(others))
        for rollouts in (first, second):
            loss, error = loss_of(rollouts, states[t], action, actions[t])
            if loss - 2 * error < least:
                break
        else:
            after = continued(agent, states[t].clone().apply_id(action))
            return Blunder([*actions[:t], action, *after], t + 1, loss, error)
    return None


def rank_of(done: Review, number: int) -> int:
    """Return the rank of a step among the costliest five of a review, from 1 on; 6 for any other step."""
    costly = [step.number for step in done.costliest()]
    return costly.index(number) + 1 if number in costly else 6


def is_first(listed: Sequence[tuple[int, int]], blunder: Blunder, states: Sequence[State], rollouts: Estimator) -> bool:
    """Return whether a review lists a blunder, and before it no step that costs clearly less by rollouts.

    listed: numbers and better actions of all steps that lost, the costliest first; states: before each step.
    """
    for number, better in listed:
        if number == blunder.number:
            return True
        loss, error = loss_of(rollouts, states[number - 1], blunder.actions[number - 1], better)
        if loss + 2 * float(np.hypot(error, blunder.error)) < blunder.loss:
            break
    return False


def mean(values: Sequence[float]) -> Estimate:
    """Return a mean over games with its interval."""
    return mean_of_deals(np.array(values)[:, None], np.ones((len(values), 1)))[0]


def summary(done: Sequence[Review]) -> dict[str, Estimate]:
    """Return the figures of games of the network with itself, each a mean over games."""
    choices = [[step for step in one.steps if step.legal > 1] for one in done]
    figures = {
        "skill of a choice": mean([sum(step.skill for step in one) / len(one) for one in choices]),
        "large losses, % of choices": mean([100 * sum(step.large for step in one) / len(one) for one in choices]),
        "too close to call, % of choices": mean([100 * sum(step.close for step in one) / len(one) for one in choices]),
        "skill of a seat in a game": mean([sum(seat.skill for seat in one.seats) / len(one.seats) for one in done]),
    }
    for number in range(len(done[0].seats)):
        figures[f"luck of seat {number}"] = mean([one.seats[number].luck for one in done])
        figures[f"chance of seat {number}"] = mean([one.seats[number].chance for one in done])
    return figures


def measure(game: Game, arguments: Arguments) -> dict[str, object]:
    """Play and review all games; print the figures and return them."""
    agent, network, effort = make("network", game), baseline("network", game), arguments.effort()
    seeds = [deal_seed(arguments.seed, number) for number in range(arguments.games + arguments.planted)]
    truth = Estimator(game, network.evaluator, Effort(TRUE_SAMPLES, 1, ENDLESS, later_seed(arguments.seed, 1)))
    done, seconds, large = [], [], []
    for seed in tqdm(seeds[: arguments.games], unit="game"):
        actions = continued(agent, State(game, game.new_states(seed)))
        start = time.perf_counter()
        done.append(review(game, seed, actions, network, effort))
        seconds.append(time.perf_counter() - start)
        states = states_of(game, seed, actions)
        for step in done[-1].steps:
            if step.large:
                state, action = states[step.number - 1], actions[step.number - 1]
                lost, _ = loss_of(truth, state, action, state.action_id(step.better))
                large.append((step.skill, -lost))
    least = arguments.loss * game.num_players / (game.num_players - 1)
    ranks, fair, losses = list[int](), list[bool](), list[float]()
    for seed in tqdm(seeds[arguments.games :], unit="blunder"):
        if (blunder := plant(agent, network, seed, least)) is not None:
            found = review(game, seed, blunder.actions, network, effort)
            ranks.append(rank_of(found, blunder.number))
            states, costly = states_of(game, seed, blunder.actions), found.costliest(len(found.steps))
            listed = [(step.number, states[step.number - 1].action_id(step.better)) for step in costly]
            fair.append(is_first(listed, blunder, states, truth))
            losses.append(blunder.loss)
    figures = summary(done)
    rows = [[name, f"{one.value:+.4f}", f"{one.low:+.4f} to {one.high:+.4f}"] for name, one in figures.items()]
    if len(large) > 1:
        for name, column in (("in the review", 0), ("to the end", 1)):
            loss = mean([one[column] for one in large])
            rows.append(
                [f"{len(large)} large losses {name}", f"{loss.value:+.4f}", f"{loss.low:+.4f} to {loss.high:+.4f}"]
            )
    shares = {
        "listed first": [rank == 1 for rank in ranks],
        "no lesser step before it": fair,
        "listed": [rank < 6 for rank in ranks],
    }
    for name, some in shares.items() if ranks else ():
        share = wilson(float(np.mean(some)), len(some))
        label = f"{len(some)} blunders: {name}, %"
        rows.append([label, f"{100 * share.value:.0f}", f"{100 * share.low:.0f} to {100 * share.high:.0f}"])
    rows.append(["seconds a review", f"{np.median(seconds):.1f}", f"{min(seconds):.1f} to {max(seconds):.1f}"])
    print(markdown([f"{game.name}, {game.num_players} players, {len(done)} games", "mean", "95 %"], rows))
    named = {name: one._asdict() for name, one in figures.items()}
    return {"figures": named, "large": large, "ranks": ranks, "fair": fair, "losses": losses, "seconds": seconds}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    arguments = read(Arguments, argv)
    arguments.finish(**measure(arguments.made(), arguments))
    return 0
