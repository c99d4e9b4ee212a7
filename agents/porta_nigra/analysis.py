"""What the game is like: ``python -m agents.porta_nigra.analysis AGENT ... --out FOLDER``.

Agents play among themselves, every seat the same one, and what happens is counted: who wins from which seat, where
points come from, which honour cards and buildings are taken, how games end, how long they are and how much there is to
choose from.  With ``--search`` it also measures how a search grows stronger with simulations, and what it would gain
from seeing the hidden cards.  Writes ``game_analysis.md`` with tables and plots into the folder, anew after each part;
games of searches are kept there, so that the same command goes on with them.
"""

from __future__ import annotations

import argparse
import itertools
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.agent import Agent
from agents.arena import ratings
from agents.arena.matches import Room, Setup
from agents.arena.ratings import Estimate
from agents.arena.report import png, section, table
from agents.files import write_whole
from agents.porta_nigra.games import SOURCES, game_of, points_by_source
from agents.registry import make
from agents.tournament import attempt, refusing, run
from porta_nigra_env.core.game import check_seed
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS
from porta_nigra_env.games.porta_nigra.game import PortaNigra

#: Games that are played at the same time.
TOGETHER: Final = 256


@dataclass
class Course:
    """What happened in games of one agent with itself.

    Attributes:
        starters: int64 (games,), who began.
        scores: int32 (games, players).
        sources: int32 (games, players, len(SOURCES)).
        early: bool (games,), whether the early end was triggered.
        rounds, lengths: int64 (games,), the last round, and decisions.
        choices: int64 (decisions, 2), phase and number of legal actions of every decision.
        honours: int64 (kinds,), honour cards bought, by kind.
        built: int64 (len(BUILDINGS),), elements built, by building.
        influence_built: how many of them by influence.
    """

    starters: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int32]
    sources: npt.NDArray[np.int32]
    early: npt.NDArray[np.bool_]
    rounds: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    choices: npt.NDArray[np.int64]
    honours: npt.NDArray[np.int64]
    built: npt.NDArray[np.int64]
    influence_built: int


def watch(game: PortaNigra, agent: Agent, games: int, seed: int) -> Course:
    """Play games of one agent on all seats and count."""
    env = BatchEnv(game, games, autoreset_mode="disabled", observations="none")
    env.reset(seed=seed)
    starters = env.states["starting_player"].astype(np.int64)
    counts = np.zeros(game.actions.size, dtype=np.int64)
    choices = []
    while (asked := env.current_player >= 0).any():
        phases = env.states["phase"][asked].astype(np.int64)
        choices.append(np.stack([phases, env.action_masks[asked].sum(axis=1, dtype=np.int64)], axis=1))
        actions = np.zeros(games, dtype=np.int64)
        actions[asked] = agent.act_batch(env.views())
        counts += np.bincount(actions[asked], minlength=game.actions.size)
        env.step(actions)
    spots = [BUILDINGS.index(text.split()[1]) for text in game.action_texts[_spans(game, "build")]]
    built = np.zeros(len(BUILDINGS), dtype=np.int64)
    influence = 0
    for fixed, high in (("build", "build_porta_nigra"), ("influence_build", "influence_build_porta_nigra")):
        np.add.at(built, spots, counts[_spans(game, fixed)])
        built[-1] += counts[_spans(game, high)].sum()
        if fixed.startswith("influence"):
            influence = int(counts[_spans(game, fixed)].sum() + counts[_spans(game, high)].sum())
    return Course(
        starters,
        env.final_scores.copy(),
        points_by_source(game, env.states),
        env.states["early_player"] >= 0,
        env.states["round"].astype(np.int64),
        env.last_lengths.astype(np.int64),
        np.concatenate(choices),
        counts[_spans(game, "honour")],
        built,
        influence,
    )


def _spans(game: PortaNigra, name: str) -> slice:
    return game.actions[name].slice


def together(courses: Sequence[Course]) -> Course:
    """Several courses as one."""
    names = ("starters", "scores", "sources", "early", "rounds", "lengths", "choices")
    joined: dict[str, Any] = {name: np.concatenate([getattr(one, name) for one in courses]) for name in names}
    return Course(
        **joined,
        honours=np.sum([one.honours for one in courses], axis=0),
        built=np.sum([one.built for one in courses], axis=0),
        influence_built=sum(one.influence_built for one in courses),
    )


def starter_share(course: Course) -> Estimate:
    """How often the starting player of the first round wins, ties split evenly."""
    shares = ratings.win_shares(course.scores)[np.arange(len(course.starters)), course.starters]
    return ratings.wilson(float(shares.mean()), len(shares))


def _share(one: Estimate) -> str:
    return f"{one.value:.1%} ({one.low:.1%} to {one.high:.1%})"


def course_tables(courses: dict[tuple[int, str], Course], game: PortaNigra) -> list[str]:
    """Sections of what was counted, in Markdown; `sources_plot` belongs to the second."""
    rows = [
        [
            str(players),
            f"`{name}`",
            str(len(one.starters)),
            _share(starter_share(one)),
            f"{one.scores.mean():.0f}",
            f"{one.scores.max(axis=1).mean():.0f}",
            f"{one.lengths.mean():.0f}",
            f"{one.early.mean():.1%}",
            f"{one.rounds.mean():.2f}",
        ]
        for (players, name), one in courses.items()
    ]
    head = ["players", "agent", "games", "first player wins", "mean score", "winner's score", "decisions", "early ends"]
    tables = ["## Games\n\n" + table([*head, "last round"], rows, left=2)]

    rows = [
        [str(players), f"`{name}`", *(f"{points:.1f}" for points in one.sources.mean(axis=(0, 1)))]
        for (players, name), one in courses.items()
    ]
    tables.append(
        "## Points by source, a player\n\n"
        + table(["players", "agent", *SOURCES], rows, left=2)
        + "\n\n![Points by source](game_sources.png)"
    )

    rows = []
    for (players, name), one in courses.items():
        seats = one.scores.size
        rows.append([str(players), f"`{name}`", *(f"{count / seats:.2f}" for count in one.built)])
        rows[-1] += [f"{one.influence_built / max(one.built.sum(), 1):.0%}", f"{one.honours.sum() / seats:.2f}"]
    head = ["players", "agent", *(name.replace("_", " ") for name in BUILDINGS), "of them by influence", "honour cards"]
    tables.append("## Elements built and honour cards bought, a player\n\n" + table(head, rows, left=2))

    kinds = game.components.honour_names
    rows = [
        [f"`{kind}`", *(f"{one.honours[i] / len(one.starters):.2f}" for one in courses.values())]
        for i, kind in enumerate(kinds)
    ]
    head = ["honour card", *(f"{players}: `{name}`" for players, name in courses)]
    tables.append("## Honour cards bought, a game\n\n" + table(head, rows))

    rows = []
    for (players, name), one in courses.items():
        by_phase = [one.choices[one.choices[:, 0] == phase, 1] for phase in range(len(game.phases) - 1)]
        cells = [f"{found.mean():.1f}" if len(found) else "-" for found in by_phase]
        rows.append(
            [str(players), f"`{name}`", f"{one.choices[:, 1].mean():.1f}", str(one.choices[:, 1].max()), *cells]
        )
    head = ["players", "agent", "mean", "most", *(phase.replace("_", " ") for phase in game.phases[:-1])]
    tables.append("## Legal actions of a decision, by phase\n\n" + table(head, rows, left=2))
    return tables


def sources_plot(courses: dict[tuple[int, str], Course]) -> bytes:
    """Mean points by source as stacked bars."""
    figure = Figure(figsize=(9, 0.5 * len(courses) + 1.6), layout="constrained")
    axes = figure.subplots()
    names = [f"{name}, {players} players" for players, name in courses]
    left = np.zeros(len(courses))
    for column, source in enumerate(SOURCES):
        widths = np.array([one.sources[:, :, column].mean() for one in courses.values()])
        axes.barh(names, widths, left=left, label=source)
        left += widths
    axes.invert_yaxis()
    axes.set_xlabel("mean points of a player")
    axes.legend(ncols=len(SOURCES), loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)
    return png(figure)


def budgeted(text: str, simulations: int) -> str:
    """A search with so many simulations."""
    return f"{text}{',' if ':' in text else ':'}simulations={simulations}"


def seeing(text: str) -> str:
    """The same search that sees everything; ValueError if there is none."""
    name, colon, rest = text.partition(":")
    if name != "ismcts":
        raise ValueError(f"only ismcts has a counterpart that sees everything, {name} has not")
    return f"cheating-mcts{colon}{rest}"


def growth(text: str, budgets: Sequence[int], games: int, seed: int, folder: Path, jobs: int) -> str:
    """Neighbouring budgets of a search against each other at two players: a section; its plot goes into the folder."""
    rows, shares = [], []
    pairs = list(itertools.pairwise(budgets))
    for less, more in pairs:
        where = folder / "growth" / f"{less}_{more}"
        one, counts = _duel(budgeted(text, more), budgeted(text, less), games, seed, where, jobs)
        shares.append(one)
        rows.append([f"{more:,}", f"{less:,}", counts, _share(one)])
    figure = Figure(figsize=(6, 0.5 * len(shares) + 1.0), layout="constrained")
    axes = figure.subplots()
    labels = [f"{more:,} against {less:,}" for less, more in pairs]
    errors = [[one.value - one.low for one in shares], [one.high - one.value for one in shares]]
    axes.errorbar([one.value for one in shares], labels, xerr=errors, fmt="o", capsize=4)
    axes.axvline(0.5, color="grey", linewidth=1)
    axes.set_xlim(0, 1)
    axes.margins(y=0.4)
    axes.set_xlabel("win share of the larger number of simulations, 95 %")
    write_whole(folder / "game_growth.png", png(figure))
    return (
        f"## Strength and simulations\n\n`{text}` against itself with fewer simulations, 2 players.\n\n"
        f"{table(['simulations', 'against', 'games', 'win share'], rows, left=0)}\n\n![Growth](game_growth.png)"
    )


def price(text: str, simulations: int, games: int, seed: int, folder: Path, jobs: int) -> str:
    """A search that sees everything against the same one that does not, at two players: a section."""
    fair, cheating = budgeted(text, simulations), budgeted(seeing(text), simulations)
    one, counts = _duel(cheating, fair, games, seed, folder / "information", jobs)
    place = "above" if one.high < 0.5 else "below" if one.low > 0.5 else "within"
    return (
        f"## The price of hidden information\n\n`{cheating}`, which sees all cards and the future, wins {_share(one)} "
        f"against `{fair}`, which does not ({counts}, 2 players). The 95 % interval excludes that it wins more than "
        f"{one.high:.1%} or less than {one.low:.1%}; even play, 50 %, is {place} it."
    )


def _duel(first: str, second: str, games: int, seed: int, folder: Path, jobs: int) -> tuple[Estimate, str]:
    """How often the first of two agents beats the second at two players, and in how many games of how many deals."""
    room = Room(Setup(partial(game_of, components="standard"), (first, second), seed))
    results = run(room, [2], games, folder, jobs, progress=True)
    found = section(results.games, [first, second], 2, second)
    assert found is not None
    share = next(one.win for one in found.standings if one.agent == first)
    return share, f"{found.games:,} games, {found.deals:,} deals"


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `agents.tournament.attempt`."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.porta_nigra.analysis", description=__doc__.split("\n\n")[1].replace("``", "")
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="python -m agents.registry lists them")
    parser.add_argument("--players", type=int, nargs="+", choices=(2, 3, 4), default=[2, 3, 4], help="default 2 3 4")
    parser.add_argument("--games", type=int, default=1000, help="of each agent with itself (default 1000)")
    parser.add_argument(
        "--search", metavar="AGENT", help="an ismcts to measure, without simulations, e.g. ismcts:rounds=1"
    )
    parser.add_argument(
        "--budgets", type=int, nargs="+", default=[100, 1000, 10000], help="simulations (default 100 1000 10000)"
    )
    parser.add_argument("--search-games", type=int, default=200, help="of each pair of searches (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="of the games (default 1)")
    parser.add_argument("--jobs", type=int, default=1, help="processes for searches (default 1)")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where page, plots and games go")
    arguments = parser.parse_args(argv)
    if min(arguments.games, arguments.search_games, arguments.jobs, *arguments.budgets) < 1:
        parser.error("--games, --search-games, --budgets and --jobs must be positive")
    budgets = sorted(set(arguments.budgets))
    if arguments.search and len(budgets) < 2:
        parser.error("--budgets must be at least two different numbers")
    with refusing(parser):
        check_seed(arguments.seed)
        made = {
            (players, name): make(name, PortaNigra(players), arguments.seed)
            for players in arguments.players
            for name in arguments.agents
        }
    middle = budgets[len(budgets) // 2]
    if arguments.search:
        try:
            make(arguments.search, PortaNigra(2))
            cheating = seeing(arguments.search)
            for text in (*(budgeted(arguments.search, count) for count in budgets), budgeted(cheating, middle)):
                make(text, PortaNigra(2))
        except ValueError as error:
            parser.error(f"--search: {error}")
    command = shlex.join(["python", "-m", "agents.porta_nigra.analysis", *(sys.argv[1:] if argv is None else argv)])

    def work() -> int:
        folder: Path = arguments.out
        folder.mkdir(parents=True, exist_ok=True)
        courses = {}
        for (players, name), agent in tqdm(made.items(), unit="agent"):
            parts = [
                watch(PortaNigra(players), agent, min(TOGETHER, arguments.games - first), arguments.seed + first)
                for first in range(0, arguments.games, TOGETHER)
            ]
            courses[players, name] = together(parts)
        write_whole(folder / "game_sources.png", sources_plot(courses))
        page = ["# What the game is like", f"Every seat is played by the same agent.  `{command}`"]
        page += course_tables(courses, PortaNigra(2))
        _write(folder, page)
        if arguments.search:
            limits = (arguments.search_games, arguments.seed, folder, arguments.jobs)
            page.append(growth(arguments.search, budgets, *limits))
            _write(folder, page)
            page.append(price(arguments.search, middle, *limits))
            _write(folder, page)
        print("\n\n".join(page))
        return 0

    return attempt(parser, work)


def _write(folder: Path, page: Sequence[str]) -> None:
    write_whole(folder / "game_analysis.md", "\n\n".join(page) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
