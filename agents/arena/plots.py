"""Plots of a tournament, as PNG files."""

from __future__ import annotations

import io
import re
from typing import Final

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agents.arena.ratings import ANCHOR
from agents.arena.sections import Section

matplotlib.use("Agg")

#: Colours that people with colour blindness can tell apart (M. Okabe, K. Ito, 2008).
COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
#: Those with white labels.
DARK: Final = ("#0072B2", "#009E73", "#D55E00")


def png(figure: Figure) -> bytes:
    """Return a figure as a PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120, bbox_inches="tight")
    return buffer.getvalue()


def _wrap(name: str, length: int = 28) -> str:
    """Break a name into lines of about `length` characters, after colons or commas."""
    lines = [""]
    for part in re.findall(r"[^:,]*[:,]?", name):
        if lines[-1] and len(lines[-1] + part) > length:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _agents_axes(section: Section, width: float, height: float, title: str, label: str) -> tuple[Figure, Axes]:
    """Return axes with a row for each agent, the best on top."""
    figure = Figure(figsize=(width, height + 0.5 * len(section.standings)))
    axes = figure.subplots()
    axes.set_yticks(range(len(section.standings)), [_wrap(standing.agent) for standing in section.standings])
    axes.set_ylim(len(section.standings) - 0.5, -0.7)
    axes.set_xlabel(label)
    axes.set_title(f"{title}, {section.players} players")
    return figure, axes


def ratings_plot(section: Section) -> bytes:
    """Return the ratings with their intervals, the best on top."""
    figure, axes = _agents_axes(section, 7.5, 1.3, "Ratings", "rating (points of Elo's scale, 95 % intervals)")
    ratings = [standing.rating for standing in section.standings]
    errors = [[one.value - one.low for one in ratings], [one.high - one.value for one in ratings]]
    axes.errorbar(
        [rating.value for rating in ratings], range(len(ratings)), xerr=errors, fmt="o", capsize=4,
        color=COLOURS[0], ecolor=COLOURS[0], markersize=6,
    )  # fmt: skip
    for row, (value, _, _) in enumerate(ratings):
        axes.annotate(f"{value:.0f}", (value, row), xytext=(0, 7), textcoords="offset points", ha="center", fontsize=9)
    axes.margins(x=0.08)
    axes.axvline(ANCHOR, color="0.6", linewidth=0.8, zorder=0)
    axes.grid(axis="x", color="0.9", zorder=0)
    axes.set_axisbelow(True)
    return png(figure)


def duels_plot(section: Section) -> bytes:
    """Return the head-to-head results as a heat map."""
    names = [f"{_wrap(standing.agent)}  {number}" for number, standing in enumerate(section.standings, 1)]
    count = len(names)
    shares = np.array([[np.nan if duel is None else 100 * duel.value for duel in row] for row in section.duels])
    figure = Figure(figsize=(3.0 + 0.8 * count, 1.2 + 0.6 * count))
    axes = figure.subplots()
    colours = matplotlib.colormaps["RdBu"].with_extremes(bad="0.85")
    image = axes.imshow(np.ma.masked_invalid(shares), cmap=colours, vmin=0, vmax=100, aspect="auto")
    for row, column in np.argwhere(np.isfinite(shares)).tolist():
        value = float(shares[row, column])
        colour = "white" if abs(value - 50) > 30 else "black"
        axes.text(column, row, f"{value:.1f}", ha="center", va="center", color=colour, fontsize=10)
    axes.set_xticks(range(count), [str(number) for number in range(1, count + 1)])
    axes.set_yticks(range(count), names)
    axes.set_title(f"Row placed before column, %, {section.players} players")
    figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
    return png(figure)


def sources_plot(section: Section) -> bytes:
    """Return mean points by source, one bar an agent."""
    figure, axes = _agents_axes(section, 8.5, 1.7, "Where points come from", "mean points at the end, by source")
    rows = np.arange(len(section.standings))
    positive, negative = np.zeros(len(rows)), np.zeros(len(rows))
    widest = max(sum(abs(points) for points in standing.sources.values()) for standing in section.standings)
    for index, name in enumerate(section.standings[0].sources):
        points = np.array([standing.sources[name] for standing in section.standings])
        starts = np.where(points >= 0, positive, negative)
        colour = COLOURS[index % len(COLOURS)]
        axes.barh(rows, points, left=starts, color=colour, edgecolor="white", label=name, height=0.7)
        positive, negative = positive + np.maximum(points, 0), negative + np.minimum(points, 0)
        # Narrow bars have no space for a number.
        for row in np.flatnonzero(np.abs(points) > 0.04 * widest).tolist():
            middle, shade = float(starts[row] + points[row] / 2), "white" if colour in DARK else "black"
            axes.text(middle, row, f"{points[row]:.1f}", ha="center", va="center", fontsize=8, color=shade)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return png(figure)
