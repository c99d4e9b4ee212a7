"""Arguments that runs share, defaults that depend on game and machine, and how a run goes on with its own ones."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Self, TypeVar

import torch

from agents.networks.network import load_network
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import DEFAULT_GAME, make_game
from porta_nigra_env.players.network import Shape
from training.run.checks import check_least, check_players
from training.run.folder import RunError, read_config
from training.run.opponents import opponent, rivals
from training.run.seeds import check_run_seed

#: What may change when a run goes on.
CHANGEABLE: Final = ("minutes", "decisions", "threads", "device", "precision")
#: And of those that have it, where games are played.
WHERE: Final = ("collectors", "jobs", "address")


@dataclass(frozen=True)
class RunArguments:
    """Arguments of every run."""

    #: What versions without an argument did, where its default is something else.
    EARLIER: ClassVar[Mapping[str, Any]] = {"norm": False}

    game: str = DEFAULT_GAME
    """What is played (porta_nigra_env.games)."""
    out: Path | None = None
    """Folder of the run; by default runs/ALGORITHM-SEED."""
    resume: Path | None = None
    """Folder of a run to go on with; only `minutes`, `decisions`, `threads`, `device`, `precision` and where games are
    played may be given beside it."""
    start: Path | None = None
    """Network to begin with, a file of an earlier run; by default a new one."""
    players: tuple[int, ...] = ()
    """Numbers of players to train for, all with one network; by default the fewest of the game."""
    components: str = "standard"
    """The component set that is played with: standard, or a component file."""
    minutes: float | None = None
    """Time of training; schedules follow it.  By default 3, or what `decisions` take."""
    decisions: int = 0
    """Decisions to play, in all seats together; with one thread the result then follows from the seed alone."""
    seed: int = 1
    """Of weights, games, worlds and actions."""
    threads: int = 0
    """Of torch and of the games; 0: as many as there are cores."""
    device: str = "auto"
    """cpu, cuda, or auto: cuda where there is one; the run keeps what it is started on."""
    precision: str = "auto"
    """float32, bfloat16, or auto: bfloat16 where the machine multiplies it fast; the run keeps what it is started
    with."""
    width: int = 256
    """Units of a layer."""
    blocks: int = 1
    """Residual layers between the first one and the heads."""
    norm: bool = True
    """What enters a residual layer, or the heads, is brought to mean 0 and variance 1 (layer normalization)."""
    evaluate: tuple[str, ...] | None = None
    """Agents that the network, without search, is measured against; by default the game's own, else random."""
    evaluations: int = 10
    """How often, evenly over the run, and at the end."""
    deals: int = 250
    """Duplicate deals of an evaluation, each from every seat."""

    def without_files(self) -> Self:
        """The same without the networks that it began with, which its checkpoints hold."""
        return replace(self, start=None)

    def completed(self) -> Self:
        """The same with the defaults of its game where nothing is named; ValueError if there is no such game."""
        evaluate = rivals(self.game) if self.evaluate is None else self.evaluate
        return replace(self, players=numbers_of(self), evaluate=evaluate)


A = TypeVar("A", bound=RunArguments)


def numbers_of(arguments: RunArguments) -> tuple[int, ...]:
    """The numbers of players to train for; ValueError if there is no such game, or not for so many."""
    return check_players(arguments.game, arguments.players)


def games_of(arguments: RunArguments) -> list[Game]:
    """The games to train for; ValueError as of `numbers_of`, or for a component file that cannot be used."""
    return [make_game(arguments.game, players, arguments.components) for players in numbers_of(arguments)]


def check_agents(arguments: RunArguments, games: Sequence[Game], more: Sequence[str] = ()) -> None:
    """ValueError for an agent to be measured against, or one of some more, that there is not in one of the games."""
    for game in games:
        for name in (*(arguments.completed().evaluate or ()), *more):
            opponent(name, game)


def shape_for(arguments: RunArguments, game: Game) -> Shape:
    """The shape of the network that is trained."""
    return Shape.of(game, arguments.width, arguments.blocks, arguments.norm)


def as_begun(arguments: A) -> A:
    """The same with the shape of the network that it begins with, wherever that has gone since.

    Raises:
        ValueError: another shape was asked for, or as of `load_network`.
    """
    if arguments.start is None or not isinstance(shape := load_network(arguments.start).shape, Shape):
        return arguments
    theirs: dict[str, Any] = {"width": shape.width, "blocks": shape.blocks, "norm": bool(shape.normed)}
    for name, one in theirs.items():
        if getattr(arguments, name) not in (one, getattr(RunArguments, name)):
            raise ValueError(f"--{name}: the network of --start has {one}, not {getattr(arguments, name)}")
    return replace(arguments, **theirs)


def check_shape_heard(arguments: RunArguments, words: Sequence[str] | None) -> None:
    """ValueError for a size in the command line that is not that of the network of --start, be it the default's.

    words: as of `check_heard`.
    """
    named = named_in(words) & {"width", "blocks", "norm", "no_norm"}
    if arguments.start is None or not named:
        return
    begun = as_begun(arguments)
    for name in sorted({one.removeprefix("no_") for one in named}):
        if getattr(begun, name) != getattr(arguments, name):
            told = f"the network of --start has {getattr(begun, name)}, not {getattr(arguments, name)}"
            raise ValueError(f"--{name}: {told}")


def named_in(words: Sequence[str] | None) -> set[str]:
    """The names of the options in a command line's words; None for those that this program was started with."""
    given = sys.argv[1:] if words is None else words
    return {word[2:].partition("=")[0].replace("-", "_") for word in given if word.startswith("--")}


def check_run(arguments: RunArguments, least: Mapping[str, int]) -> None:
    """ValueError that names the first argument out of range; `least` has lower bounds of the algorithm's own ones."""
    numbers_of(arguments)
    check_run_seed(arguments.seed)
    check_least(arguments, {**least, "width": 1, "blocks": 0, "threads": 0, "evaluations": 1, "deals": 1})
    if arguments.decisions < 0:
        raise ValueError(f"--decisions must not be negative, not {arguments.decisions}")
    if arguments.minutes is not None and not arguments.minutes > 0:
        raise ValueError(f"--minutes must be positive, not {arguments.minutes:g}")
    if arguments.minutes is not None and arguments.decisions:
        told = "not both; where there are decisions by default, --decisions 0"
        raise ValueError(f"--minutes and --decisions: a run is as long as one of them tells, {told}")


def device_of(name: str) -> str:
    """The device of an argument; RunError if it is not there."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise RunError("--device: there is no CUDA device here; --device cpu does without")
    if name not in ("cpu", "cuda"):
        raise RunError(f"--device must be cpu, cuda or auto, not {name!r}")
    return name


def in_bfloat16(precision: str, device: str) -> bool:
    """Whether layers run in bfloat16; RunError for a precision that is none."""
    if precision not in ("auto", "float32", "bfloat16"):
        raise RunError(f"--precision must be float32, bfloat16 or auto, not {precision!r}")
    if precision != "auto":
        return precision == "bfloat16"
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported()


def settled(arguments: A) -> A:
    """The same with what the game and this machine decide, where arguments leave it to them."""
    device = device_of(arguments.device)
    precision = "bfloat16" if in_bfloat16(arguments.precision, device) else "float32"
    return replace(arguments.completed(), device=device, precision=precision)


def check_heard(arguments: Any, words: Sequence[str] | None) -> None:
    """RunError for an option beside --resume whose value is the default, which nobody can tell from one not given.

    words: those of the command line; None for those that this program was started with.
    """
    if arguments.resume is None:
        return
    named = named_in(words)
    for one in fields(arguments):
        told = {one.name, f"no_{one.name}"} & named
        if told and getattr(arguments, one.name) == one.default:
            option = min(told).replace("_", "-")
            raise RunError(
                f"--{option}: its default, which cannot be told from leaving it out, and a run that goes on keeps what "
                "it was started with; leave it out, or give another value where it may change"
            )


def changed(arguments: Any, allowed: Collection[str]) -> dict[str, Any]:
    """The arguments of a resumed run that are not the defaults; RunError if one of them must not change."""
    values = {one.name: getattr(arguments, one.name) for one in fields(arguments)}
    given = {one.name: values[one.name] for one in fields(arguments) if values[one.name] != one.default}
    del given["resume"]
    if wrong := sorted(set(given) - set(allowed)):
        options = ", ".join(f"--{name}" for name in allowed)
        name = wrong[0].replace("_", "-")
        raise RunError(f"--{name}: a run goes on with what it was started with; only {options} may change")
    return given


def resumed(arguments: A, kind: str) -> A:
    """The arguments of the run to go on with, as it was started, but for those of `CHANGEABLE` that are given.

    Raises:
        RunError: no such run, or an argument that must not change, or that would be without effect.
    """
    assert arguments.resume is not None
    where = [one.name for one in fields(arguments) if one.name in WHERE]
    given = changed(arguments, (*CHANGEABLE, *where))
    started = read_config(arguments.resume, kind, type(arguments))
    if "minutes" in given and started.decisions:
        raise RunError(f"--minutes: the run counts decisions ({started.decisions:,}); give it more with --decisions")
    if "decisions" in given and not started.decisions:
        raise RunError("--decisions: the run follows the clock; give it more with --minutes")
    if any(name in given for name in where):
        # All of it anew: the address of a cluster is nothing to games that are played elsewhere.
        given = dict.fromkeys(where) | given
    return replace(started, **given)
