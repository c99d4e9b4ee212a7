"""Ratings that follow the games one by one, for a look at a tournament that is still running.

Weng and Lin's Bayesian approximation for the Plackett-Luce model, as openskill computes it: R. C. Weng, C.-J. Lin, *A
Bayesian approximation method for online ranking*, Journal of Machine Learning Research 12 (2011) 267-300.  They depend
on the order in which games come in and count games of one deal as independent; what a report says is fitted to all
games together (`agents.arena.ratings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any, NamedTuple

from openskill.models import PlackettLuce


class Standing(NamedTuple):
    """An agent among the others: `rating` and its standard deviation on openskill's scale, which begins at 25."""

    agent: str
    rating: float
    deviation: float


class LiveRatings:
    """Ratings of agents, for games of any number of players.

    Args:
        agents: all that may come to play.
    """

    def __init__(self, agents: Sequence[str]) -> None:
        self._model = PlackettLuce()
        self._ratings: dict[str, Any] = {agent: self._model.rating(name=agent) for agent in agents}

    def add(self, agents: Sequence[str], scores: Sequence[int]) -> None:
        """A game: who sat at each seat, and the final scores; equal ones share their place.

        An agent with several seats is rated with each of them against the seats of others, never against itself, and
        moves by the mean of that: a game is one observation of an agent, whatever the order of the seats.
        """
        before = [self._ratings[agent] for agent in agents]
        rated: dict[tuple[int, ...], Any] = {}
        moved: dict[str, list[Any]] = {}
        for seat, agent in enumerate(agents):
            met = tuple(other for other, name in enumerate(agents) if other == seat or name != agent)
            if len(met) < 2:
                return
            if met not in rated:
                # Teams of their own: one that is rated in two places would be changed in both.
                teams = [[self._model.rating(before[one].mu, before[one].sigma, agents[one])] for one in met]
                rated[met] = self._model.rate(teams, scores=[float(scores[one]) for one in met])
            moved.setdefault(agent, []).append(rated[met][met.index(seat)][0])
        for agent, seats in moved.items():
            mu, sigma = (fmean(getattr(one, name) for one in seats) for name in ("mu", "sigma"))
            self._ratings[agent] = self._model.rating(mu, sigma, agent)

    def standings(self) -> list[Standing]:
        """All agents, the best first."""
        found = [Standing(agent, float(one.mu), float(one.sigma)) for agent, one in self._ratings.items()]
        return sorted(found, key=lambda one: -one.rating)

    def line(self, most: int = 3) -> str:
        """The first of them in few words, for a progress bar: `network 31.2±1.1, builder 27.5±0.9, ...`."""
        standings = self.standings()
        told = [f"{one.agent.partition(':')[0]} {one.rating:.1f}±{one.deviation:.1f}" for one in standings[:most]]
        return ", ".join([*told, "..."] if len(standings) > most else told)
