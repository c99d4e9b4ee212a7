"""Figures of a tournament at one number of players: ratings, shares, means, and head-to-head results.

Only games of complete deals count: all rotations of a line-up.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.arena import ratings
from agents.arena.matches import Played, cyclic_order, rotations
from agents.arena.ratings import ELO, Estimate, Floats
from agents.arena.reviews import ReviewedGame


@dataclass(frozen=True)
class Standing:
    """An agent's figures at one number of players.

    Attributes:
        rating: Elo points; `error` is their standard error.  See `Strengths.rating` for the anchor.
        ahead: difference from the rating of the next agent; None for the last.
        equal: whether the rating is `undecided` against that of the agent above.
        place: mean rank.
        ms: milliseconds a step; None if it was not measured.
        seats: number of seats in all games.
        sources: mean points by source.
        lost: skill lost a choice in reviewed games (`agents.arena.reviews`), as a share of a sole win; None without.
    """

    agent: str
    rating: Estimate
    error: float
    ahead: Estimate | None
    equal: bool
    win: Estimate
    place: Estimate
    score: Estimate
    margin: Estimate
    ms: float | None
    seats: int
    sources: dict[str, float]
    lost: Estimate | None = None


@dataclass(frozen=True)
class Section:
    """The figures of one number of players.

    Attributes:
        standings: best rating first.
        duels: in the same order, how often the agent of the row ranks before that of the column; None on the diagonal.
        games, deals: numbers that count.
        left_out: games of incomplete deals.
        bounded: whether some distances rest on the prior alone (`ratings.Strengths`).
        anchor: the agent whose rating is `ratings.ANCHOR`; None for the mean of all agents.
    """

    players: int
    standings: list[Standing]
    duels: list[list[Estimate | None]]
    games: int
    deals: int
    left_out: int
    bounded: bool
    anchor: str | None

    def standing(self, agent: str) -> Standing:
        """Return the figures of an agent."""
        return next(standing for standing in self.standings if standing.agent == agent)


def complete(games: Iterable[Played]) -> list[Played]:
    """Return the games whose line-up played their deal in all rotations."""
    games = list(games)
    counts = Counter((game.match.deal, cyclic_order(game.match.agents)) for game in games)
    return [
        game
        for game in games
        if counts[game.match.deal, cyclic_order(game.match.agents)] == len(rotations(game.match.agents))
    ]


def section(
    games: Sequence[Played],
    agents: Sequence[str],
    players: int,
    anchor: str | None = None,
    sources: Sequence[str] = (),
    times: Mapping[tuple[int, str], float] | None = None,
    reviews: Iterable[ReviewedGame] = (),
) -> Section | None:
    """Return the figures of a number of players; None if an agent has no complete deal.

    anchor: see `Section`.
    """
    given = [game for game in games if len(game.scores) == players]
    # Sorted, so that a report does not depend on the order of lines.
    counted = sorted(complete(given), key=lambda game: (game.match.deal, game.match.agents))
    if {agent for game in counted for agent in game.match.agents} != set(agents):
        return None
    count = len(agents)
    number = {agent: i for i, agent in enumerate(agents)}
    seated = np.array([[number[agent] for agent in game.match.agents] for game in counted])
    scores, places = (np.array([getattr(game, name) for game in counted]) for name in ("scores", "places"))
    deals = np.array([game.match.deal for game in counted])
    ranks = ratings.ranks(places)
    strengths = ratings.plackett_luce(seated, ranks, deals, count)

    def sums(values: npt.NDArray[Any]) -> tuple[Floats, Floats]:
        return ratings.by_deal(values.reshape(-1), seated.reshape(-1), np.repeat(deals, players), count)

    wins, seats = sums(ratings.win_shares(places))
    means = [ratings.mean_of_deals(*sums(values)) for values in (ranks, scores, ratings.margins(scores))]
    points = np.array([game.sources for game in counted]) if sources else np.zeros((len(counted), players, 0))
    totals = {name: sums(points[:, :, column])[0].sum(axis=0) for column, name in enumerate(sources)}
    lost = _skill_lost([one for one in reviews if len(one.agents) == players], number)
    order = sorted(range(count), key=lambda i: (-strengths.values[i], agents[i]))
    rated = [strengths.rating(i, None if anchor is None else number[anchor]) for i in range(count)]
    steps = [
        Estimate(*(ELO * end for end in strengths.difference(better, worse)))
        for better, worse in itertools.pairwise(order)
    ]
    standings = [
        Standing(
            agent=agents[i],
            rating=rated[i][0],
            error=rated[i][1],
            ahead=steps[rank] if rank < len(steps) else None,
            equal=rank > 0 and undecided(steps[rank - 1]),
            win=ratings.share_of_deals(wins[:, i], seats[:, i]),
            place=means[0][i],
            score=means[1][i],
            margin=means[2][i],
            ms=(times or {}).get((players, agents[i])),
            seats=int(seats[:, i].sum()),
            sources={name: float(total[i] / seats[:, i].sum()) for name, total in totals.items()},
            lost=lost[i],
        )
        for rank, i in enumerate(order)
    ]
    duels = _duels(seated, ranks, deals, order)
    left_out = len(given) - len(counted)
    return Section(players, standings, duels, len(counted), strengths.deals, left_out, strengths.bounded, anchor)


def undecided(ahead: Estimate) -> bool:
    """Return whether the interval of a difference of ratings contains 0, rounded as reports show it."""
    return round(ahead.low) <= 0


def _skill_lost(reviews: Sequence[ReviewedGame], number: Mapping[str, int]) -> list[Estimate | None]:
    """Return the skill that each agent lost a choice, with intervals clustered by deal; see `Standing.lost`."""
    if not reviews:
        return [None] * len(number)
    # Between a sole win, 1, and a loss, -1/(n - 1), are n/(n - 1).
    win = len(reviews[0].agents) / (len(reviews[0].agents) - 1)
    seated = [number[agent] for one in reviews for agent in one.agents]
    deals = [one.deal for one in reviews for _ in one.agents]
    skill, choices = (
        ratings.by_deal([value for one in reviews for value in getattr(one, name)], seated, deals, len(number))[0]
        for name in ("skill", "choices")
    )
    return [mean if np.isfinite(mean.value) else None for mean in ratings.mean_of_deals(-skill / win, choices)]


def _duels(
    seated: npt.NDArray[Any], ranks: Floats, deals: npt.NDArray[Any], order: Sequence[int]
) -> list[list[Estimate | None]]:
    count, players = len(order), seated.shape[1]
    shares, pairs, when = [], [], []
    for seat, other in itertools.permutations(range(players), 2):
        met = seated[:, seat] != seated[:, other]
        shares.append((1 - np.sign(ranks[met, seat] - ranks[met, other])) / 2)
        pairs.append(seated[met, seat] * count + seated[met, other])
        when.append(deals[met])
    sums, numbers = ratings.by_deal(np.concatenate(shares), np.concatenate(pairs), np.concatenate(when), count * count)

    def duel(agent: int, other: int) -> Estimate | None:
        column = agent * count + other
        return None if agent == other else ratings.share_of_deals(sums[:, column], numbers[:, column])

    return [[duel(agent, other) for other in order] for agent in order]
