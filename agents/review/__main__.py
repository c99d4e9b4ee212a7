"""Review a recorded game: how much did each player lose by own choices, and how much was luck?

GAMEFILE is a playthrough (python -m agents.arena.records FOLDER --game N --playthrough FILE, or saved by the page), or
the folder of a tournament with --record, with --number for one of its games.

The baseline is a network. In every step the chosen action and the network's most probable ones are tried in the same
sampled states of the mover's view. The skill of a step is the value of the chosen action minus that of the best one:
about 0 for a good choice, negative for a loss. Everything else that changes a seat's value is luck: choices of the
others, and chance. For every seat

    value at the start + skill + choices of the others + chance = result

Results are 1 for a sole win and -1/(n - 1) for a loss with n players. With two players, a loss of 0.1 is 5 % of the
probability to win. Skill depends only on what the mover could know; luck looks behind the cards. A step is too close to
call when its loss is less than 2 standard errors. Standard errors count sampling alone, not errors of the network. So
every step that may have cost more than 5 % of a win is repeated with rollouts of the network to the end of the game.

Examples:

    python -m agents.tournament network builder --games 2 --record --out results/first
    python -m agents.review results/first --number 0 --html review.html
    python -m agents.review results/first --games 20 --quick
    python -m agents.review game.txt --quick
    python -m agents.review game.txt --samples 128 --network network:checkpoint=runs/first/network.safetensors
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from agents.arena import program
from agents.arena.program import Program
from agents.arena.results import RESULTS, read
from agents.arena.tables import Table
from agents.arena.tournament import write_report
from agents.review.estimates import MIN_SAMPLES, QUICK, Effort, baseline
from agents.review.page import html
from agents.review.recording import read_recording
from agents.review.review import Review, Step, review
from agents.review.tournament import review_games
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import check_seed

PROGRAM = Program("agents.review")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """The command line; the module's docstring is its help."""

    file: tyro.conf.Positional[Path]
    """a playthrough, or the folder of a tournament with --record"""

    number: int | None = None
    """of the game in a tournament's folder; python -m agents.arena.records FOLDER lists them"""

    games: int | None = None
    """review the first games of each number of players in a tournament's folder, 0 for all, and add the skill that
    each agent lost to its report; the same command resumes"""

    components: str = "standard"
    """the component file of the game"""

    network: str = "network"
    """the baseline: network for the published one, or network:checkpoint=FILE"""

    samples: int | None = None
    """sampled states of a step (64; 12 with --quick), 2 and 6 times as many in doubt"""

    candidates: int | None = None
    """the network's most probable actions that are tried next to the chosen one (8; 1 with --quick)"""

    plies: int | None = None
    """steps of the network after an action, for all seats, before its values count, at least (16)"""

    seed: int = 1
    """of the sampled states, 0 to 2**63-1; the same seed gives the same review"""

    quick: bool = False
    """compare the chosen action with the network's own choice only, in few sampled states"""

    json: Path | None = None
    """file for all figures; agents.review.review documents its keys"""

    html: Path | None = None
    """file for a page with charts and all steps, which needs no other file"""

    def effort(self) -> Effort:
        """Return the size of the estimates; ValueError for an invalid option."""
        given = QUICK if self.quick else Effort()
        effort = Effort(
            given.samples if self.samples is None else self.samples,
            given.candidates if self.candidates is None else self.candidates,
            given.plies if self.plies is None else self.plies,
            check_seed(self.seed),
        )
        program.at_least(MIN_SAMPLES, samples=effort.samples)
        program.at_least(1, candidates=effort.candidates)
        program.at_least(0, plies=effort.plies)
        return effort


def seats_table(done: Review) -> Table:
    """Return the sums of all seats."""
    rows = [
        [
            f"{number} {seat.name}".strip(), str(seat.score), f"{seat.start:+.3f}",
            f"{seat.skill:+.3f} ± {seat.error:.3f}", f"{seat.others:+.3f}", f"{seat.chance:+.3f}",
            f"{seat.result:+.3f}", str(seat.choices), str(seat.large),
        ]
        for number, seat in enumerate(done.seats)
    ]  # fmt: skip
    return Table(["seat", "score", "start", "skill", "others", "chance", "result", "choices", "large losses"], rows)


def steps_table(steps: Sequence[Step]) -> Table:
    """Return some steps with their losses."""
    rows = [
        [
            str(step.number), str(step.seat), step.action, step.better, f"{step.skill:+.3f} ± {step.error:.3f}",
            str(step.samples),
        ]
        for step in steps
    ]  # fmt: skip
    return Table(["step", "seat", "chosen", "better", "skill", "samples"], rows, left=4)


def text(done: Review) -> str:
    """Return the review for the terminal."""
    title = (
        f"{done.game}, seed {done.seed}, {len(done.steps)} steps; baseline {done.network} ({done.network_digest[:8]})"
    )
    costly = done.costliest()
    losses = str(steps_table(costly)) if costly else "No step clearly lost anything."
    return f"{title}\n\n{seats_table(done)}\n\nThe costliest steps:\n\n{losses}"


def run(arguments: Arguments) -> int:
    """Review the game of a command line; ValueError for arguments that cannot be used, before any work."""
    program.check_files(json=arguments.json, html=arguments.html)
    if arguments.games is not None:
        return run_games(arguments, arguments.games)
    effort, recording = arguments.effort(), read_recording(arguments.file, arguments.number, arguments.components)
    network = baseline(arguments.network, recording.game)
    game, seed, actions, names = recording
    done = review(game, seed, actions, network, effort, names, progress=True)
    print(text(done))
    for path, content in ((arguments.json, done.to_json), (arguments.html, lambda: html(done))):
        if path is not None:
            write_whole(path, content())
            print(f"\n{path}")
    return 0


def run_games(arguments: Arguments, count: int) -> int:
    """Review games of a tournament and write its report; ValueError for arguments that cannot be used."""
    given = [name for name in ("number", "json", "html") if getattr(arguments, name) is not None]
    if given:
        raise ValueError(f"--{given[0]} is for one game, --games for those of a tournament's folder")
    program.at_least(0, games=count)
    folder, effort = arguments.file, arguments.effort()
    results = read(folder)
    if results is None:
        raise ValueError(f"--games: there are no results in {folder / RESULTS}")
    review_games(folder, count, arguments.network, effort, arguments.components, progress=True)
    print(write_report(folder, results, components=arguments.components).terminal())
    print(f"\nReport: {folder / 'report.html'}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, __doc__ or "")
    return PROGRAM.attempt(lambda: run(arguments), ValueError)


if __name__ == "__main__":
    raise SystemExit(main())
