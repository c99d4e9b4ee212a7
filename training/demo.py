"""From nothing to a player: ``python -m training.demo``.

Trains a network for two players by self-play for three minutes, then plays it against random, greedy and builder on
duplicate deals and prints the ladder.  The run's folder keeps the network, the learning curve and the games.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from agents.tournament import room_of, run, write_report
from training import ppo
from training.runs import CHECKPOINT, NETWORK, RunError, read_config

#: Whom the network meets.
OPPONENTS = ("random", "greedy", "builder")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    parser = argparse.ArgumentParser(prog="python -m training.demo", description=__doc__.split("\n\n", 1)[1])
    parser.add_argument("--minutes", type=float, default=3.0, help="of training (default 3)")
    parser.add_argument("--games", type=int, default=400, help="of each pair of agents in the ladder (default 400)")
    parser.add_argument("--out", type=Path, default=Path("runs/demo"), metavar="FOLDER", help="default runs/demo")
    parser.add_argument("--seed", type=int, default=1, help="of training and deals (default 1)")
    arguments = parser.parse_args(argv)
    if arguments.games < 1:
        parser.error("--games must be positive")
    folder: Path = arguments.out
    try:
        if (folder / CHECKPOINT).exists():
            if (seed := read_config(folder, "ppo", ppo.Arguments).seed) != arguments.seed:
                raise RunError(f"--seed: the run in {folder} has {seed}; name another folder with --out")
            print(f"going on with the run in {folder}", flush=True)
            training, record = ppo.prepared(ppo.Arguments(resume=folder, minutes=arguments.minutes))
        else:
            chosen = ppo.Arguments(out=folder, minutes=arguments.minutes, seed=arguments.seed)
            training, record = ppo.prepared(chosen)
    except (ValueError, RunError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"A network learns two-player Porta Nigra from itself, for {arguments.minutes:g} minutes.\n", flush=True)
    training.run(record)

    network = f"network:checkpoint={folder / NETWORK}"
    # Games of another network are not this one's, also where it stands in a file of the same name.
    ladder = folder / f"ladder-{hashlib.sha256((folder / NETWORK).read_bytes()).hexdigest()[:8]}"
    print(f"\nEvery pair of agents now plays {arguments.games} games on duplicate deals.\n", flush=True)
    results = run(room_of((*OPPONENTS, network), arguments.seed), [2], arguments.games, ladder, jobs=1, progress=True)
    report = write_report(ladder, results)
    print(report.terminal())
    print(f"learning curve: {record.draw()}\nnetwork: {folder / NETWORK}\nladder with plots: {ladder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
