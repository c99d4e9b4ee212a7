"""What came of a tournament: tables, CSV files, plots, a page in Markdown and one in HTML.

For each number of players: ratings, win shares, places, scores, margins, times, and who beats whom.  Games count in
whole deals only, all rotations of a lineup together.
"""

from __future__ import annotations

import csv
import html
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from agents.arena import ratings
from agents.arena.matches import Played, rotations
from agents.arena.ratings import ELO, Estimate
from agents.arena.results import Results
from agents.files import write_whole

matplotlib.use("Agg")

#: Colours of the sources, told apart by people who do not see all colours (M. Okabe, K. Ito, 2008).
COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
#: Those on which white is read better than black.
DARK: Final = ("#0072B2", "#009E73", "#D55E00")

#: With fewer deals than this, what varies between them is not known well enough.
FEW: Final = 30

NOTES: Final = """\
Ranked by rating. A rating is that of the Plackett-Luce model on Elo's scale: 400 points more are odds of ten to one to
be placed before the other. {anchor} is 0 by definition, intervals are those of the difference from it; those of two
neighbours may overlap where the interval of their own difference, "ahead of the next", is clear. "=" stands behind an
agent whose rating cannot be told from that of the agent above: that interval contains 0. Ties count as all orders that
agree with them, each with the same weight.

Games of one deal have the same cards, in all rotations of the seats and in all lineups; the deal is the unit of all
intervals (95 %): sandwich errors clustered by deal for ratings, Wilson's interval with the effective number of games
for shares, a bootstrap over deals for means. Win share: ties are split evenly. Place: 1 is best, ties share the mean.
Margin: own score less the best other one. Even play is a win share of 1 over the number of players. Agents with
several seats in a game count once for each; they are not compared with themselves."""


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
        bounded: whether ratings needed a tie for each pair in addition (`ratings.Strengths`).
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
    there = Counter((game.match.deal, *sorted(game.match.agents)) for game in games)
    return [
        game
        for game in games
        if there[game.match.deal, *sorted(game.match.agents)] == len(rotations(game.match.agents))
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
    deals = np.array([game.match.deal for game in whole])
    places = ratings.ranks(scores)
    strengths = ratings.plackett_luce(seated, places, deals, count, number[anchor])

    of_seat, deal_of_seat = seated.reshape(-1), np.repeat(deals, players)

    def sums(values: npt.ArrayLike) -> tuple[ratings.Floats, ratings.Floats]:
        return ratings.by_deal(np.asarray(values).reshape(-1), of_seat, deal_of_seat, count)

    wins, seats = sums(ratings.win_shares(scores))
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


# -- texts


def table(head: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
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


def standings_table(one: Section) -> str:
    """Everything about each agent, as a Markdown table."""
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
    return table(head, lines, left=2)


def duels_table(one: Section) -> str:
    """How often the agent of the row was placed before that of the column, in percent, as a Markdown table."""
    names = [standing.agent for standing in one.standings]
    cells = [
        ["" if duel is None else _interval(duel, 1, 100) if np.isfinite(duel.value) else "-" for duel in row]
        for row in one.duels
    ]
    # Names as heads would make the table wider than a terminal.
    heads = ["", "before, %", *(str(number) for number in range(1, len(names) + 1))]
    lines = [[str(number), name, *row] for number, (name, row) in enumerate(zip(names, cells, strict=True), 1)]
    return table(heads, lines, left=2)


def sources_table(one: Section) -> str:
    """Mean points by source, as a Markdown table."""
    names = list(one.standings[0].sources)
    lines = [[one.agent, *(_number(one.sources[name], 1) for name in names)] for one in one.standings]
    return table(["points", *names], lines)


def _counts(one: Section) -> str:
    text = f"{one.games} games, {one.deals} deals."
    if one.deals < FEW:
        text += f" Intervals from fewer than {FEW} deals are too narrow."
    if one.left_out:
        text += f" {one.left_out} games of incomplete deals are left out."
    if one.bounded:
        text += (
            " Somebody has always been before somebody else, so that the ratings have no finite maximum: every pair was"
            " given one tie in addition, and the ratings are a lower bound of the distances."
        )
    return text


# -- plots


def png(figure: Figure) -> bytes:
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


# -- files


def _csv(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    return buffer.getvalue()


def _standings_csv(sections: Sequence[Section]) -> str:
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


def _duels_csv(sections: Sequence[Section]) -> str:
    lines = [
        [one.players, row.agent, column.agent, *duel]
        for one in sections
        for row, duels in zip(one.standings, one.duels, strict=True)
        for column, duel in zip(one.standings, duels, strict=True)
        if duel is not None
    ]
    return _csv(["players", "agent", "other", "share", "share_low", "share_high"], lines)


def _html_table(text: str) -> str:
    """A Markdown table of `table` as HTML."""
    rows = [
        [cell.strip().replace("\\|", "|") for cell in line[2:-2].split(" | ")]
        for i, line in enumerate(text.splitlines())
        if i != 1
    ]
    shown = []
    for i, row in enumerate(rows):
        tag = "th" if i == 0 else "td"
        shown.append("<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>")
    return "<table>\n" + "\n".join(shown) + "\n</table>"


_STYLE: Final = """\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto; }
th, td { padding: 0.25em 0.8em; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; display: block; margin: 1em 0; }"""


@dataclass(frozen=True)
class Report:
    """A report: pieces that are written in several forms.

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

    def _pieces(self) -> list[tuple[str, str]]:
        """Kinds (title, heading, table, image, text) and texts, from top to bottom."""
        header = self.results.header
        pieces = [
            ("title", f"Tournament: {header['game']}"),
            ("text", f"Agents: {', '.join(header['agents'])}. Seed {header['seed']}."),
        ]
        for one in self.sections:
            pieces += [
                ("heading", f"{one.players} players"),
                ("text", _counts(one)),
                ("table", standings_table(one)),
                ("image", f"ratings_{one.players}.png"),
                ("table", duels_table(one)),
                ("image", f"head_to_head_{one.players}.png"),
            ]
            if one.standings[0].sources:
                pieces += [("table", sources_table(one)), ("image", f"sources_{one.players}.png")]
        pieces.append(("heading", "How to read this"))
        pieces += [("text", part) for part in NOTES.format(anchor=self.anchor).split("\n\n")]
        pieces.append(
            (
                "text",
                "Time for a decision is the wall clock of one call of the agent, its first in a process left out; "
                f"compiled policies, too, are asked that way for it. Measured on: {'; '.join(self.machines) or '-'}.",
            )
        )
        digests = ", ".join(f"{players} players {text}" for players, text in header["tables"].items())
        pieces.append(("text", f"SHA-256 of the tables: {digests}."))
        return pieces

    def terminal(self) -> str:
        """The tables as text."""
        parts = []
        for one in self.sections:
            parts += [f"{one.players} players: {_counts(one)}", standings_table(one), duels_table(one)]
            if one.standings[0].sources:
                parts.append(sources_table(one))
        return "\n\n".join(parts) if parts else "No complete deals of all agents yet."

    def markdown(self) -> str:
        """The page in Markdown."""
        forms = {"title": "# {}", "heading": "## {}", "image": "![{0}]({0})", "table": "{}", "text": "{}"}
        return "\n\n".join(forms[kind].format(text) for kind, text in self._pieces()) + "\n"

    def html(self) -> str:
        """The page in HTML; its plots lie beside it."""
        forms = {"title": "<h1>{}</h1>", "heading": "<h2>{}</h2>", "text": "<p>{}</p>"}
        body = []
        for kind, text in self._pieces():
            if kind == "table":
                body.append(_html_table(text))
            elif kind == "image":
                body.append(f'<img src="{text}" alt="{text}">')
            else:
                body.append(forms[kind].format(html.escape(text)))
        title = html.escape(self._pieces()[0][1])
        return (
            f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f"<style>\n{_STYLE}\n</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
        )

    def write(self, folder: Path) -> list[Path]:
        """Write everything into a folder; the paths of the files."""
        files: dict[str, str | bytes] = {}
        for one in self.sections:
            files[f"ratings_{one.players}.png"] = ratings_plot(one)
            files[f"head_to_head_{one.players}.png"] = duels_plot(one)
            if one.standings[0].sources:
                files[f"sources_{one.players}.png"] = sources_plot(one)
        files["standings.csv"] = _standings_csv(self.sections)
        files["head_to_head.csv"] = _duels_csv(self.sections)
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
    agents = results.header["agents"]
    anchor = anchor or ("random" if "random" in agents else agents[0])
    if anchor not in agents:
        raise ValueError(f"anchor must be one of {', '.join(agents)}, not {anchor!r}")
    found = [
        section(results.games, agents, players, anchor, results.header["sources"], times)
        for players in results.header["players"]
    ]
    return Report(results, [one for one in found if one is not None], anchor, list(machines))
