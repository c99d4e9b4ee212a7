"""Take the luck that a value function sees out of a tournament's results: python -m agents.aivat FOLDER.

FOLDER is that of a tournament with --record. Every deal, every redrawn draw pile and every action that an agent draws
at random is compared with what could have happened (AIVAT, arXiv 1612.06915). The corrected means have no bias. Their
intervals are narrower the better the baseline foresees results. The last columns say how many times fewer games, and
how many times less time, give the same interval. They are empty for fewer than 10 deals, or if raw results do not
vary. The correction takes some seconds a game: it pays where agents think long. For fast agents, play more games
instead.

The baseline must not know the evaluated games: a network, or a linear function fitted on another tournament. Its values
count after --plies further steps: a value's error in one position is larger than most luck. Compiled agents, and
networks that take their most probable actions, play these steps themselves. A network plays them for all others, whose
luck it knows less well.

Examples:

    python -m agents.tournament network builder --games 200 --record --out results/first
    python -m agents.aivat results/first
    python -m agents.aivat results/first --baseline linear --fit results/other --measure margin --jobs 2
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import tyro
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena import program
from agents.arena.executors import Jobs
from agents.arena.matches import Played
from agents.arena.playing import one_thread
from agents.arena.program import Program
from agents.arena.records import RecordError, game_of, recorded
from agents.arena.results import Header, read_times
from agents.arena.sections import complete
from agents.arena.tables import FEW, ROUGH, Table, interval
from agents.registry import make
from agents.review.aivat import (
    Corrected,
    Floats,
    LinearValue,
    Lookahead,
    NetworkValue,
    Value,
    correction_of,
    results_of,
    summarize,
)
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game, check_seed

PROGRAM = Program("agents.aivat")

#: Games of a task.
CHUNK = 4


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """The command line; the module's docstring is its help."""

    folder: tyro.conf.Positional[Path]
    """of a tournament with --record"""

    baseline: str = "network"
    """the value function, fixed before the games: network for the published one, network:checkpoint=FILE, or linear"""

    fit: Path | None = None
    """the tournament with --record whose games fit the linear baseline; not FOLDER itself"""

    measure: Literal["wins", "margin", "points"] = "wins"
    """a seat's share of the win, its total minus the mean of the others (linear only), or its total (linear only)"""

    samples: int = 64
    """alternatives of an event; more are slower and leave less variance"""

    plies: int = 96
    """steps that are played before values count; for slow agents by the network of the baseline, for linear by the
    published one"""

    seed: int = 1
    """of the alternatives, 0 to 2**63-1"""

    jobs: str = "1"
    """processes, or ray, or ray:N for at most N tasks at a time; results do not depend on it"""

    address: str = ""
    """of a Ray cluster, e.g. auto; by default --jobs ray starts one on this machine"""

    components: str = "standard"
    """the component file of the games"""

    json: Path | None = None
    """file for the figures, with the baseline and its digest"""


@dataclass(frozen=True)
class Corrector:
    """Corrects games; it is made again in every process.

    Attributes:
        values: the value function and its game by number of players.
        measure, samples, seed: see `Arguments`.
    """

    values: dict[int, tuple[Game, Value]]
    measure: str
    samples: int
    seed: int

    def correct(self, games: Sequence[Played]) -> tuple[list[Floats], float]:
        """Return the sums of the terms of games, each float64 (players,), and the seconds that they took."""
        started = time.perf_counter()
        with one_thread():
            terms = [
                correction_of(game, played, value, self.measure, self.samples, self.seed)
                for played in games
                for game, value in [self.values[len(played.scores)]]
            ]
        return terms, time.perf_counter() - started


def corrector(header: Header, arguments: Arguments) -> Corrector:
    """Return the corrector of a command line; ValueError for arguments that cannot be used.

    An agent that plays differently now may have drawn its actions from other probabilities.
    """
    games = {players: game_of(header, players, arguments.components) for players in header.players}
    for players, game in games.items():
        for text, known in header.fingerprints[str(players)].items():
            if make(text, game).fingerprint[: len(known)] != known:
                raise ValueError(f"agent {text!r} plays differently now than in {arguments.folder}; play again")
    if arguments.baseline != "linear":
        if arguments.fit is not None or arguments.measure != "wins":
            raise ValueError("--fit and measures other than wins are for --baseline linear: a network predicts results")
        values: dict[int, Value] = {
            players: NetworkValue(game, arguments.baseline, "baseline") for players, game in games.items()
        }
    else:
        if arguments.fit is None or arguments.fit.resolve() == arguments.folder.resolve():
            raise ValueError("--baseline linear needs --fit FOLDER with the games of another tournament")
        other, fitted = recorded(arguments.fit)
        if other.seed == header.seed or other.game != header.game:
            raise ValueError(f"--fit: {arguments.fit} must hold {header.game} with another --seed than {header.seed}")
        values = {
            players: LinearValue.fit(game, [one for one in fitted if len(one.scores) == players], arguments.measure)
            for players, game in games.items()
        }
    if arguments.plies:
        values = {
            players: Lookahead(
                value,
                value if isinstance(value, NetworkValue) else NetworkValue(games[players], "network"),
                arguments.plies,
            )
            for players, value in values.items()
        }
    return Corrector(
        {players: (games[players], value) for players, value in values.items()},
        arguments.measure, arguments.samples, arguments.seed,
    )  # fmt: skip


class Cost(NamedTuple):
    """Mean seconds of a game: of its agents, and of its correction; steps count for all seats alike."""

    played: float
    corrected: float

    @property
    def share(self) -> float:
        """Return the agents' part of the time."""
        return self.played / (self.played + self.corrected)


def cost_of(games: Sequence[Played], times: Mapping[tuple[int, str], float], seconds: float) -> Cost | None:
    """Return the cost of games at one number of players, or None if an agent's time is unknown.

    Args:
        games: the games.
        times: milliseconds a step by number of players and agent (`agents.arena.results.read_times`).
        seconds: that the correction of all games took.
    """
    seats = [((len(one.scores), text), one.decisions / len(one.scores)) for one in games for text in one.match.agents]
    if any(key not in times for key, _ in seats):
        return None
    return Cost(sum(times[key] * steps for key, steps in seats) / 1000 / len(games), seconds / len(games))


def table(rows: Sequence[Corrected], measure: str, costs: Mapping[int, Cost | None]) -> Table:
    """Return the means, raw and corrected; costs: by number of players."""
    digits, factor = (1, 100.0) if measure == "wins" else (2, 1.0)
    gains = ["fewer games, times", "less time, times"]
    head = ["players", "agent", "games", f"raw {measure}", f"corrected {measure}", *gains]
    lines = [
        [
            str(row.players), row.agent, str(row.games), interval(row.raw, digits, factor),
            interval(row.corrected, digits, factor), f"{row.ratio:.2f}" if np.isfinite(row.ratio) else "",
            f"{row.ratio * cost.share:.2g}" if (cost := costs[row.players]) and np.isfinite(row.ratio) else "",
        ]
        for row in rows
    ]  # fmt: skip
    return Table(head, lines, left=2)


def correct(arguments: Arguments) -> int:
    """Correct the games of a command line and print the table."""
    program.at_least(2, samples=arguments.samples)
    program.at_least(0, plies=arguments.plies)
    check_seed(arguments.seed)
    program.check_files(json=arguments.json)
    jobs = Jobs.of(arguments.jobs, arguments.address)
    header, found = recorded(arguments.folder)
    worker = corrector(header, arguments)
    games = {players: complete(one for one in found if len(one.scores) == players) for players in header.players}
    tasks = [some[first : first + CHUNK] for some in games.values() for first in range(0, len(some), CHUNK)]
    if not tasks:
        raise RecordError(f"{arguments.folder}: no deal is complete; play on with the same command")
    done: list[tuple[Sequence[Floats], float]] = [((), 0.0)] * len(tasks)
    remote = partial(corrector, header, arguments)
    with (
        jobs.executor((lambda: worker) if jobs == Jobs() else remote) as executor,
        tqdm(total=sum(map(len, tasks)), unit="game") as bar,
    ):
        for index, result in executor.spread(Corrector.correct, tasks):
            done[index] = result
            bar.update(len(result[0]))
    rows, costs, (times, _) = list[Corrected](), dict[int, Cost | None](), read_times(arguments.folder)
    for players, some in games.items():
        parts = [found for task, found in zip(tasks, done, strict=True) if len(task[0].scores) == players]
        if parts:
            ends = results_of([one.scores for one in some], [one.places for one in some], arguments.measure)
            rows += summarize(some, ends, np.array([term for terms, _ in parts for term in terms]), arguments.measure)
            costs[players] = cost_of(some, times, sum(seconds for _, seconds in parts))
    print(table(rows, arguments.measure, costs))
    for players in costs:
        deals = len({one.match.deal for one in games[players]})
        if deals < FEW:
            print(f"{players} players, {deals} deals. {ROUGH}")
    for players, cost in costs.items():
        if cost:
            print(f"{players} players: a game took {cost.played:.3g} s, its correction {cost.corrected:.3g} s")
    if arguments.json is not None:
        baselines = {players: [value.name, value.digest] for players, (_, value) in worker.values.items()}
        figures: dict[str, object] = {"game": header.game, "baselines": baselines, "measure": arguments.measure}
        figures |= {"samples": arguments.samples, "seed": arguments.seed, "rows": [row._asdict() for row in rows]}
        figures |= {"seconds": {players: cost._asdict() for players, cost in costs.items() if cost}}
        write_whole(arguments.json, json.dumps(figures, indent=1) + "\n")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, __doc__ or "")
    return PROGRAM.attempt(lambda: correct(arguments), RecordError, ValueError)


if __name__ == "__main__":
    raise SystemExit(main())
