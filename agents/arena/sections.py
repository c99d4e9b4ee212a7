"""The figures of a tournament at one number of players: ratings, shares, means, and who is placed before whom.

Games count in whole deals only, all rotations of a line-up together.
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
from agents.arena.ratings import ELO, Estimate


@dataclass(frozen=True)
class Standing:
    """An agent's figures at one number of players.

    Attributes:
        rating: points of Elo's scale, and the standard error in `error`.
        ahead: how much the rating is above that of the next agent; None for the last.
        equal: whether it cannot be told from the agent ranked above (`undecided`).
        place: mean place.
        ms: milliseconds a decision; None if it was not measured.
        seats: how many seats it had, in all games.
        sources: mean points by source.
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


@dataclass(frozen=True)
class Section:
    """All that is reported about one number of players.

    Attributes:
        standings: best rating first.
        duels: by the same order, how often the agent of the row is before that of the column; None on the diagonal.
        games, deals: that count.
        left_out: games of deals that are not complete.
        bounded: whether ratings needed a tied deal for each pair in addition (`ratings.Strengths`).
    """

    players: int
    standings: list[Standing]
    duels: list[list[Estimate | None]]
    games: int
    deals: int
    left_out: int
    bounded: bool


def complete(games: Iterable[Played]) -> list[Played]:
    """Those games whose deal was played by their lineup in all rotations."""
    games = list(games)
    there = Counter((game.match.deal, cyclic_order(game.match.agents)) for game in games)
    return [
        game
        for game in games
        if there[game.match.deal, cyclic_order(game.match.agents)] == len(rotations(game.match.agents))
    ]


def section(
    games: Sequence[Played],
    agents: Sequence[str],
    players: int,
    anchor: str,
    sources: Sequence[str] = (),
    times: Mapping[tuple[int, str], float] | None = None,
) -> Section | None:
    """The figures of the games with so many players; None if there is no complete deal of every lineup."""
    given = [game for game in games if len(game.scores) == players]
    # In a fixed order, so that a report does not depend on the order of lines.
    whole = sorted(complete(given), key=lambda game: (game.match.deal, game.match.agents))
    if {agent for game in whole for agent in game.match.agents} != set(agents):
        return None
    count = len(agents)
    number = {agent: i for i, agent in enumerate(agents)}
    seated = np.array([[number[agent] for agent in game.match.agents] for game in whole])
    scores = np.array([game.scores for game in whole])
    first = np.array([game.places for game in whole])
    deals = np.array([game.match.deal for game in whole])
    places = ratings.ranks(first)
    strengths = ratings.plackett_luce(seated, places, deals, count, number[anchor])

    of_seat, deal_of_seat = seated.reshape(-1), np.repeat(deals, players)

    def sums(values: npt.ArrayLike) -> tuple[ratings.Floats, ratings.Floats]:
        return ratings.by_deal(np.asarray(values).reshape(-1), of_seat, deal_of_seat, count)

    wins, seats = sums(ratings.win_shares(first))
    means = [ratings.mean_of_deals(*sums(values)) for values in (places, scores, ratings.margins(scores))]
    points = {}
    if sources:
        by_source = np.array([game.sources for game in whole])
        points = {name: sums(by_source[:, :, column])[0].sum(axis=0) for column, name in enumerate(sources)}
    order = sorted(range(count), key=lambda i: (-strengths.values[i], agents[i]))
    steps = [_elo(strengths.difference(better, worse)) for better, worse in itertools.pairwise(order)]
    standings = [
        Standing(
            agent=agents[i],
            rating=_elo(strengths.difference(i, number[anchor])),
            error=ELO * float(np.sqrt(strengths.covariance[i, i])),
            ahead=steps[rank] if rank < len(steps) else None,
            equal=rank > 0 and undecided(steps[rank - 1]),
            win=ratings.share_of_deals(wins[:, i], seats[:, i]),
            place=means[0][i],
            score=means[1][i],
            margin=means[2][i],
            ms=(times or {}).get((players, agents[i])),
            seats=int(seats[:, i].sum()),
            sources={name: float(total[i] / seats[:, i].sum()) for name, total in points.items()},
        )
        for rank, i in enumerate(order)
    ]
    return Section(
        players,
        standings,
        _duels(seated, places, deals, order),
        len(whole),
        len(np.unique(deals)),
        len(given) - len(whole),
        strengths.bounded,
    )


def _elo(difference: Estimate) -> Estimate:
    return Estimate(*(float(ELO * value) for value in difference))


def undecided(ahead: Estimate) -> bool:
    """Whether two ratings cannot be told apart: the interval of their difference contains 0, as it is shown, without
    decimals."""
    return round(ahead.low) <= 0


def _duels(
    seated: npt.NDArray[Any], places: ratings.Floats, deals: npt.NDArray[Any], order: Sequence[int]
) -> list[list[Estimate | None]]:
    count, players = len(order), seated.shape[1]
    shares, pairs, when = [], [], []
    for one in range(players):
        for other in range(players):
            met = seated[:, one] != seated[:, other]
            ahead = places[met, one] - places[met, other]
            shares.append(np.where(ahead < 0, 1.0, np.where(ahead > 0, 0.0, 0.5)))
            pairs.append(seated[met, one] * count + seated[met, other])
            when.append(deals[met])
    sums, numbers = ratings.by_deal(np.concatenate(shares), np.concatenate(pairs), np.concatenate(when), count * count)
    return [
        [
            None
            if one == other
            else ratings.share_of_deals(sums[:, one * count + other], numbers[:, one * count + other])
            for other in order
        ]
        for one in order
    ]
