"""Train a published network anew: ``make reproduce-model``, ``python -m training.reproduce all_players``.

A model's card (``agents/porta_nigra/models/*.json``) holds the arguments of its run, its win shares against
the builder, and the interval in which another run with these arguments has to land: runs differ by their seed, by the
machine's arithmetic and by the number of threads.  A network that was trained on has the arguments of each of its runs.
This trains with the same arguments, measures in the same way, and
fails when a share lies below its interval.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from agents.arena.matches import deal_seed
from agents.networks.network import load_network
from agents.networks.published import NETWORKS
from agents.registry import entries
from training import ppo
from training.collector import compiled
from training.evaluation import Strength, best_action, strength
from training.runs import CHECKPOINT, NETWORK, RunError, read_config
from training.trainer import RunArguments, games_of

#: Deals of the measurement follow from this; training and its evaluations have others.
SEED: Final = 424_242


class CardError(ValueError):
    """A model card that cannot be used."""


def cards() -> dict[str, Path]:
    """The cards beside the published networks, by the name of the model."""
    # The agents of the game enter its networks.
    entries()
    return {card.stem: card for folder in {file.parent for file in NETWORKS.values()} for card in folder.glob("*.json")}


def read_card(file: Path) -> dict[str, Any]:
    """The card's content.

    Raises:
        CardError: it is missing or damaged, or lacks something.
    """
    try:
        card: dict[str, Any] = json.loads(file.read_text())
        known = {one.name for one in fields(ppo.Arguments)}
        card["runs"] = [
            {name: tuple(one) if isinstance(one, list) else one for name, one in run.items()} for run in card["runs"]
        ]
        if strange := sorted({name for run in card["runs"] for name in run} - known):
            raise CardError(f"{file}: runs: training.ppo has no {strange[0]!r}")
        _ = card["runs"][0]
        for players, shares in card["against_builder"].items():
            _, (_, _) = int(players), shares["lands_in"]
        int(card["deals"])
    except CardError:
        raise
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise CardError(f"{file}: not a model card: {error}") from error
    return card


def check_same(folder: Path, wanted: ppo.Arguments) -> None:
    """RunError if the run in `folder` was started with other arguments than those of the card."""
    started = asdict(read_config(folder, "ppo", ppo.Arguments))
    for name, value in asdict(wanted).items():
        # What a card leaves to the machine, the run has settled.
        if name not in ("out", "threads") and value != "auto" and started[name] != value:
            raise RunError(f"{folder}: a run with {name} = {started[name]!r}, not {value!r}; name another --out")


def train(runs: Sequence[Mapping[str, Any]], folder: Path, threads: int) -> Path:
    """The network of runs of which each goes on with that of the one before; the later ones in folders within."""
    network: Path | None = None
    for number, run in enumerate(runs):
        own = folder / f"run-{number + 1}" if number else folder
        wanted = ppo.Arguments(**{**run, "out": own, "start": network, "threads": threads})
        if (own / CHECKPOINT).exists():
            check_same(own, wanted)
            wanted = ppo.Arguments(resume=own, threads=threads)
        training, record = ppo.prepared(wanted)
        training.run(record)
        network = own / NETWORK
    assert network is not None
    return network


def measure(network: Path, players: Sequence[int], deals: int) -> dict[str, Strength]:
    """The network against the builder on the card's deals, by number of players."""
    found = {}
    for game in games_of(RunArguments(players=tuple(players))):
        seeds = [deal_seed(SEED, deal) for deal in range(deals)]
        decide = best_action(load_network(network, game))
        found[str(game.num_players)] = strength(decide, compiled("builder", game), game, seeds)
    return found


def verdict(card: Mapping[str, Any], found: Mapping[str, Strength]) -> tuple[list[str], bool]:
    """A line for each number of players, and whether none is below its interval."""
    lines, right = [], True
    for players, one in found.items():
        low, high = card["against_builder"][players]["lands_in"]
        inside = low <= one.share.value <= high
        place = "inside" if inside else "above" if one.share.value > high else "BELOW"
        right = right and one.share.value >= low
        share = f"{one.share.value:.1%} ({one.share.low:.1%} to {one.share.high:.1%})"
        lines.append(f"{players} players: wins {share} against builders; {place} {low:.0%} to {high:.0%}")
    return lines, right


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 1 if the new network is weaker than the card allows, 2 for what it cannot use."""
    parser = argparse.ArgumentParser(prog="python -m training.reproduce", description=__doc__.split("\n\n", 1)[1])
    published = cards()
    parser.add_argument(
        "model", nargs="?", default="two_players", help=f"a published network: {', '.join(sorted(published))}"
    )
    parser.add_argument("--card", type=Path, default=None, metavar="FILE", help="another card, instead of a model's")
    parser.add_argument(
        "--out", type=Path, default=None, metavar="FOLDER", help="resumable; default: runs/reproduced-MODEL"
    )
    parser.add_argument("--seed", type=int, default=None, help="of the first run (default: the card's)")
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are cores")
    parser.add_argument("--measure-only", action="store_true", help="measure the published network, train nothing")
    arguments = parser.parse_args(argv)
    try:
        file = arguments.card or published.get(arguments.model)
        if file is None:
            raise CardError(f"model: no published network is called {arguments.model!r}; there are {sorted(published)}")
        folder: Path = arguments.out or Path("runs") / f"reproduced-{file.stem}"
        card = read_card(file)
        network = file.with_suffix(".safetensors")
        if not arguments.measure_only:
            first = {} if arguments.seed is None else {"seed": arguments.seed}
            network = train([card["runs"][0] | first, *card["runs"][1:]], folder, arguments.threads)
        players = [int(one) for one in card["against_builder"]]
        lines, right = verdict(card, measure(network, players, card["deals"]))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
