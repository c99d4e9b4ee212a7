"""Reproduce a published network: ``make reproduce-model``, ``python -m training.publish reproduce two_players``.

Trains with the options of the model's card, measures as the card does, and fails if a win rate is below the card's
interval.  Reproductions differ by seed, machine arithmetic and number of threads.  If a network has several runs, each
starts from the network of the run before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import tyro

from agents.networks.network import PlayingNetwork, load_network
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.positions.components import VARIED
from training import ppo
from training.ppo.teacher import fingerprint_of, load_teacher
from training.publish.cards import Card, CardError, card_of, read_card
from training.run.evaluation import HELD_OUT, BestAction, Strength, make_opponent, over_sets, seeds_of_set, strength
from training.run.options import make_games
from training.run.ranges import NonNegativeInt
from training.run.trainer import run_program

#: First seed of the measurement; training and its evaluations use other deals.
SEED: Final = 424_242
#: Drawn component sets that measure a network of several.
SETS: Final = 20


@dataclass(frozen=True)
class Options:
    """Train a published network again and check its strength against its card."""

    model: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")] = None
    """Name of a published network."""
    card: Path | None = None
    """File of another card."""
    out: Path | None = None
    """Folder of the runs, which can be resumed; by default runs/reproduced-MODEL."""
    seed: int | None = None
    """Seed of the first run; by default the card's."""
    threads: NonNegativeInt = 0
    """Threads; 0 uses all cores."""
    measure_only: bool = False
    """Measure the published network without training."""


def train(runs: Sequence[ppo.Options], folder: Path, threads: int) -> Path:
    """Train all runs, later ones in subfolders, and return the last network."""
    network: Path | None = None
    for number, run in enumerate(runs):
        out = folder / f"run-{number + 1}" if number else folder
        network = ppo.train_in_folder(replace(run, out=out, start=network, threads=threads))
    assert network is not None
    return network


def held_out(options: ppo.Options) -> list[ppo.Options]:
    """Return the options with each of the `SETS` drawn component sets of measurements."""
    return [replace(options, components=f"{VARIED}{HELD_OUT + number}") for number in range(SETS)]


def measure(network: Path, options: ppo.Options, opponent: str, deals: int) -> dict[str, Strength]:
    """Return the strength of a network on the card's deals, by number of players, in the games of `options`.

    A network of several component sets plays with `SETS` others.  The deals are divided among them.
    """

    def of(game: Game, played: PlayingNetwork, count: int, number: int = 0) -> Strength:
        seeds = seeds_of_set(SEED, number, 0, count)
        return strength(BestAction(played.for_game(game)), make_opponent(opponent, game), game, seeds)

    standard = make_games(options)
    if not options.component_sets:
        return {str(game.num_players): of(game, load_network(network, game), deals) for game in standard}
    general = load_network(network, standard[0])
    games = zip(*map(make_games, held_out(options)), strict=True)
    count = max(1, deals // SETS)
    results = ([of(game, general, count, number) for number, game in enumerate(one)] for one in games)
    return {str(game.num_players): over_sets(one) for game, one in zip(standard, results, strict=True)}


def verdict(card: Card, results: Mapping[str, Strength]) -> tuple[list[str], bool]:
    """Return a line per number of players, and whether no win rate is below the card's interval."""
    lines, passed = [], True
    for players, one in results.items():
        low, high = card.against[players].lands_in
        inside = low <= one.share.value <= high
        position = "inside" if inside else "above" if one.share.value > high else "BELOW"
        passed = passed and one.share.value >= low
        share = f"{one.share.value:.1%} ({one.share.low:.1%} to {one.share.high:.1%})"
        lines.append(f"{players} players: wins {share} against {card.opponent}; {position} {low:.0%} to {high:.0%}")
    return lines, passed


def card_file(options: Options) -> Path:
    """Return the file of the requested card; CardError without one."""
    if options.card is not None:
        if options.model is not None:
            raise CardError(f"--card: it replaces a model's card; leave out {options.model} or --card")
        return options.card
    return card_of(options.model)


def check(options: Options) -> tuple[Path, Card, list[ppo.Options]]:
    """Return the card's file, the card and its runs; ValueError names the first option that cannot be used."""
    file = card_file(options)
    card = read_card(file)
    if options.measure_only and (options.seed is not None or options.out is not None):
        raise CardError("--measure-only: nothing is trained; leave out --seed and --out")
    runs = card.options()
    if options.seed is not None:
        runs[0] = replace(runs[0], seed=options.seed)
    for run in runs:
        ppo.check(replace(run, threads=options.threads))
        if run.teacher is not None:
            load_teacher(run.teacher, make_games(run))
    return file, card, runs


def reproduce(options: Options, file: Path, card: Card, runs: Sequence[ppo.Options]) -> int:
    """Train, unless only a measurement is requested, measure, and return the exit code."""
    network = file.with_suffix(".safetensors")
    if not options.measure_only:
        for line in replaced_teachers(card, runs[-1].game):
            print(line)
        network = train(runs, options.out or Path("runs") / f"reproduced-{file.stem}", options.threads)
    last = replace(runs[-1], players=card.players)
    lines, passed = verdict(card, measure(network, last, card.opponent, card.deals))
    print("\n".join(lines))
    return 0 if passed else 1


def replaced_teachers(card: Card, game: str) -> list[str]:
    """Return a line for each teacher whose name has another published network now."""
    return [
        f"--teacher {name}: the published network has changed since, so the training differs from the card's"
        for name, fingerprint in card.teachers.items()
        if fingerprint_of(game, name) != fingerprint
    ]


def run(options: Options) -> int:
    """Reproduce a network; return 1 if it is weaker than its card allows, else the code of `run_program`."""
    return run_program(lambda: check(options), lambda checked: reproduce(options, *checked))
