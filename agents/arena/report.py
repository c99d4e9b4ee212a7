"""The report of a tournament: tables, CSV files, a page in Markdown and one in HTML with charts (`templates/`).

For each number of players: ratings, win shares, ranks, scores, margins, times, and head-to-head results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from agents.arena import tables
from agents.arena.games import Pair, pairs
from agents.arena.matches import Match, Played
from agents.arena.pages import Scale, pages
from agents.arena.ratings import ANCHOR
from agents.arena.records import game_of
from agents.arena.results import Header, Results
from agents.arena.reviews import ReviewedGame
from agents.arena.sections import Section, section
from agents.arena.tables import Table
from agents.registry import rivals
from agents.web.page import links
from porta_nigra_env.core.files import write_whole

NOTES: Final = """\
Ranked by rating. Ratings are those of the Plackett-Luce model on Elo's scale: a difference of 400 points is odds of ten
to one to rank before the other agent. The prior is one tied deal for each pair of agents. {anchor} is 1500 by
definition. Intervals are those of the difference from it. The intervals of two neighbours may overlap although the
interval of their own difference, "ahead of the next", does not contain 0. "=" marks an agent whose rating cannot be
told from that of the agent above: that interval contains 0. A tie counts as all orders that agree with it, each with
the same weight.

Games of a deal have the same cards, in all rotations of the seats and in all line-ups. With three seats or more, the
order of a line-up around the table changes from deal to deal, and all orders are equally frequent. The deal is the unit
of all intervals (95 %). Those of ratings come from resampled deals (Bayesian bootstrap). Shares have Wilson's interval
with the effective number of games. Means use the variance between deals. All use the quantiles of Student's t for the
number of deals.

Win share: ties are split evenly. Place: 1 is best, ties share the mean. Margin: own score minus the best other one.
Even play is a win share of 1 over the number of players. An agent with several seats in a game counts once for each; it
is not compared with itself."""

#: Where `make play` serves the page.
PAGE: Final = "http://127.0.0.1:8000/"

_PAGES: Final = pages()
_PAGES.filters["interval"] = tables.interval


class Bar(NamedTuple):
    """A source of points in the bar of an agent: its number among all sources, mean points, and width in %."""

    source: int
    points: float
    width: float


class Part(NamedTuple):
    """A section of a page."""

    section: Section
    counts: str
    tables: list[Table]
    scale: Scale
    bars: list[list[Bar]]
    pairs: list[Pair]


@dataclass(frozen=True)
class Report:
    """A report, written in several forms.

    Attributes:
        results: of the tournament.
        sections: by number of players.
        anchor: the agent with the rating 1500; None for the mean of all agents.
        machines: machines of the measured times.
        reviews: of recorded games.
        link: returns the address of a recorded game, at a step or at its beginning; None if the page cannot open them.
    """

    results: Results
    sections: list[Section]
    anchor: str | None
    machines: list[str]
    reviews: Mapping[Match, ReviewedGame]
    link: Callable[[Played, int | None], str] | None

    def parts(self) -> list[Part]:
        """Return all sections with their tables, from top to bottom."""
        return [
            Part(
                one, tables.counts(one), _tables(one), _scale(one), _bars(one),
                pairs(one, self.results.games, self.reviews, self.link) if self.link else [],
            )
            for one in self.sections
        ]  # fmt: skip

    def terminal(self) -> str:
        """Return the tables as text."""
        texts = []
        for part in self.parts():
            texts += [f"{part.section.players} players: {part.counts}", *map(str, part.tables)]
        return "\n\n".join(texts) if texts else "No complete deals of all agents yet."

    def markdown(self) -> str:
        """Return the page in Markdown."""
        return _PAGES.get_template("report.md.j2").render(self._page())

    def html(self) -> str:
        """Return the page in HTML, which needs no other file."""
        return _PAGES.get_template("report.html.j2").render(self._page())

    def _page(self) -> dict[str, Any]:
        """Return the variables of the templates."""
        header = self.results.header
        digests = ", ".join(f"{players} players {text}" for players, text in header.tables.items())
        return {
            "title": f"Tournament: {header.game}",
            "about": f"Agents: {', '.join(header.agents)}. Seed {header.seed}."
            + (f" {header.alone} has one seat of every table, one of the others the rest." if header.alone else ""),
            "parts": self.parts(),
            "sources": header.sources,
            "notes": [
                *NOTES.format(anchor=self.anchor or "The mean of all agents").split("\n\n"),
                "Times are the wall clock of one call of the agent, without its first one in a process; compiled "
                f"policies, too, are called that way to time them. Measured on: {'; '.join(self.machines) or '-'}.",
                f"SHA-256 of the constants: {digests}.",
            ],
        }

    def write(self, folder: Path) -> list[Path]:
        """Write all files into a folder, and return their paths."""
        files = {
            "standings.csv": tables.standings_csv(self.sections),
            "head_to_head.csv": tables.duels_csv(self.sections),
            "report.md": self.markdown(),
            "report.html": self.html(),
        }
        for name, data in files.items():
            write_whole(folder / name, data)
        return [folder / name for name in files]


def _tables(one: Section) -> list[Table]:
    sources = [tables.sources_table(one)] if one.standings[0].sources else []
    return [tables.standings_table(one), tables.duels_table(one), *sources]


def _scale(one: Section) -> Scale:
    """Return the scale of the ratings' intervals: points to 0..100 %."""
    ends = [ANCHOR, *(end for standing in one.standings for end in standing.rating)]
    return Scale(min(ends) - 1, max(ends) + 1, 3, 97)


def _bars(one: Section) -> list[list[Bar]]:
    """Return the mean points by source of each agent; the widest row has 100 %."""
    points = [list(standing.sources.values()) for standing in one.standings]
    widest = max((sum(map(abs, row)) for row in points), default=0.0) or 1.0
    return [
        [Bar(number, value, round(100 * abs(value) / widest, 1)) for number, value in enumerate(row)] for row in points
    ]


def opener(header: Header, page: str = PAGE, components: str = "standard") -> Callable[[Played, int | None], str]:
    """Return a function for the addresses of recorded games on the page at `page`.

    Raises:
        RecordError: the games are of another version, or have other components (a ValueError).
    """
    games = {players: game_of(header, players, components) for players in header.players}

    def link_of(played: Played, at: int | None) -> str:
        return page + links.link(games[len(played.scores)], played.seed, played.actions, at=at)

    return link_of


def report(
    results: Results,
    anchor: str | None = None,
    times: Mapping[tuple[int, str], float] | None = None,
    machines: Sequence[str] = (),
    reviews: Mapping[Match, ReviewedGame] | None = None,
    link: Callable[[Played, int | None], str] | None = None,
) -> Report:
    """Return the report of results; the default anchor is the strongest of the game's `rivals` that plays, if any.

    See `Report` for the arguments.

    Raises:
        ValueError: an anchor that does not play.
    """
    agents = results.header.agents
    if anchor is None:
        known = rivals(results.header.name)
        anchor = next((agent for agent in reversed(known) if agent in agents), None)
    elif anchor not in agents:
        raise ValueError(f"anchor must be one of {', '.join(agents)}, not {anchor!r}")
    sections = [
        section(results.games, agents, players, anchor, results.header.sources, times, (reviews or {}).values())
        for players in results.header.players
    ]
    return Report(results, [one for one in sections if one is not None], anchor, list(machines), reviews or {}, link)
