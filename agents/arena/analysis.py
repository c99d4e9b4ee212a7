"""What a game is like: ``python -m agents.arena.analysis AGENT ... --game G --out FOLDER``.

Agents play among themselves, every seat the same one, and what happens is counted: who wins from which seat, where
points come from, how long games are and how much there is to choose from; the package ``agents.<game>`` adds what
belongs to its game alone (`Counts`).  With ``--search`` it also measures how a search grows stronger with simulations,
and what it would gain from seeing what is hidden.  Writes ``game_analysis.md`` with tables and plots into the folder,
anew after each part; games of searches are kept there, so that the same command goes on with them.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
import tyro
from matplotlib.figure import Figure
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.agent import Agent
from agents.arena import program, ratings
from agents.arena.plots import png
from agents.arena.program import Program, at_least
from agents.arena.ratings import Estimate
from agents.arena.search_matches import Duels, budgeted, growth, price, seeing, share_text
from agents.arena.tables import markdown
from agents.files import write_whole
from agents.registry import make
from porta_nigra_env.core.game.game import Game, States, check_seed
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game

PROGRAM = Program("agents.arena.analysis")

#: Games that are played at the same time.
TOGETHER: Final = 256


@dataclass
class Course:
    """What happened in games of one agent with itself.

    Attributes:
        starters: int64 (games,), who began.
        scores: int32 (games, players), totals; places: int8 of the same shape.
        sources: int32 (games, players, len(point_sources)).
        ends: (games,) of the game's dtype, how they ended.
        rounds, lengths: int64 (games,), the last round, 0 in games without, and decisions.
        choices: int64 (decisions, 2), phase and number of legal actions of every decision.
        actions: int64 (1, num_actions), how often each was chosen, in a row that belongs to these games.
    """

    starters: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int32]
    places: npt.NDArray[np.int8]
    sources: npt.NDArray[np.int32]
    ends: States
    rounds: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    choices: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often each action was chosen, int64 (num_actions,)."""
        counts: npt.NDArray[np.int64] = self.actions.sum(axis=0)
        return counts


#: Courses by number of players and agent.
Courses = Mapping[tuple[int, str], Course]


class Counts(Protocol):
    """What the module ``agents.<game>.analysis`` may say about its game."""

    def columns(self, course: Course) -> dict[str, str]:
        """Further columns of the table of games."""
        ...

    def sections(self, courses: Courses, game: Game) -> list[str]:
        """Further sections, in Markdown."""
        ...


def counts_of(game: str) -> Counts | None:
    """The module that knows a game; None if there is none."""
    name = f"agents.{game}.analysis"
    there = find_spec(f"agents.{game}") is not None and find_spec(name) is not None
    return import_module(name) if there else None


def watch(game: Game, agent: Agent, games: int, seed: int) -> Course:
    """Play games of one agent on all seats and count."""
    env = BatchEnv(game, games, autoreset_mode="disabled", observations="none")
    env.reset(seed=seed)
    starters = env.current_player.astype(np.int64)
    actions_chosen = np.zeros((1, game.actions.size), dtype=np.int64)
    choices = []
    while (asked := env.current_player >= 0).any():
        choices.append(np.stack([_phases(env.states[asked]), env.action_masks[asked].sum(axis=1, dtype=np.int64)], 1))
        actions = np.zeros(games, dtype=np.int64)
        actions[asked] = agent.act_batch(env.views())
        actions_chosen[0] += np.bincount(actions[asked], minlength=game.actions.size)
        env.step(actions)
    return Course(
        starters=starters,
        scores=env.final_scores.copy(),
        places=env.final_places.copy(),
        sources=game.points_by_source(env.states),
        ends=env.states.copy(),
        rounds=np.array([game.kernel.rounds(game.constants, env.states, row) for row in range(games)], dtype=np.int64),
        lengths=env.last_lengths.astype(np.int64),
        choices=np.concatenate(choices),
        actions=actions_chosen,
    )


def _phases(states: States) -> npt.NDArray[np.int64]:
    """The kind of each decision, by the field `phase` of games that have more than one."""
    names = states.dtype.names or ()
    return states["phase"].astype(np.int64) if "phase" in names else np.zeros(len(states), dtype=np.int64)


def together(courses: Sequence[Course]) -> Course:
    """Several courses as one."""
    return Course(*(np.concatenate([getattr(course, one.name) for course in courses]) for one in fields(Course)))


def starter_share(course: Course) -> Estimate:
    """How often the seat that begins wins, ties split evenly."""
    shares = ratings.win_shares(course.places)[np.arange(len(course.starters)), course.starters]
    return ratings.wilson(float(shares.mean()), len(shares))


def course_tables(courses: Courses, game: Game) -> list[str]:
    """Sections of what was counted, in Markdown; `sources_plot` belongs to the second."""
    counts = counts_of(game.name)
    tables = [_games_table(courses, game, counts)]
    if game.point_sources:
        rows = [
            [str(players), f"`{name}`", *(f"{points:.1f}" for points in one.sources.mean(axis=(0, 1)))]
            for (players, name), one in courses.items()
        ]
        points = markdown(["players", "agent", *game.point_sources], rows, left=2)
        tables.append(f"## Points by source, a player\n\n{points}\n\n![Points by source](game_sources.png)")
    if counts is not None:
        tables += counts.sections(courses, game)
    return [*tables, _choices_table(courses, game)]


def _games_table(courses: Courses, game: Game, counts: Counts | None) -> str:
    rows = []
    for (players, name), one in courses.items():
        cells = {
            "players": str(players),
            "agent": f"`{name}`",
            "games": str(len(one.starters)),
            "first player wins": share_text(starter_share(one)),
            "mean score": f"{one.scores.mean():.0f}",
            "winner's score": f"{np.where(one.places == 1, one.scores, one.scores.min()).max(axis=1).mean():.0f}",
            "decisions": f"{one.lengths.mean():.0f}",
        }
        cells |= {} if counts is None else counts.columns(one)
        cells |= {"last round": f"{one.rounds.mean():.2f}"} if game.kernel.has_rounds else {}
        rows.append(cells)
    return "## Games\n\n" + markdown(list(rows[0]), [list(cells.values()) for cells in rows], left=2)


def _choices_table(courses: Courses, game: Game) -> str:
    phases = [
        phase
        for phase in range(len(game.phases))
        if any((one.choices[:, 0] == phase).any() for one in courses.values())
    ]
    rows = []
    for (players, name), one in courses.items():
        by_phase = [one.choices[one.choices[:, 0] == phase, 1] for phase in phases]
        cells = [f"{found.mean():.1f}" if len(found) else "-" for found in by_phase]
        rows.append(
            [str(players), f"`{name}`", f"{one.choices[:, 1].mean():.1f}", str(one.choices[:, 1].max()), *cells]
        )
    head = ["players", "agent", "mean", "most", *(game.phases[phase].replace("_", " ") for phase in phases)]
    return "## Legal actions of a decision, by phase\n\n" + markdown(head, rows, left=2)


def sources_plot(courses: Courses, sources: Sequence[str]) -> bytes:
    """Mean points by source as stacked bars."""
    figure = Figure(figsize=(9, 0.5 * len(courses) + 1.6), layout="constrained")
    axes = figure.subplots()
    names = [f"{name}, {players} players" for players, name in courses]
    left = np.zeros(len(courses))
    for column, source in enumerate(sources):
        widths = np.array([one.sources[:, :, column].mean() for one in courses.values()])
        axes.barh(names, widths, left=left, label=source)
        left += widths
    axes.invert_yaxis()
    axes.set_xlabel("mean points of a player")
    axes.legend(ncols=len(sources), loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)
    return png(figure)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What a game is like: agents play among themselves, and what happens is counted."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """at least one; python -m agents.registry lists them"""

    game: str = DEFAULT_GAME
    """what is played"""

    players: tuple[int, ...] = ()
    """numbers of players (all there may be)"""

    games: int = 1000
    """of each agent with itself"""

    search: str | None = None
    """an ismcts, or a mirror, to measure at the fewest players, without its budget, e.g. ismcts:rounds=1"""

    budgets: tuple[int, ...] = (100, 1000, 10000)
    """simulations; of a mirror worlds"""

    search_games: int = 200
    """of each pair of searches"""

    seed: int = 1
    """of the games"""

    jobs: int = 1
    """processes for searches"""

    out: Path | None = None
    """folder where page, plots and games go"""


def checked(arguments: Arguments) -> tuple[Path, dict[tuple[int, str], Agent]]:
    """The folder, and the agents by number of players and text; ValueError unless all arguments can be used."""
    if arguments.out is None:
        raise ValueError("--out FOLDER is needed")
    if not arguments.agents:
        raise ValueError("at least one agent is needed; python -m agents.registry lists them")
    at_least(games=arguments.games, search_games=arguments.search_games, jobs=arguments.jobs)
    if not arguments.budgets:
        raise ValueError("--budgets: name at least one")
    at_least(budgets=min(arguments.budgets))
    check_seed(arguments.seed)
    seats = game_entry(arguments.game).seats
    made = {
        (players, name): make(name, make_game(arguments.game, players), arguments.seed)
        for players in arguments.players or seats
        for name in arguments.agents
    }
    for (_, name), agent in made.items():
        if agent.cheats:
            raise ValueError(f"{name} cheats: it sees what nobody else does, and is not analysed")
    if arguments.search:
        budgets = sorted(set(arguments.budgets))
        if len(budgets) < 2:
            raise ValueError("--budgets must be at least two different numbers")
        try:
            make(arguments.search, make_game(arguments.game))
            for text in (
                *(budgeted(arguments.search, count) for count in budgets),
                budgeted(seeing(arguments.search), 1),
            ):
                make(text, make_game(arguments.game))
        except ValueError as error:
            raise ValueError(f"--search: {error}") from error
    return arguments.out, made


def analyse(arguments: Arguments, folder: Path, made: Mapping[tuple[int, str], Agent], command: str) -> list[str]:
    """Play, count, and write the page after each part; its sections."""
    folder.mkdir(parents=True, exist_ok=True)
    courses = {}
    for key, agent in tqdm(made.items(), unit="agent"):
        parts = [
            watch(agent.game, agent, min(TOGETHER, arguments.games - first), arguments.seed + first)
            for first in range(0, arguments.games, TOGETHER)
        ]
        courses[key] = together(parts)
    game = make_game(arguments.game)
    if game.point_sources:
        write_whole(folder / "game_sources.png", sources_plot(courses, game.point_sources))
    page = ["# What the game is like", f"Every seat is played by the same agent.  `{command}`"]
    page += course_tables(courses, game)
    _write(folder, page)
    if arguments.search:
        budgets = sorted(set(arguments.budgets))
        limits = (arguments.search_games, arguments.seed, folder, arguments.jobs)
        duels = Duels(game.name, game.num_players, *limits)
        page.append(growth(arguments.search, budgets, duels))
        _write(folder, page)
        page.append(price(arguments.search, budgets[len(budgets) // 2], duels))
        _write(folder, page)
    return page


def _write(folder: Path, page: Sequence[str]) -> None:
    write_whole(folder / "game_analysis.md", "\n\n".join(page) + "\n")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `Program.attempt`."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, (__doc__ or "").split("\n\n")[1].replace("``", ""))
    with PROGRAM.refusing():
        folder, made = checked(arguments)
    command = shlex.join(["python", "-m", PROGRAM.name, *(sys.argv[1:] if argv is None else argv)])

    def work() -> int:
        print("\n\n".join(analyse(arguments, folder, made, command)))
        return 0

    return PROGRAM.attempt(work)


if __name__ == "__main__":
    raise SystemExit(main())
