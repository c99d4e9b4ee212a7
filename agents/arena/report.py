"""The report of a tournament: tables, CSV files, plots, a page in Markdown and one in HTML (`templates/`).

For each number of players: ratings, win shares, ranks, scores, margins, times, and head-to-head results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from agents.arena import plots, tables
from agents.arena.results import Results
from agents.arena.sections import Section, section
from agents.arena.tables import Table
from agents.registry import rivals
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

_PAGES: Final = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(["html.j2"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
#: Tables with their plots, and the beginning of the plot's file name.
_FIGURES: Final[Sequence[tuple[str, Callable[[Section], Table], Callable[[Section], bytes]]]] = (
    ("ratings", tables.standings_table, plots.ratings_plot),
    ("head_to_head", tables.duels_table, plots.duels_plot),
    ("sources", tables.sources_table, plots.sources_plot),
)


class Part(NamedTuple):
    """A section of a page: tables with the names of the plots below them."""

    section: Section
    counts: str
    figures: list[tuple[Table, str]]


@dataclass(frozen=True)
class Report:
    """A report, written in several forms.

    Attributes:
        results: of the tournament.
        sections: by number of players.
        anchor: the agent with the rating 1500; None for the mean of all agents.
        machines: machines of the measured times.
    """

    results: Results
    sections: list[Section]
    anchor: str | None
    machines: list[str]

    def parts(self) -> list[Part]:
        """Return all sections with their tables, from top to bottom."""
        return [
            Part(
                one,
                tables.counts(one),
                [(table(one), f"{name}_{one.players}.png") for name, table, _ in self._figures(one)],
            )
            for one in self.sections
        ]

    @staticmethod
    def _figures(one: Section) -> Sequence[tuple[str, Callable[[Section], Table], Callable[[Section], bytes]]]:
        return _FIGURES if one.standings[0].sources else _FIGURES[:2]

    def terminal(self) -> str:
        """Return the tables as text."""
        texts = []
        for part in self.parts():
            texts += [f"{part.section.players} players: {part.counts}", *(str(table) for table, _ in part.figures)]
        return "\n\n".join(texts) if texts else "No complete deals of all agents yet."

    def markdown(self) -> str:
        """Return the page in Markdown."""
        return _PAGES.get_template("report.md.j2").render(self._page())

    def html(self) -> str:
        """Return the page in HTML, which needs its plots in the same folder."""
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
            "notes": [
                *NOTES.format(anchor=self.anchor or "The mean of all agents").split("\n\n"),
                "Times are the wall clock of one call of the agent, without its first one in a process; compiled "
                f"policies, too, are called that way to time them. Measured on: {'; '.join(self.machines) or '-'}.",
                f"SHA-256 of the constants: {digests}.",
            ],
        }

    def write(self, folder: Path) -> list[Path]:
        """Write all files into a folder, and return their paths."""
        files: dict[str, str | bytes] = {
            f"{name}_{one.players}.png": plot(one) for one in self.sections for name, _, plot in self._figures(one)
        }
        files["standings.csv"] = tables.standings_csv(self.sections)
        files["head_to_head.csv"] = tables.duels_csv(self.sections)
        files["report.md"] = self.markdown()
        files["report.html"] = self.html()
        for name, data in files.items():
            write_whole(folder / name, data)
        return [folder / name for name in files]


def report(
    results: Results,
    anchor: str | None = None,
    times: Mapping[tuple[int, str], float] | None = None,
    machines: Sequence[str] = (),
) -> Report:
    """Return the report of results; the default anchor is the strongest of the game's `rivals` that plays, if any.

    Raises:
        ValueError: an anchor that does not play.
    """
    agents = results.header.agents
    if anchor is None:
        known = rivals(results.header.game.rpartition("_v")[0])
        anchor = next((agent for agent in reversed(known) if agent in agents), None)
    elif anchor not in agents:
        raise ValueError(f"anchor must be one of {', '.join(agents)}, not {anchor!r}")
    sections = [
        section(results.games, agents, players, anchor, results.header.sources, times)
        for players in results.header.players
    ]
    return Report(results, [one for one in sections if one is not None], anchor, list(machines))
