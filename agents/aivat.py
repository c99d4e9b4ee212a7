"""Take the luck that a value function sees out of a tournament's results: python -m agents.aivat FOLDER.

FOLDER is that of a tournament with --record. Every deal, every redrawn draw pile and every action that an agent draws
at random is compared with what could have happened (AIVAT, arXiv 1612.06915). The corrected means have no bias. Their
intervals are narrower the better the baseline foresees results; the last column says how many times fewer games give
the same interval. The correction takes some seconds a game: it pays where agents think long. For fast agents, play
more games instead.

The baseline must not know the evaluated games: a network, or a linear function fitted on another tournament. Its values
count after --plies further steps, which a network plays: a value's error in one position is larger than most luck.

Examples:

    python -m agents.tournament network builder --games 200 --record --out results/first
    python -m agents.aivat results/first
    python -m agents.aivat results/first --baseline linear --fit results/other --measure margin --jobs 2
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Literal

import numpy as np
import tyro
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena import program
from agents.arena.executors import Jobs
from agents.arena.matches import Played
from agents.arena.playing import one_thread
from agents.arena.program import Program
from agents.arena.records import RecordError, game_of, recorded
from agents.arena.results import Header
from agents.arena.sections import complete
from agents.arena.tables import Table, interval
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
    """steps that the network of the baseline, for linear the published one, plays on before values count"""

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

    def correct(self, games: Sequence[Played]) -> list[Floats]:
        """Return the sums of the terms of games, each float64 (players,)."""
        with one_thread():
            return [
                correction_of(game, played, value, self.measure, self.samples, self.seed)
                for played in games
                for game, value in [self.values[len(played.scores)]]
            ]


def corrector(header: Header, arguments: Arguments) -> Corrector:
    """Return the corrector of a command line; ValueError for arguments that cannot be used.

    An agent that plays differently now may have drawn its actions from other probabilities.
    """
    games = {players: game_of(header, players, arguments.components) for players in header.players}
    for players, game in games.items():
        for text, known in header.fingerprints[str(players)].items():
            if make(text, game).fingerprint[: len(known)] != known:
                raise ValueError(f"agent {text!r} plays differently now than in {arguments.folder}; play again")
    linear = arguments.baseline == "linear"
    if not linear:
        if arguments.fit is not None or arguments.measure != "wins":
            raise ValueError("--fit and measures other than wins are for --baseline linear: a network predicts results")
        values: dict[int, Value] = {players: NetworkValue(game, arguments.baseline) for players, game in games.items()}
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
        player = "network" if linear else arguments.baseline
        values = {
            players: Lookahead(value, NetworkValue(games[players], player), arguments.plies)
            for players, value in values.items()
        }
    return Corrector(
        {players: (games[players], value) for players, value in values.items()},
        arguments.measure, arguments.samples, arguments.seed,
    )  # fmt: skip


def table(rows: Sequence[Corrected], measure: str) -> Table:
    """Return the means, raw and corrected."""
    digits, factor = (1, 100.0) if measure == "wins" else (2, 1.0)
    head = ["players", "agent", "games", f"raw {measure}", f"corrected {measure}", "fewer games, times"]
    lines = [
        [
            str(row.players), row.agent, str(row.games), interval(row.raw, digits, factor),
            interval(row.corrected, digits, factor), f"{row.ratio:.2f}",
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
    done: list[Sequence[Floats]] = [()] * len(tasks)
    remote = partial(corrector, header, arguments)
    with (
        jobs.executor((lambda: worker) if jobs == Jobs() else remote) as executor,
        tqdm(total=sum(map(len, tasks)), unit="game") as bar,
    ):
        for index, result in executor.spread(Corrector.correct, tasks):
            done[index] = result
            bar.update(len(result))
    terms, rows = chain.from_iterable(done), list[Corrected]()
    for some in filter(None, games.values()):
        ends = results_of([one.scores for one in some], [one.places for one in some], arguments.measure)
        rows += summarize(some, ends, np.array(list(islice(terms, len(some)))))
    print(table(rows, arguments.measure))
    if arguments.json is not None:
        baselines = {players: [value.name, value.digest] for players, (_, value) in worker.values.items()}
        figures: dict[str, object] = {"game": header.game, "baselines": baselines, "measure": arguments.measure}
        figures |= {"samples": arguments.samples, "seed": arguments.seed, "rows": [row._asdict() for row in rows]}
        write_whole(arguments.json, json.dumps(figures, indent=1) + "\n")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, __doc__ or "")
    return PROGRAM.attempt(lambda: correct(arguments), RecordError, ValueError)


if __name__ == "__main__":
    raise SystemExit(main())
