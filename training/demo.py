"""Train and evaluate a network in minutes: ``python -m training.demo``.

Trains a network by self-play for three minutes, then plays it against random and the game's agents on duplicate deals
and prints the ladder.  The folder keeps the network, the learning curve and the games.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import tyro

from agents.registry import AgentError, parse
from agents.tournament import arena_of, run, write_report
from porta_nigra_env.games import DEFAULT_GAME
from training import ppo
from training.run.evaluation import default_opponents
from training.run.folder import CHECKPOINT, NETWORK, Run, check_same, read_config
from training.run.options import player_counts, resolve_hardware
from training.run.ranges import PositiveInt, check_ranges
from training.run.trainer import run_program

#: Options of `training.ppo` by precision.  Without bfloat16 units a wide network has too few steps in some minutes
#: (training/LOG.md, topic "Six minutes without bfloat16 units").
LEARNING: Final[dict[str, dict[str, Any]]] = {"bfloat16": {}, "float32": {"width": 128, "learning_rate": 1e-3}}
#: Million steps of whole runs, by the part of the games that their networks won against the strongest agent of the
#: default game, with the fewest players, and by precision (training/LOG.md, also topic "make demo").
STEPS_TO: Final = {"bfloat16": {"40 %": 14, "90 %": 31}, "float32": {"40 %": 13, "90 %": 27}}


@dataclass(frozen=True)
class Options:
    """Train a network for some minutes, then play it against other agents."""

    game: str = DEFAULT_GAME
    """Name of the game (porta_nigra_env.games)."""
    players: int | None = None
    """Number of players; by default the fewest of the game."""
    minutes: float = 3.0
    """Minutes of training."""
    games: PositiveInt = 200
    """Games per pair of agents in the ladder."""
    out: Path = Path("runs/demo")
    """Folder of the run; an existing one is resumed."""
    seed: int = 1
    """Seed of training and deals."""


def prepare(options: Options) -> tuple[ppo.Training, Run]:
    """Return the training and its folder; ValueError for options or a folder that cannot be used."""
    check_ranges(options)
    folder = options.out
    try:
        parse(f"network:checkpoint={folder / NETWORK}")
    except AgentError as error:
        # Some characters have a meaning in agent strings.
        raise ValueError(f"--out: {folder} cannot be part of an agent string: {error}") from None
    # Few evaluations leave more time for learning.
    wanted = ppo.Options(
        game=options.game, players=() if options.players is None else (options.players,), out=folder,
        minutes=options.minutes, seed=options.seed, evaluations=4, deals=100,
    )  # fmt: skip
    wanted = replace(wanted, **LEARNING[resolve_hardware(wanted).precision])
    if not (folder / CHECKPOINT).exists():
        return ppo.prepare(wanted)
    started, asked = asdict(read_config(folder, "ppo", ppo.Options)), asdict(wanted.with_game_defaults())
    check_same(folder, started, {name: asked[name] for name in ("game", "players", "seed")})
    print(f"resuming the run in {folder}", flush=True)
    return ppo.prepare(ppo.Options(resume=folder, minutes=options.minutes))


def show(options: Options, training: ppo.Training, record: Run) -> int:
    """Train to the end, play the ladder and print it."""
    counts = player_counts(training.options)
    print(
        f"A network learns {options.game} for {counts[0]} players by self-play for {options.minutes:g} minutes.\n",
        flush=True,
    )
    training.run(record)

    network = options.out / NETWORK
    # The folder depends on the weights, because games of another network do not count.
    ladder = options.out / f"ladder-{hashlib.sha256(network.read_bytes()).hexdigest()[:8]}"
    print(f"\nEvery pair of agents now plays {options.games} games on duplicate deals.\n", flush=True)
    agents = dict.fromkeys(("random", *default_opponents(options.game), f"network:checkpoint={network}"))
    arena = arena_of(tuple(agents), options.seed, options.game)
    report = write_report(ladder, run(arena, counts, options.games, ladder, jobs=1, progress=True))
    print(report.terminal())
    print(f"learning curve: {record.draw()}\nnetwork: {network}\nladder: {ladder}")
    if options.game == DEFAULT_GAME and counts == player_counts(ppo.Options()):
        print(f"\n{outlook(training.steps, training.seconds, training.options.precision)}")
    return 0


def outlook(steps: int, seconds: float, precision: str) -> str:
    """Return what more minutes bring on a machine that made `steps` of the default game in `seconds`."""
    needed = STEPS_TO[precision]
    minutes = {won: math.ceil(1e6 * million * seconds / max(1, steps) / 60) for won, million in needed.items()}
    won = " and ".join(f"{share} with {million} million" for share, million in needed.items())
    takes, opponent = " and ".join(map(str, minutes.values())), default_opponents(DEFAULT_GAME)[-1]
    text = (
        f"{steps / 1e6:.1f} million steps in {seconds / 60:.1f} minutes.\nAgainst {opponent}, other runs won {won} "
        f"steps in all, which take {takes} minutes on this machine."
    )
    longest = max(minutes.values())
    return text if 60 * longest <= seconds else f"{text}\nTo train on: python -m training.demo --minutes {longest}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the code of `trainer.run_program`."""
    options = tyro.cli(Options, args=argv, prog="python -m training.demo")
    return run_program(lambda: prepare(options), lambda prepared: show(options, *prepared))


if __name__ == "__main__":
    raise SystemExit(main())
