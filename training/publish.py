"""Publish the network of a run: ``python -m training.publish runs/NAME two_players``.

Copies the network and its learning curve to ``agents/porta_nigra/models/`` and writes its card: the arguments that
train it anew, time, machine, and its win shares against builders on deals that no training and no evaluation has seen.
A run by the clock is published with the decisions it came to, so that the card's command is the same everywhere.
``--pages`` writes the pages of all cards anew, with the places of their networks on the published ladder.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import torch

from agents.arena.results import machine
from agents.files import write_whole
from agents.ladder import PUBLISHED, read_ladder
from agents.networks.network import check_made_for, part_of, read_tensors
from agents.networks.published import NETWORKS
from training import ppo
from training.reproduce import cards, measure, read_card
from training.runs import CHECKPOINT, CURVE, NETWORK, read_config
from training.trainer import games_of

#: What has no part in what is learned.
LEFT_OUT: Final = ("out", "resume", "minutes", "threads", "device", "precision", "start", "rivals")


def card_of(folder: Path, deals: int, slack: float) -> dict[str, Any]:
    """The card of a run's network.

    Raises:
        ValueError: no run of `training.ppo`, one that began with a network that has no card, or one that is not over.
    """
    chosen = read_config(folder, "ppo", ppo.Arguments)
    earlier: dict[str, Any] = {"runs": [], "minutes": 0.0}
    if chosen.start is not None:
        if chosen.start.resolve() not in {file.with_suffix(".safetensors").resolve() for file in cards().values()}:
            raise ValueError(f"{folder}: it began with {chosen.start}, which is no published network: it has no card")
        earlier = read_card(chosen.start.with_suffix(".json"))
    if chosen.rivals:
        raise ValueError(f"{folder}: a run with other networks in its pool cannot be trained anew from a card")
    tensors, described = read_tensors(folder / CHECKPOINT)
    games = games_of(chosen)
    for game in games:
        check_made_for(folder / CHECKPOINT, described, game)
    finished, _ = read_tensors(folder / NETWORK)
    kept = part_of(tensors, "network")
    if any(not torch.equal(one, kept[name]) for name, one in finished.items()):
        raise ValueError(
            f"{folder}: {NETWORK} is older than {CHECKPOINT}; bring the run to its end with --resume {folder}"
        )
    arguments = {name: value for name, value in asdict(chosen).items() if name not in LEFT_OUT}
    arguments["decisions"] = int(described["decisions"])
    found = measure(folder / NETWORK, chosen.players, deals)
    against = {
        players: {
            "share": [round(value, 4) for value in one.share],
            "margin": round(one.margin, 1),
            "lands_in": [round(max(0.0, one.share.value - slack), 2), round(min(1.0, one.share.value + slack), 2)],
        }
        for players, one in found.items()
    }
    return {
        "runs": [*earlier["runs"], json.loads(json.dumps(arguments))],
        "remark": earlier.get("remark", ""),
        "minutes": round(earlier["minutes"] + described["seconds"] / 60, 1),
        "machine": f"{machine()}, torch {torch.__version__}",
        "deals": deals,
        "against_builder": against,
    }


def page(card: Mapping[str, Any], name: str) -> str:
    """The card for people."""
    runs = card["runs"]
    commands = [_command(run, place, place + 1 < len(runs)) for place, run in enumerate(runs)]
    remark = [card["remark"], ""] if card.get("remark") else []
    lines = [
        f"# {name}", "",
        f"Trained by self-play for {', '.join(card['against_builder'])} players: "
        f"{' and '.join(format(run['decisions'] / 1e6, '.0f') for run in runs)} million decisions, "
        f"seed {' and '.join(str(run.get('seed', 1)) for run in runs)}, "
        f"{card['minutes']:.0f} minutes on {card['machine']}.", "",
        "```", *commands, f"python -m training.reproduce {name}", "```", "", *remark,
        f"Most probable action, no search, against builders on {card['deals']} duplicate deals from every seat:", "",
        "| players | wins | 95 % | even | margin | another run may land in |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for players, one in card["against_builder"].items():
        share, low, high = one["share"]
        least, most = one["lands_in"]
        lines.append(
            f"| {players} | {share:.1%} | {low:.1%} to {high:.1%} | {1 / int(players):.0%} | {one['margin']:+.1f} "
            f"| {least:.0%} to {most:.0%} |"
        )
    ladder = read_ladder(PUBLISHED)["players"]
    places = [line for players in card["against_builder"] for line in _place(name, players, ladder.get(players, []))]
    if places:
        head = ["", "On [the ladder](../../../docs/agents.md#the-ladder), as the agent `network`:", ""]
        lines += [*head, "| players | place | rating | 95 % | win share | 95 % |", "|---|---|---|---|---|---|", *places]
    for place in range(len(runs)):
        lines += ["", f"![learning curve]({_curve(name, place)})"]
    lines.append("")
    return "\n".join(lines)


def _curve(name: str, place: int) -> str:
    """The file of a run's learning curve beside the card."""
    return f"{name}_{place + 1}.png" if place else f"{name}.png"


def _command(run: Mapping[str, Any], place: int, more: bool) -> str:
    """How a run of a card is started; one that another goes on from names its folder."""
    options = ["python -m training.ppo"]
    if place:
        options += ["--start", f"runs/part-{place}/{NETWORK}"]
    for key, value in run.items():
        several = isinstance(value, list | tuple)
        if (tuple(value) if several else value) != getattr(ppo.Arguments(), key):
            options += [f"--{key.replace('_', '-')}", *map(str, value if several else [value])]
    return " ".join([*options, "--out", f"runs/part-{place + 1}"] if more else options)


def _place(name: str, players: str, rungs: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line of the page if the network is the one that `network` plays on the published ladder at so many players."""
    if {file.stem for (_, count), file in NETWORKS.items() if str(count) == players} != {name}:
        return []
    lines = []
    for place, one in enumerate(rungs, 1):
        if one["agent"] == "network":
            rating, lowest, highest = one["rating"]
            share, low, high = one["win"]
            lines.append(
                f"| {players} | {place} of {len(rungs)} | {rating:.0f} | {lowest:.0f} to {highest:.0f} "
                f"| {share:.1%} | {low:.1%} to {high:.1%} |"
            )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for what it cannot use."""
    names = cards()
    parser = argparse.ArgumentParser(prog="python -m training.publish", description=__doc__.split("\n\n", 1)[1])
    parser.add_argument("run", type=Path, nargs="?", metavar="FOLDER", help="of training.ppo, at its end")
    parser.add_argument("model", nargs="?", choices=sorted(names), help="what it is published as")
    parser.add_argument("--pages", action="store_true", help="write the pages of the published cards anew, no more")
    parser.add_argument("--deals", type=int, default=2000, help="of the measurement (default 2000)")
    parser.add_argument(
        "--slack", type=float, default=0.1, help="how far another run's shares may be from this one's (default 0.1)"
    )
    parser.add_argument("--out", type=Path, default=None, metavar="FOLDER", help="default: where published ones are")
    arguments = parser.parse_args(argv)
    if arguments.deals < 1 or not arguments.slack > 0:
        parser.error("--deals and --slack must be positive")
    if arguments.pages:
        for name, file in names.items():
            write_whole(file.with_suffix(".md"), page(read_card(file), name))
        return 0
    if arguments.model is None:
        parser.error("FOLDER and the model's name are needed (or --pages)")
    folder: Path = arguments.out or names[arguments.model].parent
    try:
        card = card_of(arguments.run, arguments.deals, arguments.slack)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    curve = _curve(arguments.model, len(card["runs"]) - 1)
    for source, target in ((NETWORK, f"{arguments.model}.safetensors"), (CURVE, curve)):
        write_whole(folder / target, (arguments.run / source).read_bytes())
    write_whole(folder / f"{arguments.model}.json", json.dumps(card, indent=1) + "\n")
    write_whole(folder / f"{arguments.model}.md", page(card, arguments.model))
    print(page(card, arguments.model))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
