"""Train a published network anew: ``make reproduce-model``, ``python -m training.reproduce two_players``.

A model's card (`training.cards`) holds the arguments of its run, its win shares against an agent, and the interval in
which another run with these arguments has to land: runs differ by their seed, by the machine's arithmetic and by the
number of threads.  A network that was trained on has the arguments of each of its runs.  This trains with the same
arguments, measures in the same way, and fails when a share lies below its interval.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import tyro

from agents.arena.matches import deal_seed
from agents.networks.network import load_network
from training import ppo
from training.arguments import WHERE, as_begun, games_of
from training.cards import Card, CardError, cards, read_card
from training.evaluation import Strength, best_action, strength
from training.opponents import opponent
from training.runs import CHECKPOINT, NETWORK, RunError, read_config
from training.trainer import interruptible

#: Deals of the measurement follow from this; training and its evaluations have others.
SEED: Final = 424_242


@dataclass(frozen=True)
class Arguments:
    """Train a published network anew, and check that it is as strong as its card says."""

    model: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")] = None
    """A published network."""
    card: Path | None = None
    """Another card, instead of a model's."""
    out: Path | None = None
    """Folder of the runs, resumable; by default runs/reproduced-MODEL."""
    seed: int | None = None
    """Of the first run; by default the card's."""
    threads: int = 0
    """0: as many as there are cores."""
    measure_only: bool = False
    """Measure the published network, train nothing."""


def check_same(folder: Path, wanted: ppo.Arguments) -> None:
    """RunError if the run in `folder` was started with other arguments than those of the card; ValueError as of
    `as_begun`."""
    started = asdict(read_config(folder, "ppo", ppo.Arguments))
    for name, value in asdict(as_begun(wanted.completed())).items():
        # What a card leaves to the machine, the run has settled.
        if name not in ("out", "threads", *WHERE) and value != "auto" and started[name] != value:
            raise RunError(f"{folder}: a run with {name} = {started[name]!r}, not {value!r}; name another --out")


def trained(wanted: ppo.Arguments) -> Path:
    """The network of a run in its folder `out`: brought to its end, if it is not there already.

    Raises:
        ValueError: the folder has another run, or one that cannot be gone on with.
    """
    folder = wanted.out
    assert folder is not None, "without a folder there is nothing to go on with"
    if (folder / CHECKPOINT).exists():
        check_same(folder, wanted)
        wanted = ppo.Arguments(resume=folder, threads=wanted.threads)
    if not (folder / NETWORK).exists():
        training, record = ppo.prepared(wanted)
        training.run(record)
    return folder / NETWORK


def train(runs: Sequence[ppo.Arguments], folder: Path, threads: int) -> Path:
    """The network of runs of which each goes on with that of the one before; the later ones in folders within."""
    network: Path | None = None
    for number, run in enumerate(runs):
        own = folder / f"run-{number + 1}" if number else folder
        network = trained(replace(run, out=own, start=network, threads=threads))
    assert network is not None
    return network


def measure(network: Path, arguments: ppo.Arguments, against: str, deals: int) -> dict[str, Strength]:
    """The network against an agent on the card's deals, by number of players; games are those of `arguments`."""
    found = {}
    for game in games_of(arguments):
        seeds = [deal_seed(SEED, deal) for deal in range(deals)]
        decide = best_action(load_network(network, game))
        found[str(game.num_players)] = strength(decide, opponent(against, game), game, seeds)
    return found


def verdict(card: Card, found: Mapping[str, Strength]) -> tuple[list[str], bool]:
    """A line for each number of players, and whether none is below its interval."""
    lines, right = [], True
    for players, one in found.items():
        low, high = card.against[players].lands_in
        inside = low <= one.share.value <= high
        place = "inside" if inside else "above" if one.share.value > high else "BELOW"
        right = right and one.share.value >= low
        share = f"{one.share.value:.1%} ({one.share.low:.1%} to {one.share.high:.1%})"
        lines.append(f"{players} players: wins {share} against {card.opponent}; {place} {low:.0%} to {high:.0%}")
    return lines, right


def card_file(arguments: Arguments) -> Path:
    """The card that is asked for; CardError if there is none."""
    published = cards()
    if arguments.card is not None:
        if arguments.model is not None:
            raise CardError(f"--card: it is asked for instead of a model's; leave out {arguments.model} or --card")
        return arguments.card
    if arguments.model in published:
        return published[arguments.model]
    there = f"there are {', '.join(sorted(published))}"
    if arguments.model is None:
        raise CardError(f"MODEL: name a published network; {there}")
    raise CardError(f"MODEL: no published network is called {arguments.model!r}; {there}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 if the new network is weaker than the card allows, 2 for what it cannot use, 130 when
    interrupted."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m training.reproduce")
    return interruptible(lambda: reproduced(arguments))


def reproduced(arguments: Arguments) -> int:
    """What `main` answers."""
    try:
        file = card_file(arguments)
        card = read_card(file)
        if arguments.measure_only and (arguments.seed is not None or arguments.out is not None):
            raise CardError("--measure-only: nothing is trained; leave out --seed and --out")
        runs = card.arguments()
        network = file.with_suffix(".safetensors")
        if not arguments.measure_only:
            if arguments.seed is not None:
                runs[0] = replace(runs[0], seed=arguments.seed)
            network = train(runs, arguments.out or Path("runs") / f"reproduced-{file.stem}", arguments.threads)
        measured = replace(runs[-1], players=card.players)
        lines, right = verdict(card, measure(network, measured, card.opponent, card.deals))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
