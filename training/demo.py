"""From nothing to a player: ``python -m training.demo``.

Trains a network by self-play for three minutes, then plays it against random and the game's own agents on duplicate
deals and prints the ladder.  The run's folder keeps the network, the learning curve and the games.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import tyro

from agents.registry import AgentError, parse
from agents.tournament import arena_of, run, write_report
from porta_nigra_env.games import DEFAULT_GAME
from training.ppo import program as ppo
from training.ppo.arguments import numbers_of
from training.run.checks import check_least
from training.run.folder import CHECKPOINT, NETWORK, Run, read_config
from training.run.opponents import rivals
from training.run.resume import check_same
from training.run.trainer import answer


@dataclass(frozen=True)
class Arguments:
    """Train a network for some minutes, then play it against other agents."""

    game: str = DEFAULT_GAME
    """What is played (porta_nigra_env.games)."""
    players: int | None = None
    """By default the fewest of the game."""
    minutes: float = 3.0
    """Of training."""
    games: int = 200
    """Of each pair of agents in the ladder."""
    out: Path = Path("runs/demo")
    """Folder of the run; an existing one goes on."""
    seed: int = 1
    """Of training and deals."""


def prepared(arguments: Arguments) -> tuple[ppo.Training, Run]:
    """The training and its folder; ValueError for arguments, or a folder, that cannot be used."""
    check_least(arguments, {"games": 1})
    folder = arguments.out
    try:
        parse(f"network:checkpoint={folder / NETWORK}")
    except AgentError as error:
        # A ladder's agents are texts, in which some characters mean something.
        raise ValueError(f"--out: {folder} cannot be told to a ladder: {error}") from None
    players = () if arguments.players is None else (arguments.players,)
    # Few evaluations leave the time to learning.
    wanted = ppo.Arguments(
        game=arguments.game, players=players, out=folder, minutes=arguments.minutes, seed=arguments.seed,
        evaluations=4, deals=100,
    )  # fmt: skip
    if not (folder / CHECKPOINT).exists():
        return ppo.prepared(wanted)
    started, asked = asdict(read_config(folder, "ppo", ppo.Arguments)), asdict(wanted.completed())
    check_same(folder, started, {name: asked[name] for name in ("game", "players", "seed")})
    print(f"going on with the run in {folder}", flush=True)
    return ppo.prepared(ppo.Arguments(resume=folder, minutes=arguments.minutes))


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `trainer.answer`."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m training.demo")
    return answer(lambda: prepared(arguments), lambda made: shown(arguments, *made))


def shown(arguments: Arguments, training: ppo.Training, record: Run) -> int:
    """Train to the end, play, and print what came of it."""
    numbers = numbers_of(training.arguments)
    print(
        f"A network learns {arguments.game} for {numbers[0]} players from itself, for {arguments.minutes:g} minutes.\n",
        flush=True,
    )
    training.run(record)

    network = arguments.out / NETWORK
    # Games of another network are not this one's, also where it stands in a file of the same name.
    ladder = arguments.out / f"ladder-{hashlib.sha256(network.read_bytes()).hexdigest()[:8]}"
    print(f"\nEvery pair of agents now plays {arguments.games} games on duplicate deals.\n", flush=True)
    agents = dict.fromkeys(("random", *rivals(arguments.game), f"network:checkpoint={network}"))
    arena = arena_of(tuple(agents), arguments.seed, arguments.game)
    report = write_report(ladder, run(arena, numbers, arguments.games, ladder, jobs=1, progress=True))
    print(report.terminal())
    print(f"learning curve: {record.draw()}\nnetwork: {network}\nladder with plots: {ladder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
