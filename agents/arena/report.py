"""What came of a tournament: tables, CSV files, plots, a page in Markdown and one in HTML (`templates/`).

For each number of players: ratings, win shares, places, scores, margins, times, and who beats whom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from agents.arena import plots, tables
from agents.arena.results import Results
from agents.arena.sections import Section, section
from agents.arena.tables import Table
from agents.files import write_whole

NOTES: Final = """\
Ranked by rating. A rating is that of the Plackett-Luce model on Elo's scale: 400 points more are odds of ten to one to
be placed before the other. {anchor} is 0 by definition, intervals are those of the difference from it; those of two
neighbours may overlap where the interval of their own difference, "ahead of the next", is clear. "=" stands behind an
agent whose rating cannot be told from that of the agent above: that interval contains 0. Ties count as all orders that
agree with them, each with the same weight.

Games of one deal have the same cards, in all rotations of the seats and in all lineups. At three seats and more a
lineup sits in another order around the table from deal to deal, in all of them equally often. The deal is the unit of
all intervals (95 %): sandwich errors clustered by deal for ratings, Wilson's interval with the effective number of
games for shares, what varies between deals for means; all with the quantiles of Student's t for the number of deals.
Win share: ties are split evenly. Place: 1 is best, ties share the mean.
Margin: own score less the best other one. Even play is a win share of 1 over the number of players. Agents with
several seats in a game count once for each; they are not compared with themselves."""


_PAGES: Final = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(["html.j2"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


class FieldSpec(NamedTuple):
    """A section of a page: tables with the names of the plots below them."""

    section: Section
    counts: str
    figures: list[tuple[Table, str]]


@dataclass(frozen=True)
class Report:
    """A report, written in several forms.

    Attributes:
        results: what it is about.
        sections: by number of players.
        anchor: the agent whose rating is 0.
        machines: what times were measured on.
    """

    results: Results
    sections: list[Section]
    anchor: str
    machines: list[str]

    def parts(self) -> list[FieldSpec]:
        """All sections with their tables, from top to bottom."""
        found = []
        for one in self.sections:
            figures = [
                (tables.standings_table(one), f"ratings_{one.players}.png"),
                (tables.duels_table(one), f"head_to_head_{one.players}.png"),
            ]
            if one.standings[0].sources:
                figures.append((tables.sources_table(one), f"sources_{one.players}.png"))
            found.append(FieldSpec(one, tables.counts(one), figures))
        return found

    def terminal(self) -> str:
        """The tables as text."""
        texts = []
        for part in self.parts():
            texts += [f"{part.section.players} players: {part.counts}", *(str(table) for table, _ in part.figures)]
        return "\n\n".join(texts) if texts else "No complete deals of all agents yet."

    def markdown(self) -> str:
        """The page in Markdown."""
        return _PAGES.get_template("report.md.j2").render(self._page())

    def html(self) -> str:
        """The page in HTML; its plots lie beside it."""
        return _PAGES.get_template("report.html.j2").render(self._page())

    def _page(self) -> dict[str, Any]:
        """What the templates are filled with."""
        header = self.results.header
        digests = ", ".join(f"{players} players {text}" for players, text in header.tables.items())
        return {
            "title": f"Tournament: {header.game}",
            "about": f"Agents: {', '.join(header.agents)}. Seed {header.seed}."
            + (f" {header.alone} has one seat of every table, one of the others the rest." if header.alone else ""),
            "parts": self.parts(),
            "notes": [
                *NOTES.format(anchor=self.anchor).split("\n\n"),
                "Time for a decision is the wall clock of one call of the agent, its first in a process left out; "
                f"compiled policies, too, are asked that way for it. Measured on: {'; '.join(self.machines) or '-'}.",
                f"SHA-256 of the tables: {digests}.",
            ],
        }

    def write(self, folder: Path) -> list[Path]:
        """Write everything into a folder; the paths of the files."""
        files: dict[str, str | bytes] = {}
        for one in self.sections:
            files[f"ratings_{one.players}.png"] = plots.ratings_plot(one)
            files[f"head_to_head_{one.players}.png"] = plots.duels_plot(one)
            if one.standings[0].sources:
                files[f"sources_{one.players}.png"] = plots.sources_plot(one)
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
    """The report of results; the anchor is by default ``random``, if it plays, else the first by name.

    Raises:
        ValueError: an anchor that does not play.
    """
    agents = results.header.agents
    anchor = anchor or ("random" if "random" in agents else agents[0])
    if anchor not in agents:
        raise ValueError(f"anchor must be one of {', '.join(agents)}, not {anchor!r}")
    found = [
        section(results.games, agents, players, anchor, results.header.sources, times)
        for players in results.header.players
    ]
    return Report(results, [one for one in found if one is not None], anchor, list(machines))
