"""Tables of a tournament: rows of texts, and their form in Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from agents.arena.ratings import Estimate
from agents.arena.sections import Section

#: With fewer deals than this, what varies between them is not known well enough.
FEW: Final = 30


class Table(NamedTuple):
    """A head and rows of texts; all columns but the first `left` are numbers."""

    head: list[str]
    rows: list[list[str]]
    left: int = 1

    def __str__(self) -> str:
        return markdown(self.head, self.rows, self.left)


def markdown(head: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """A Markdown table that can be read as it stands; all columns but the first `left` are set flush right."""
    rows = [[cell.replace("|", "\\|") for cell in line] for line in (head, *lines)]
    widths = [max(3, *(len(row[column]) for row in rows)) for column in range(len(head))]
    shown = [
        "| "
        + " | ".join(
            f"{cell:<{w}}" if i < left else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in rows
    ]
    rule = "|" + "|".join("-" * (w + 2) if i < left else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([shown[0], rule, *shown[1:]])


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}"


def _interval(estimate: Estimate, digits: int, factor: float = 1.0) -> str:
    value, low, high = (_number(factor * number, digits) for number in estimate)
    return f"{value} [{low}, {high}]"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def standings_table(one: Section) -> Table:
    """Everything about each agent."""
    head = ["agent", "", "rating", "ahead of the next", "win %", "place", "score", "margin", "ms/decision"]
    lines = [
        [
            standing.agent,
            "=" if standing.equal else "",
            _interval(standing.rating, 0),
            "" if standing.ahead is None else _interval(standing.ahead, 0),
            _interval(standing.win, 1, 100),
            _interval(standing.place, 2),
            _interval(standing.score, 1),
            _interval(standing.margin, 1),
            _ms(standing.ms),
        ]
        for standing in one.standings
    ]
    return Table(head, lines, left=2)


def duels_table(one: Section) -> Table:
    """How often the agent of the row was placed before that of the column, in percent."""
    names = [standing.agent for standing in one.standings]
    cells = [
        ["" if duel is None else _interval(duel, 1, 100) if np.isfinite(duel.value) else "-" for duel in row]
        for row in one.duels
    ]
    # Names as heads would make the table wider than a terminal.
    heads = ["", "before, %", *(str(number) for number in range(1, len(names) + 1))]
    lines = [[str(number), name, *row] for number, (name, row) in enumerate(zip(names, cells, strict=True), 1)]
    return Table(heads, lines, left=2)


def sources_table(one: Section) -> Table:
    """Mean points by source."""
    names = list(one.standings[0].sources)
    lines = [[one.agent, *(_number(one.sources[name], 1) for name in names)] for one in one.standings]
    return Table(["points", *names], lines)


def counts(one: Section) -> str:
    """How many games there are, and what that means for the figures."""
    text = f"{one.games} games, {one.deals} deals."
    if one.deals < FEW:
        text += f" Intervals from fewer than {FEW} deals are rough."
    if one.left_out:
        text += f" {one.left_out} games of incomplete deals are left out."
    if one.bounded:
        text += (
            " Somebody has always been before somebody else, so that the ratings have no finite maximum: every pair was"
            " given one tied deal in addition, and the ratings are a lower bound of the distances."
        )
    return text


def _csv(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    return buffer.getvalue()


def standings_csv(sections: Sequence[Section]) -> str:
    """Everything about each agent."""
    head = ["players", "agent", "equal_to_the_one_above", "seats", "rating_error", "ms_per_decision"]
    estimates = ("rating", "win", "place", "score", "margin")
    head += [f"{name}{end}" for name in estimates for end in ("", "_low", "_high")]
    head += ["ahead_of_the_next", "ahead_of_the_next_low", "ahead_of_the_next_high"]
    names = list(sections[0].standings[0].sources) if sections else []
    lines = [
        [
            one.players,
            standing.agent,
            int(standing.equal),
            standing.seats,
            standing.error,
            "" if standing.ms is None else standing.ms,
            *(value for name in estimates for value in getattr(standing, name)),
            *(standing.ahead or ("", "", "")),
            *(standing.sources[name] for name in names),
        ]
        for one in sections
        for standing in one.standings
    ]
    return _csv([*head, *(f"points_{name.replace(' ', '_')}" for name in names)], lines)


def duels_csv(sections: Sequence[Section]) -> str:
    """How often each agent was placed before each other one."""
    lines = [
        [one.players, row.agent, column.agent, *duel]
        for one in sections
        for row, duels in zip(one.standings, one.duels, strict=True)
        for column, duel in zip(one.standings, duels, strict=True)
        if duel is not None
    ]
    return _csv(["players", "agent", "other", "share", "share_low", "share_high"], lines)
