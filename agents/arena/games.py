"""The recorded games of a tournament's report: which pairs of agents met in them, and where the page opens them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from agents.arena.matches import Match, Played
from agents.arena.reviews import Loss, ReviewedGame
from agents.arena.sections import Section

#: Games listed for a pair of agents, at most.
LISTED: Final = 20


class Listed(NamedTuple):
    """A game in the list of a pair: its link, the costliest step of the pair, and that step's agent."""

    played: Played
    link: str
    loss: Loss | None
    loser: str


class Pair(NamedTuple):
    """The games of two agents, given by their numbers in the standings, from 1 on."""

    first: int
    second: int
    games: list[Listed]
    met: int


def pairs(
    section: Section,
    games: Iterable[Played],
    reviews: Mapping[Match, ReviewedGame],
    link: Callable[[Played, int | None], str],
) -> list[Pair]:
    """Return the pairs of a section that met in recorded games, each with its games of the largest losses first.

    link: returns the address of a game, at a step or at its beginning.
    """
    own = [game for game in games if game.actions and len(game.scores) == section.players]
    found = []
    for (i, one), (j, other) in itertools.combinations(enumerate(section.standings, 1), 2):
        names = one.agent, other.agent
        met = [(game, *worst(reviews.get(game.match), names)) for game in own if set(names) <= set(game.match.agents)]
        met.sort(key=lambda entry: (entry[1].skill if entry[1] else 0.0, entry[0].match.deal, entry[0].match.agents))
        listed = [
            # The page shows the position before the step.
            Listed(game, link(game, loss.step - 1 if loss else None), loss, loser)
            for game, loss, loser in met[:LISTED]
        ]
        if met:
            found.append(Pair(i, j, listed, len(met)))
    return found


def worst(review: ReviewedGame | None, agents: tuple[str, ...]) -> tuple[Loss | None, str]:
    """Return the costliest step that one of the agents made in a reviewed game, and the agent."""
    if review is None:
        return None, ""
    own = [(loss, name) for loss, name in zip(review.losses, review.agents, strict=True) if loss and name in agents]
    return min(own, key=lambda entry: entry[0].skill, default=(None, ""))
