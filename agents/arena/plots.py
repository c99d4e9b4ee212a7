"""Plots of a tournament, as PNG files."""

from __future__ import annotations

import io
import re
from typing import Final

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from agents.arena.sections import Section

matplotlib.use("Agg")

#: Colours of the sources, told apart by people who do not see all colours (M. Okabe, K. Ito, 2008).
COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
#: Those on which white is read better than black.
DARK: Final = ("#0072B2", "#009E73", "#D55E00")


def png(figure: Figure) -> bytes:
    """A figure as a PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120, bbox_inches="tight")
    return buffer.getvalue()


def _wrapped(name: str, length: int = 28) -> str:
    """A name in lines of about `length` characters, broken behind a colon or a comma."""
    lines = [""]
    for part in re.findall(r"[^:,]*[:,]?", name):
        if lines[-1] and len(lines[-1] + part) > length:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def ratings_plot(one: Section) -> bytes:
    """Ratings with their intervals, the best on top; a PNG."""
    figure = Figure(figsize=(7.5, 1.3 + 0.5 * len(one.standings)))
    axes = figure.subplots()
    rows = np.arange(len(one.standings))
    values = np.array([standing.rating for standing in one.standings])
    axes.errorbar(
        values[:, 0],
        rows,
        xerr=np.abs(values[:, 1:] - values[:, :1]).T,
        fmt="o",
        color=COLOURS[0],
        ecolor=COLOURS[0],
        capsize=4,
        markersize=6,
    )
    for row, value in enumerate(values[:, 0].tolist()):
        axes.annotate(f"{value:.0f}", (value, row), xytext=(0, 7), textcoords="offset points", ha="center", fontsize=9)
    axes.set_yticks(rows, [_wrapped(standing.agent) for standing in one.standings])
    axes.set_ylim(len(rows) - 0.5, -0.7)
    axes.margins(x=0.08)
    axes.axvline(0, color="0.6", linewidth=0.8, zorder=0)
    axes.grid(axis="x", color="0.9", zorder=0)
    axes.set_axisbelow(True)
    axes.set_xlabel("rating (points of Elo's scale, 95 % intervals)")
    axes.set_title(f"Ratings, {one.players} players")
    return png(figure)


def duels_plot(one: Section) -> bytes:
    """Who is before whom, as a heat map; a PNG."""
    names = [f"{_wrapped(standing.agent)}  {number}" for number, standing in enumerate(one.standings, 1)]
    count = len(names)
    shares = np.array([[np.nan if duel is None else 100 * duel.value for duel in row] for row in one.duels])
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
    axes.set_title(f"Row placed before column, %, {one.players} players")
    figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
    return png(figure)


def sources_plot(one: Section) -> bytes:
    """Mean points by source, one bar an agent; a PNG."""
    figure = Figure(figsize=(8.5, 1.7 + 0.5 * len(one.standings)))
    axes = figure.subplots()
    rows = np.arange(len(one.standings))
    positive, negative = np.zeros(len(rows)), np.zeros(len(rows))
    widest = max(sum(abs(points) for points in standing.sources.values()) for standing in one.standings)
    for place, name in enumerate(one.standings[0].sources):
        points = np.array([standing.sources[name] for standing in one.standings])
        starts = np.where(points >= 0, positive, negative)
        colour = COLOURS[place % len(COLOURS)]
        axes.barh(rows, points, left=starts, color=colour, edgecolor="white", label=name, height=0.7)
        positive, negative = positive + np.maximum(points, 0), negative + np.minimum(points, 0)
        for row in range(len(points)):
            # Numbers stand where there is room for them.
            if abs(points[row]) > 0.04 * widest:
                middle, shade = float(starts[row] + points[row] / 2), "white" if colour in DARK else "black"
                axes.text(middle, row, f"{points[row]:.1f}", ha="center", va="center", fontsize=8, color=shade)
    axes.set_yticks(rows, [_wrapped(standing.agent) for standing in one.standings])
    axes.invert_yaxis()
    axes.set_xlabel("mean points at the end, by source")
    axes.set_title(f"Where points come from, {one.players} players")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return png(figure)
