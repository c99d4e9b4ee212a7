"""Publish the network of a run: ``python -m training.publish runs/NAME two_players``.

Copies the network and its learning curve to where the game's published ones are, ``players/models/`` in its room, and
writes its card: the arguments that train it anew, time, machine, and its win shares against an agent on deals that no
training and no evaluation has seen.  A run by the clock is published with the decisions it came to, so that the card's
command is the same everywhere.  ``--pages`` writes the pages of all cards anew, with the places of their networks on
the published ladder.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import torch
import tyro

from agents.arena.ladder import PUBLISHED, Row, read_ladder
from agents.arena.results import machine
from agents.networks.network import read_tensors
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import DEFAULT_GAME, game_class, game_entry
from porta_nigra_env.players.checkpoint import check_made_for, part_of
from training.cards import Card, Measured, Spent, cards, read_card, text_of
from training.ppo import program as ppo
from training.ppo.arguments import WHERE, games_of
from training.reproduce import measure
from training.run.checks import check_least
from training.run.folder import CHECKPOINT, CURVE, NETWORK, read_config
from training.run.opponents import rivals

#: What has no part in what is learned.
LEFT_OUT: Final = ("out", "resume", "minutes", "threads", "device", "precision", "start", "rivals", *WHERE)


@dataclass(frozen=True)
class Arguments:
    """Publish the network of a run, or write the pages of the published ones anew."""

    run: Annotated[Path | None, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")] = None
    """Folder of a run of training.ppo, at its end."""
    model: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")] = None
    """What it is published as."""
    pages: bool = False
    """Write the pages of the published cards anew, no more."""
    opponent: str | None = None
    """Whom it is measured against; by default the strongest agent that the game has of its own, else random."""
    deals: int = 2000
    """Of the measurement."""
    slack: float = 0.1
    """How far another run's shares may be from this one's."""
    out: Path | None = None
    """Folder; by default where the published ones are."""


def card_of(folder: Path, asked: Arguments) -> Card:
    """The card of a run's network.

    Raises:
        ValueError: no run of `training.ppo`, one that began with a network that has no card, or one that is not over.
    """
    chosen = read_config(folder, "ppo", ppo.Arguments)
    against = asked.opponent or rivals(chosen.game)[-1]
    earlier = Card(runs=(), deals=asked.deals, opponent=against, against={})
    if chosen.start is not None:
        if chosen.start.resolve() not in {file.with_suffix(".safetensors").resolve() for file in cards().values()}:
            raise ValueError(f"{folder}: it began with {chosen.start}, which is no published network: it has no card")
        earlier = read_card(chosen.start.with_suffix(".json"))
    if chosen.rivals:
        raise ValueError(f"{folder}: a run with other networks in its pool cannot be trained anew from a card")
    described = _finished(folder, chosen)
    arguments = {name: value for name, value in asdict(chosen).items() if name not in LEFT_OUT}
    arguments["decisions"] = int(described["decisions"])
    found = measure(folder / NETWORK, chosen, against, asked.deals)
    return Card(
        runs=(*earlier.runs, json.loads(json.dumps(arguments))),
        deals=asked.deals,
        opponent=against,
        against={
            players: Measured(
                share=(round(one.share.value, 4), round(one.share.low, 4), round(one.share.high, 4)),
                margin=round(one.margin, 1),
                lands_in=(
                    round(max(0.0, one.share.value - asked.slack), 2),
                    round(min(1.0, one.share.value + asked.slack), 2),
                ),
            )
            for players, one in found.items()
        },
        spent=_added(earlier.spent, described["seconds"] / 60, f"{machine()}, torch {torch.__version__}"),
        remark=earlier.remark,
    )


def _added(spent: Sequence[Spent], minutes: float, where: str) -> tuple[Spent, ...]:
    """With some minutes more on a machine."""
    sums = {one.machine: one.minutes for one in spent}
    sums[where] = sums.get(where, 0.0) + minutes
    return tuple(Spent(round(sum_, 1), name) for name, sum_ in sums.items())


def _finished(folder: Path, chosen: ppo.Arguments) -> Mapping[str, Any]:
    """The description of a run's checkpoint; ValueError unless its network is that of the end."""
    tensors, described = read_tensors(folder / CHECKPOINT)
    for game in games_of(chosen):
        check_made_for(folder / CHECKPOINT, described, game)
    finished, _ = read_tensors(folder / NETWORK)
    kept = part_of(tensors, "network")
    if any(not torch.equal(one, kept[name]) for name, one in finished.items()):
        raise ValueError(
            f"{folder}: {NETWORK} is older than {CHECKPOINT}; bring the run to its end with --resume {folder}"
        )
    return described


def page(card: Card, name: str) -> str:
    """The card for people."""
    runs = card.arguments()
    commands = [command_of(run, number, number + 1 < len(runs)) for number, run in enumerate(runs)]
    remark = [card.remark, ""] if card.remark else []
    others = sorted({f"`{one}`" for run in runs if run.pool for one in run.completed().pool_agents or ()})
    met = f" and in games against {', '.join([*others, 'past selves'])}" if any(run.pool for run in runs) else ""
    lines = [
        f"# {name}", "",
        f"Trained by self-play{met} for {', '.join(card.against)} players: "
        f"{' and '.join(format(run.decisions / 1e6, '.0f') for run in runs)} million decisions, "
        f"seed {' and '.join(str(run.seed) for run in runs)}, "
        f"{' and '.join(f'{one.minutes:.0f} minutes on {one.machine}' for one in card.spent)}.", "",
        "```", *commands, f"python -m training.reproduce {name}", "```", "", *remark,
        f"Most probable action, no search, against `{card.opponent}` on {card.deals} duplicate deals, each from every "
        "seat:", "",
        "| players | wins | 95 % | even | margin | another run may land in |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for players, one in card.against.items():
        share, low, high = one.share
        least, most = one.lands_in
        lines.append(
            f"| {players} | {share:.1%} | {low:.1%} to {high:.1%} | {1 / int(players):.0%} | {one.margin:+.1f} "
            f"| {least:.0%} to {most:.0%} |"
        )
    ladder, game = read_ladder(PUBLISHED), runs[-1].game
    of_game = ladder.players if ladder.game == game_version(game) else {}
    places = [line for players in card.against for line in _place(game, name, players, of_game.get(players, ()))]
    if places:
        head = ["", "On [the ladder](../../../../../docs/agents.md#the-ladder), as the agent `network`:", ""]
        lines += [*head, "| players | place | rating | 95 % | win share | 95 % |", "|---|---|---|---|---|---|", *places]
    lines += _exploited(card)
    for number in range(len(runs)):
        lines += ["", f"![learning curve]({_curve(name, number)})"]
    lines.append("")
    return "\n".join(lines)


def _exploited(card: Card) -> list[str]:
    """What the card says about exploiters."""
    if not card.exploiters:
        return []
    asked = dict.fromkeys(" ".join(one.options) for one in card.exploiters.values())
    lines = [
        "", "Exploiters, each trained against this network on all the other seats, where it plays its most probable "
        "action: the games that they win at their first and last measurement, and at the best one.", "",
        "```", *(f"python -m training.best_response {options}" for options in asked), "```", "",
        "| players | exploiter's decisions | wins | 95 % | even | with search |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for players, one in card.exploiters.items():
        best = max(one.curve, key=lambda point: point[1])
        for decisions, share, low, high in sorted({one.curve[0], best, one.curve[-1]}):
            search = f"{one.search[0]:.1%}" if one.search and decisions == one.curve[-1][0] else ""
            lines.append(
                f"| {players} | {decisions / 1e6:.1f} M | {share:.1%} | {low:.1%} to {high:.1%} "
                f"| {1 / int(players):.0%} | {search} |"
            )
    return lines


def game_version(game: str) -> str:
    """A game as ladders call it, with the version of its environment."""
    return f"{game}_v{game_entry(game).version}"


def _curve(name: str, number: int) -> str:
    """The file of a run's learning curve beside the card."""
    return f"{name}_{number + 1}.png" if number else f"{name}.png"


def _earlier_curve(start: Path | None, number: int) -> Path:
    """The learning curve of a run before the last one, beside the published network that the last one began with."""
    assert start is not None, "a card has several runs only where the last one goes on"
    return start.with_name(_curve(start.stem, number))


def command_of(run: ppo.Arguments, number: int = 0, more: bool = False) -> str:
    """How a run of a card is started; one that another goes on from names its folder."""
    options = ["python -m training.ppo"]
    if run.game != DEFAULT_GAME:
        options += ["--game", run.game]
    if number:
        options += ["--start", f"runs/part-{number}/{NETWORK}"]
    defaults = asdict(ppo.Arguments(game=run.game).completed())
    for key, value in asdict(run.completed()).items():
        name = key.replace("_", "-")
        if value == defaults[key]:
            continue
        if isinstance(value, bool):
            options.append(f"--{name}" if value else f"--no-{name}")
        else:
            options += [f"--{name}", *map(str, value if isinstance(value, tuple) else [value])]
    return " ".join([*options, "--out", f"runs/part-{number + 1}"] if more else options)


def _place(game: str, name: str, players: str, rungs: Sequence[Row]) -> list[str]:
    """A line of the page if the network is the one that `network` plays on the published ladder at so many players."""
    file = game_class(game).networks().get(int(players))
    if file is None or file.stem != name:
        return []
    lines = []
    for place, one in enumerate(rungs, 1):
        if one.agent == "network":
            rating, lowest, highest = one.rating
            share, low, high = one.win
            lines.append(
                f"| {players} | {place} of {len(rungs)} | {rating:.0f} | {lowest:.0f} to {highest:.0f} "
                f"| {share:.1%} | {low:.1%} to {high:.1%} |"
            )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for what it cannot use."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m training.publish")
    try:
        if arguments.pages:
            if arguments != Arguments(pages=True):
                raise ValueError("--pages: it writes the pages of all cards and nothing else; leave out the rest")
            pages = {file: page(read_card(file), name) for name, file in cards().items()}
            for file, text in pages.items():
                write_whole(file.with_suffix(".md"), text)
            return 0
        published = publish(arguments)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(published)
    return 0


def publish(arguments: Arguments) -> str:
    """Write network, learning curve, card and page of a run; the page.

    Raises:
        ValueError: as of `card_of`, or arguments that are missing or out of range.
    """
    run, model = arguments.run, arguments.model
    if run is None or model is None:
        raise ValueError("the run's folder and the model's name are needed (or --pages)")
    check_least(arguments, {"deals": 1, "slack": 0.0})
    chosen = read_config(run, "ppo", ppo.Arguments)
    folder = arguments.out or published_folder(chosen.game)
    card = card_of(run, arguments)
    folder.mkdir(parents=True, exist_ok=True)
    last = len(card.runs) - 1
    curves = {number: _earlier_curve(chosen.start, number) for number in range(last)} | {last: run / CURVE}
    for number, source in curves.items():
        if source.exists():
            write_whole(folder / _curve(model, number), source.read_bytes())
    write_whole(folder / f"{model}.safetensors", (run / NETWORK).read_bytes())
    write_whole(folder / f"{model}.json", text_of(card))
    write_whole(folder / f"{model}.md", page(card, model))
    return page(card, model)


def published_folder(game: str) -> Path:
    """Where the networks of a game are published; ValueError if its room has no players."""
    module = import_module(game_entry(game).module)
    assert module.__file__ is not None
    players = Path(module.__file__).parent / "players"
    if not players.is_dir():
        raise ValueError(f"the room of {game} has no players; name a folder with --out")
    return players / "models"


if __name__ == "__main__":
    raise SystemExit(main())
