"""Statistics of a game: ``python -m agents.arena.analysis AGENT ... --game G --out FOLDER``.

Each agent plays against itself.  The program counts wins by seat, sources of points, lengths of games and legal
actions, and compares cards (`agents.arena.cards`); the package ``agents.<game>`` adds statistics of its game
(`Counts`).  It writes ``game_analysis.md`` with tables and a plot into the folder.
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
from agents.arena.cards import Cards, gains_table
from agents.arena.plots import png
from agents.arena.program import Program, at_least
from agents.arena.ratings import Estimate
from agents.arena.tables import markdown, share_text
from agents.registry import game_package, make
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game, States, check_seed
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game

PROGRAM = Program("agents.arena.analysis")

#: Games in a batch.
BATCH: Final = 256


@dataclass
class Course:
    """Records of games of one agent against itself.

    Attributes:
        starters: int64 (games,), starting seats.
        scores: int32 (games, players), totals; places: int8 of the same shape.
        sources: int32 (games, players, len(point_sources)).
        ends: (games,) of the game's dtype, final states.
        rounds, lengths: int64 (games,), the last round, 0 in games without, and steps.
        choices: int64 (steps, 2), phase and number of legal actions.
        actions: int16 (games, players, num_actions), how often each seat took each action.
    """

    starters: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int32]
    places: npt.NDArray[np.int8]
    sources: npt.NDArray[np.int32]
    ends: States
    rounds: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    choices: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int16]

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """The frequency of each action, int64 (num_actions,)."""
        counts: npt.NDArray[np.int64] = self.actions.sum(axis=(0, 1), dtype=np.int64)
        return counts


#: Courses by number of players and agent.
Courses = Mapping[tuple[int, str], Course]


class Counts(Protocol):
    """The interface of a module ``agents.<game>.analysis``."""

    def columns(self, course: Course) -> dict[str, str]:
        """Return additional columns of the table of games."""
        ...

    def sections(self, courses: Courses, game: Game) -> list[str]:
        """Return additional sections in Markdown."""
        ...

    def cards(self, course: Course, game: Game) -> Cards:
        """Return the cards that seats took, with their prices."""
        ...


def counts_of(game: str) -> Counts | None:
    """Return the module of a game, or None."""
    name = f"agents.{game}.analysis"
    return import_module(name) if game_package(game) is not None and find_spec(name) is not None else None


def watch(game: Game, agent: Agent, games: int, seed: int) -> Course:
    """Play games with one agent on all seats, and record them."""
    env = BatchEnv(game, games, autoreset_mode="disabled", observations="none")
    env.reset(seed=seed)
    starters = env.current_player.astype(np.int64)
    actions_chosen = np.zeros((games, game.num_players, game.actions.size), dtype=np.int16)
    choices = []
    while (asked := env.current_player >= 0).any():
        choices.append(np.stack([_phases(env.states[asked]), env.action_masks[asked].sum(axis=1, dtype=np.int64)], 1))
        actions = np.zeros(games, dtype=np.int64)
        actions[asked] = agent.act_batch(env.views())
        actions_chosen[asked, env.current_player[asked], actions[asked]] += 1
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
    """Return the phase of each state; 0 in games without phases."""
    names = states.dtype.names or ()
    return states["phase"].astype(np.int64) if "phase" in names else np.zeros(len(states), dtype=np.int64)


def concatenate(courses: Sequence[Course]) -> Course:
    """Concatenate the records of several batches."""
    return Course(*(np.concatenate([getattr(course, field.name) for course in courses]) for field in fields(Course)))


def starter_share(course: Course) -> Estimate:
    """Return the win share of the starting seat, ties split evenly."""
    shares = ratings.win_shares(course.places)[np.arange(len(course.starters)), course.starters]
    return ratings.wilson(float(shares.mean()), len(shares))


def course_tables(courses: Courses, game: Game) -> list[str]:
    """Return the sections of the records, in Markdown; the second one shows `sources_plot`."""
    counts = counts_of(game.name)
    tables = [_games_table(courses, game, counts)]
    if game.point_sources:
        rows = [
            [str(players), f"`{name}`", *(f"{points:.1f}" for points in course.sources.mean(axis=(0, 1)))]
            for (players, name), course in courses.items()
        ]
        points = markdown(["players", "agent", *game.point_sources], rows, left=2)
        tables.append(f"## Points by source, a player\n\n{points}\n\n![Points by source](game_sources.png)")
    if counts is not None:
        tables += counts.sections(courses, game)
        tables += [
            f"## Cards of `{name}`, {players} players\n\n{gains_table(counts.cards(course, game), course.places)}"
            for (players, name), course in courses.items()
        ]
    return [*tables, _choices_table(courses, game)]


def _games_table(courses: Courses, game: Game, counts: Counts | None) -> str:
    rows = []
    for (players, name), course in courses.items():
        winners = np.where(course.places == 1, course.scores, course.scores.min()).max(axis=1)
        cells = {
            "players": str(players),
            "agent": f"`{name}`",
            "games": str(len(course.starters)),
            "first player wins": share_text(starter_share(course)),
            "mean score": f"{course.scores.mean():.0f}",
            "winner's score": f"{winners.mean():.0f}",
            "steps": f"{course.lengths.mean():.0f}",
        }
        cells |= {} if counts is None else counts.columns(course)
        cells |= {"last round": f"{course.rounds.mean():.2f}"} if game.kernel.has_rounds else {}
        rows.append(cells)
    return "## Games\n\n" + markdown(list(rows[0]), [list(cells.values()) for cells in rows], left=2)


def _choices_table(courses: Courses, game: Game) -> str:
    occurring = set(np.concatenate([course.choices[:, 0] for course in courses.values()]).tolist())
    phases = [phase for phase in range(len(game.phases)) if phase in occurring]
    rows = []
    for (players, name), course in courses.items():
        by_phase = [course.choices[course.choices[:, 0] == phase, 1] for phase in phases]
        cells = [f"{numbers.mean():.1f}" if len(numbers) else "-" for numbers in by_phase]
        numbers = course.choices[:, 1]
        rows.append([str(players), f"`{name}`", f"{numbers.mean():.1f}", str(numbers.max()), *cells])
    head = ["players", "agent", "mean", "most", *(game.phases[phase].replace("_", " ") for phase in phases)]
    return "## Legal actions of a step, by phase\n\n" + markdown(head, rows, left=2)


def sources_plot(courses: Courses, sources: Sequence[str]) -> bytes:
    """Return mean points by source as stacked bars."""
    figure = Figure(figsize=(9, 0.5 * len(courses) + 1.6), layout="constrained")
    axes = figure.subplots()
    names = [f"{name}, {players} players" for players, name in courses]
    left = np.zeros(len(courses))
    for column, source in enumerate(sources):
        widths = np.array([course.sources[:, :, column].mean() for course in courses.values()])
        axes.barh(names, widths, left=left, label=source)
        left += widths
    axes.invert_yaxis()
    axes.set_xlabel("mean points of a player")
    axes.legend(ncols=len(sources), loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=8)
    return png(figure)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Statistics of a game: each agent plays against itself."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """at least one; python -m agents.registry lists them"""

    game: str = DEFAULT_GAME
    """name of the game"""

    players: tuple[int, ...] = ()
    """numbers of players (default: all)"""

    games: int = 1000
    """games of each agent against itself"""

    seed: int = 1
    """seed of the games"""

    out: Path | None = None
    """folder of page and plot"""


def validate(arguments: Arguments) -> tuple[Path, dict[tuple[int, str], Agent]]:
    """Return the folder, and the agents by number of players and agent string; ValueError for invalid arguments."""
    if arguments.out is None:
        raise ValueError("--out FOLDER is needed")
    if not arguments.agents:
        raise ValueError("at least one agent is needed; python -m agents.registry lists them")
    at_least(games=arguments.games)
    check_seed(arguments.seed)
    made = {
        (players, name): make(name, make_game(arguments.game, players), arguments.seed)
        for players in arguments.players or game_entry(arguments.game).seats
        for name in arguments.agents
    }
    return arguments.out, made


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, (__doc__ or "").split("\n\n")[1].replace("``", ""))
    with PROGRAM.refusing():
        folder, made = validate(arguments)
    command = shlex.join(["python", "-m", PROGRAM.name, *(sys.argv[1:] if argv is None else argv)])

    def work() -> int:
        folder.mkdir(parents=True, exist_ok=True)
        games, seed = arguments.games, arguments.seed
        courses = {
            key: concatenate(
                [watch(agent.game, agent, min(BATCH, games - first), seed + first) for first in range(0, games, BATCH)]
            )
            for key, agent in tqdm(made.items(), unit="agent")
        }
        game = make_game(arguments.game)
        if game.point_sources:
            write_whole(folder / "game_sources.png", sources_plot(courses, game.point_sources))
        head = f"# Statistics of the game\n\nEvery seat is played by the same agent.  `{command}`"
        page = "\n\n".join([head, *course_tables(courses, game)])
        write_whole(folder / "game_analysis.md", page + "\n")
        print(page)
        return 0

    return PROGRAM.attempt(work)


if __name__ == "__main__":
    raise SystemExit(main())
