"""Tables of a tournament, in Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from agents.arena.ratings import ANCHOR, Estimate
from agents.arena.sections import Section

#: Fewer deals than this are too few for a good estimate of the variance between them.
FEW: Final = 30
#: The caution about figures from so few deals.
ROUGH: Final = f"Intervals from fewer than {FEW} deals are rough."


class Table(NamedTuple):
    """A head and rows of strings; all columns but the first `left` are numbers."""

    head: list[str]
    rows: list[list[str]]
    left: int = 1

    def __str__(self) -> str:
        return markdown(self.head, self.rows, self.left)


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a Markdown table that is readable as text; all columns but the first `left` are right-aligned."""
    rows = [[cell.replace("|", "\\|") for cell in line] for line in (head, *lines)]
    widths = [max(3, *map(len, column)) for column in zip(*rows, strict=True)]
    shown = [
        "| " + " | ".join(f"{cell:{'<' if i < left else '>'}{widths[i]}}" for i, cell in enumerate(row)) + " |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (w + 2) if i < left else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([shown[0], rule, *shown[1:]])


def share_text(share: Estimate) -> str:
    """Return a share with its interval, in percent."""
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%})"


def interval(estimate: Estimate | None, digits: int, factor: float = 1.0) -> str:
    """Return a value with its interval, multiplied by `factor`; "" for None."""
    if estimate is None:
        return ""
    value, low, high = (f"{factor * number:.{digits}f}" for number in estimate)
    return f"{value} [{low}, {high}]"


def standings_table(section: Section) -> Table:
    """Return the figures of all agents."""
    head = ["agent", "", "rating", "ahead of the next", "win %", "place", "score", "margin", "ms/step"]
    reviewed = any(one.lost is not None for one in section.standings)
    rows = [
        [
            one.agent, "=" if one.equal else "", interval(one.rating, 0), interval(one.ahead, 0),
            interval(one.win, 1, 100), interval(one.place, 2), interval(one.score, 1), interval(one.margin, 1),
            "-" if one.ms is None else f"{one.ms:.3g}",
            *([interval(one.lost, 2, 100)] if reviewed else ()),
        ]
        for one in section.standings
    ]  # fmt: skip
    return Table([*head, *(["lost/choice, %"] if reviewed else ())], rows, left=2)


def duels_table(section: Section) -> Table:
    """Return how often the agent of the row ranks before that of the column, in percent."""
    rows = [
        [
            str(number),
            standing.agent,
            *("-" if duel and not np.isfinite(duel.value) else interval(duel, 1, 100) for duel in duels),
        ]
        for number, (standing, duels) in enumerate(zip(section.standings, section.duels, strict=True), 1)
    ]
    # Names in the head would make the table wider than a terminal.
    return Table(["", "before, %", *(row[0] for row in rows)], rows, left=2)


def sources_table(section: Section) -> Table:
    """Return mean points by source."""
    rows = [[one.agent, *(f"{points:.1f}" for points in one.sources.values())] for one in section.standings]
    return Table(["points", *section.standings[0].sources], rows)


def counts(section: Section) -> str:
    """Return the numbers of games and deals, with cautions about the figures."""
    text = f"{section.games} games, {section.deals} deals. {section.anchor or 'The mean'} is {ANCHOR:.0f}."
    if section.deals < FEW:
        text += f" {ROUGH}"
    if section.left_out:
        text += f" {section.left_out} games of incomplete deals are left out."
    if section.bounded:
        text += (
            " An agent has always ranked before another one: this distance rests on the prior, one tied deal for each"
            " pair, and is a lower bound."
        )
    return text


def _csv(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([head, *lines])
    return buffer.getvalue()


def standings_csv(sections: Sequence[Section]) -> str:
    """Return the figures of all agents."""
    head = ["players", "agent", "equal_to_the_one_above", "seats", "rating_error", "ms_per_decision"]
    estimates = ("rating", "win", "place", "score", "margin")
    named = (*estimates, "ahead_of_the_next", "lost_a_choice")
    head += [f"{name}{end}" for name in named for end in ("", "_low", "_high")]
    names = list(sections[0].standings[0].sources) if sections else []
    lines = [
        [
            section.players, one.agent, int(one.equal), one.seats, one.error, "" if one.ms is None else one.ms,
            *(value for name in estimates for value in getattr(one, name)), *(one.ahead or ("", "", "")),
            *(one.lost or ("", "", "")), *(one.sources[name] for name in names),
        ]
        for section in sections
        for one in section.standings
    ]  # fmt: skip
    return _csv([*head, *(f"points_{name.replace(' ', '_')}" for name in names)], lines)


def duels_csv(sections: Sequence[Section]) -> str:
    """Return how often each agent ranks before each other one."""
    lines = [
        [section.players, row.agent, column.agent, *duel]
        for section in sections
        for row, duels in zip(section.standings, section.duels, strict=True)
        for column, duel in zip(section.standings, duels, strict=True)
        if duel is not None
    ]
    return _csv(["players", "agent", "other", "share", "share_low", "share_high"], lines)
