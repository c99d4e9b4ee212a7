"""Train a published network anew: ``make reproduce-model``, ``python -m training.reproduce two_players``.

A model's card (`training.cards`) holds the arguments of its run, its win shares against an agent, and the interval in
which another run with these arguments has to land: runs differ by their seed, by the machine's arithmetic and by the
number of threads.  A network that was trained on has the arguments of each of its runs.  This trains with the same
arguments, measures in the same way, and fails when a share lies below its interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import tyro

from agents.arena.matches import deal_seed
from agents.networks.network import load_network
from training.cards import Card, CardError, cards, read_card
from training.ppo import program as ppo
from training.ppo.arguments import games_of
from training.run.evaluation import Strength, best_action, strength
from training.run.opponents import opponent
from training.run.resume import trained
from training.run.trainer import answer

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
    """The command line; 1 also if the new network is weaker than the card allows, else as of `trainer.answer`."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m training.reproduce")
    return answer(lambda: asked_for(arguments), lambda asked: reproduced(arguments, *asked))


def asked_for(arguments: Arguments) -> tuple[Path, Card, list[ppo.Arguments]]:
    """The card's file, the card, and the runs; ValueError that names the first argument that cannot be used."""
    file = card_file(arguments)
    card = read_card(file)
    if arguments.measure_only and (arguments.seed is not None or arguments.out is not None):
        raise CardError("--measure-only: nothing is trained; leave out --seed and --out")
    runs = card.arguments()
    if arguments.seed is not None:
        runs[0] = replace(runs[0], seed=arguments.seed)
    for run in runs:
        ppo.check(replace(run, threads=arguments.threads))
    return file, card, runs


def reproduced(arguments: Arguments, file: Path, card: Card, runs: Sequence[ppo.Arguments]) -> int:
    """Train, where that is asked for, and measure."""
    network = file.with_suffix(".safetensors")
    if not arguments.measure_only:
        network = train(runs, arguments.out or Path("runs") / f"reproduced-{file.stem}", arguments.threads)
    measured = replace(runs[-1], players=card.players)
    lines, right = verdict(card, measure(network, measured, card.opponent, card.deals))
    print("\n".join(lines))
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
