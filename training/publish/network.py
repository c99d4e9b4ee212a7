"""Publish the network of a run: ``python -m training.publish network runs/NAME two_players``.

Copies the network and its learning curve to the game's ``players/models/`` and writes its card: options, training time,
machine, and win rates against an agent on held-out deals.  The card has the steps of the run, also of a run by the
clock, so that its command gives the same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import torch
import tyro

from agents.arena.results import machine
from agents.arena.sequential import Sprt
from agents.networks.network import load_network, read_tensors
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import game_class, game_entry
from porta_nigra_env.players.checkpoint import check_made_for, part_of
from training import ppo
from training.ppo.teacher import fingerprint_of, load_teacher, published_names
from training.publish.cards import Card, Gate, Measured, Spent, cards, read_card
from training.publish.gates import LIMIT, run_gates, with_gates
from training.publish.pages import curve_name, page, write_card
from training.publish.reproduce import measure
from training.run.evaluation import default_opponents, make_opponent
from training.run.folder import CHECKPOINT, CONFIG, CURVE, MACHINE, NETWORK, OLD_METRICS, read_config
from training.run.options import make_games, player_counts
from training.run.ranges import NonNegative, PositiveInt, check_ranges
from training.run.trainer import run_program

#: Options that do not belong on a card.
OMITTED: Final = ("minutes", "start", "pool_networks", *MACHINE)


@dataclass(frozen=True)
class Options:
    """Publish the network of a run."""

    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """Folder of a finished run of training.ppo."""
    model: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")]
    """Name of the published network.  One of an existing name is replaced if the new one passes a gate against it."""
    opponent: str | None = None
    """Opponent of the measurement; by default the strongest agent of the game, otherwise random."""
    deals: PositiveInt = 2000
    """Duplicate deals of the measurement."""
    slack: NonNegative = 0.1
    """Allowed difference between the win rates of this run and of a reproduction."""
    remark: str = ""
    """A paragraph for the card, after the commands."""
    out: Path | None = None
    """Folder; by default that of the published networks."""


class Course(NamedTuple):
    """The runs that made a network, as on a card, with the files of their learning curves, which may be missing."""

    runs: tuple[Mapping[str, Any], ...] = ()
    spent: tuple[Spent, ...] = ()
    curves: tuple[Path, ...] = ()
    teachers: Mapping[str, str] = {}


def course_of(folder: Path) -> Course:
    """Return the course to the network of a run.

    A run may start from a published network, or from the network of another such run.

    Raises:
        ValueError: it started from another network, has other networks in its pool or as a teacher, or is not finished.
    """
    started = read_config(folder, "ppo", ppo.Options)
    if started.pool_networks:
        raise ValueError(f"{folder}: a run with other networks in its pool cannot be reproduced from a card")
    before = _course_before(folder, started.start) if started.start is not None else Course()
    described = _final_description(folder, started)
    values = {name: value for name, value in asdict(started).items() if name not in OMITTED}
    values["total_timesteps"] = int(described["steps"])
    return before._replace(
        runs=(*before.runs, json.loads(json.dumps(values))),
        spent=_add_minutes(before.spent, described["seconds"] / 60, f"{machine()}, torch {torch.__version__}"),
        curves=(*before.curves, folder / CURVE),
        # If two runs had different networks of one name, the first counts, so that a reproduction tells the difference.
        teachers={**_teachers(started), **before.teachers},
    )


def _teachers(started: ppo.Options) -> dict[str, str]:
    """Return the fingerprint of the teacher of a run by its name."""
    return {} if started.teacher is None else {started.teacher: fingerprint_of(started.game, started.teacher)}


def _course_before(folder: Path, start: Path) -> Course:
    """Return the course to the network from which a run started."""
    published = {card.with_suffix(".safetensors").resolve(): card for card in cards().values()}
    file = published.get(start.resolve())
    if file is not None:
        card = read_card(file)
        curves = tuple(start.with_name(curve_name(start.stem, number)) for number in range(len(card.runs)))
        return Course(card.runs, card.spent, curves, card.teachers)
    if start.name == NETWORK and (start.parent / CONFIG).exists():
        return course_of(start.parent)
    raise ValueError(f"{folder}: it started from {start}, which has neither a card nor a run; publish that one first")


def opponent_of(options: Options, started: ppo.Options) -> str:
    """Return the opponent of the measurement."""
    return options.opponent or default_opponents(started.game)[-1]


def make_card(course: Course, options: Options, started: ppo.Options) -> Card:
    """Return the card of the run `options.run`, the last one of a course, which had the options `started`."""
    opponent = opponent_of(options, started)
    results = measure(options.run / NETWORK, started, opponent, options.deals)
    return Card(
        runs=course.runs,
        deals=options.deals,
        opponent=opponent,
        against={
            players: Measured(
                share=(round(one.share.value, 4), round(one.share.low, 4), round(one.share.high, 4)),
                margin=round(one.margin, 1),
                lands_in=(
                    round(max(0.0, one.share.value - options.slack), 2),
                    round(min(1.0, one.share.value + options.slack), 2),
                ),
            )
            for players, one in results.items()
        },
        spent=course.spent,
        remark=options.remark,
        teachers=course.teachers,
    )


def _add_minutes(spent: Sequence[Spent], minutes: float, where: str) -> tuple[Spent, ...]:
    sums = {one.machine: one.minutes for one in spent}
    sums[where] = sums.get(where, 0.0) + minutes
    return tuple(Spent(round(total, 1), name) for name, total in sums.items())


def _final_description(folder: Path, started: ppo.Options) -> Mapping[str, Any]:
    """Return the description of a run's checkpoint; ValueError unless its network is the final one."""
    tensors, described = read_tensors(folder / CHECKPOINT)
    for game in make_games(started):
        check_made_for(folder / CHECKPOINT, described, game)
    final, _ = read_tensors(folder / NETWORK)
    if started.teacher is not None:
        _check_teacher(folder, started, part_of(tensors, "teacher"))
    before = described.get("started_from")
    if before and started.start is not None and load_network(started.start).fingerprint() != before:
        raise ValueError(f"{folder}: {started.start} was replaced since the run started, so a card cannot name it")
    weights = part_of(tensors, "network")
    if any(not torch.equal(tensor, weights[name]) for name, tensor in final.items()):
        raise ValueError(f"{folder}: {NETWORK} is older than {CHECKPOINT}; finish the run with --resume {folder}")
    return {OLD_METRICS.get(name, name): value for name, value in described.items()}


def _check_teacher(folder: Path, started: ppo.Options, tensors: Mapping[str, torch.Tensor]) -> None:
    """Raise ValueError unless the teacher of a run, given by its weights, is published under the name on the card."""
    assert started.teacher is not None
    wanted: Mapping[str, torch.Tensor] = {}
    if started.teacher in published_names(game_class(started.game)):
        wanted = load_teacher(started.teacher, make_games(started)).state_dict()
    if wanted.keys() != tensors.keys() or not all(
        # Machines round the weights of a general network for one component set differently.
        torch.allclose(wanted[name], one, rtol=1e-4, atol=1e-5)
        for name, one in tensors.items()
    ):
        raise ValueError(f"{folder}: no published network is its teacher {started.teacher}, so a card cannot name it")


def _gates(network: Path, replaced: Path, started: ppo.Options) -> dict[str, Gate]:
    """Return the gates against the network that is replaced, if there is one; ValueError if one is not passed."""
    if not replaced.exists():
        return {}
    before = read_card(replaced.with_suffix(".json"))
    players = before.players
    if before.options()[-1].component_sets and not started.component_sets:
        raise ValueError(f"MODEL: {replaced.stem} plays with any component set; train with --component-sets")
    if lost := sorted(set(players) - set(player_counts(started))):
        raise ValueError(f"MODEL: {replaced.stem} plays with {lost} players, too; train for them or name another MODEL")
    games = replace(started, players=tuple(players))
    gates, lines = run_gates(network, replaced, f"the {replaced.stem} before it", games, Sprt(), LIMIT)
    if not all(gate.passed for gate in gates.values()):
        raise ValueError(f"MODEL: not stronger than the published {replaced.stem}; {'; '.join(lines)}")
    return gates


def publish(options: Options) -> str:
    """Write network, learning curves, card and page of a run; return the page.

    A published network of the same name is replaced only by one that passes a gate against it (`gates`).

    Raises:
        ValueError: an option out of range, a gate that is not passed, or as in `course_of`.
    """
    check_ranges(options)
    run, model = options.run, options.model
    if not model.isidentifier():
        raise ValueError(f"MODEL: a name of letters, digits and _, such as two_players, not {model!r}")
    course, started = course_of(run), read_config(run, "ppo", ppo.Options)
    if model in (run.get("teacher") for run in course.runs):
        raise ValueError(f"MODEL: {model} was the teacher; give the new network another name")
    for game in make_games(started):
        make_opponent(opponent_of(options, started), game)
    if options.out is None and Path(started.components).suffix:
        raise ValueError(f"--out: name a folder; a card in the package needs no file of yours, {started.components}")
    folder = options.out or published_folder(started.game)
    gates = _gates(run / NETWORK, folder / f"{model}.safetensors", started)
    card = with_gates(make_card(course, options, started), gates)
    folder.mkdir(parents=True, exist_ok=True)
    for number, curve in enumerate(course.curves):
        if curve.exists():
            write_whole(folder / curve_name(model, number), curve.read_bytes())
    write_whole(folder / f"{model}.safetensors", (run / NETWORK).read_bytes())
    write_card(folder / f"{model}.json", card)
    return page(card, model)


def published_folder(game: str) -> Path:
    """Return the folder of a game's published networks; ValueError if its package has no players."""
    module = import_module(game_entry(game).module)
    assert module.__file__ is not None
    players = Path(module.__file__).parent / "players"
    if not players.is_dir():
        raise ValueError(f"the package of {game} has no players; name a folder with --out")
    return players / "models"


def run(options: Options) -> int:
    """Publish the network, print its page and return the exit code."""

    def show(text: str) -> int:
        print(text)
        return 0

    return run_program(lambda: publish(options), show)
