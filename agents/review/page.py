"""The review as one HTML file: charts as inline SVG, the costliest steps, and all steps (`page.html.j2`).

The file has no script and names no other file or host.  Colours follow the reader's settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple

from agents.arena.pages import Scale, pages
from agents.review.review import Review, Seat

#: Size of a chart, and its margins left and below.
WIDTH, HEIGHT, LEFT, BOTTOM = 360, 150, 30, 16
#: Height of a bar of the sums.
BAR: Final = 20

_PAGES: Final = pages(Path(__file__).parent)


class Line(NamedTuple):
    """A line of a chart: CSS class and points of an SVG polyline."""

    kind: str
    points: str


class Bar(NamedTuple):
    """A bar of the sums: label, text, CSS class, left end, width, and top."""

    label: str
    text: str
    kind: str
    x: float
    width: float
    y: int


class Chart(NamedTuple):
    """The pictures of a seat: lines over the steps, grid as (label, y), marked steps as (number, x, y), and bars."""

    seat: Seat
    number: int
    lines: list[Line]
    grid: list[tuple[str, float]]
    marks: list[tuple[int, float, float]]
    bars: list[Bar]
    zero: float


def scale_of(values: Sequence[float], first: float, last: float) -> Scale:
    """Return the scale that shows all values and -1..1."""
    return Scale(min(-1.0, *values), max(1.0, *values), first, last)


def bars_of(seat: Seat) -> tuple[list[Bar], float]:
    """Return the waterfall from the start of a seat to its result, and the position of 0."""
    parts = [("skill", seat.skill), ("others", seat.others), ("chance", seat.chance)]
    levels = list(accumulate([seat.start, *(value for _, value in parts)]))
    scale = scale_of([0.0, *levels], 70.0, WIDTH - 54.0)
    ends = [("start", 0.0, seat.start), *((name, levels[i], levels[i + 1]) for i, (name, _) in enumerate(parts))]
    bars = []
    for i, (name, begin, end) in enumerate([*ends, ("result", 0.0, seat.result)]):
        left, right = sorted((scale(begin), scale(end)))
        kind = name if name in ("start", "result") else "gain" if end >= begin else "loss"
        bars.append(Bar(name, f"{end - begin:+.2f}", kind, left, round(max(right - left, 0.8), 1), i * BAR))
    return bars, scale(0.0)


def chart_of(review: Review, number: int) -> Chart:
    """Return the pictures of a seat: its value, and start plus all skill and start plus all luck so far."""
    seat, steps = review.seats[number], review.steps
    values = [seat.start, *(step.values[number] for step in steps)]
    skill = list(accumulate((step.skill if step.seat == number else 0.0 for step in steps), initial=seat.start))
    luck = list(accumulate((step.others[number] + step.chance[number] for step in steps), initial=seat.start))
    across = Scale(0, len(steps), LEFT, WIDTH - 6)
    down = scale_of([*values, *skill, *luck], HEIGHT - BOTTOM, 6)
    lines = [
        Line(kind, " ".join(f"{across(at)},{down(value)}" for at, value in enumerate(track)))
        for kind, track in (("luck", luck), ("skill", skill), ("value", values))
    ]
    marks = [
        (step.number, across(step.number), down(values[step.number]))
        for step in review.costliest()
        if step.seat == number
    ]
    bars, zero = bars_of(seat)
    return Chart(seat, number, lines, [(label, down(int(label))) for label in ("-1", "0", "+1")], marks, bars, zero)


def html(review: Review) -> str:
    """Return the page."""
    charts = [chart_of(review, number) for number in range(len(review.seats))]
    size = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "bar": BAR, "bars": 5 * BAR}
    return _PAGES.get_template("page.html.j2").render(review=review, charts=charts, costly=review.costliest(), **size)
