"""Options of training runs: declaration with ranges, defaults of game and machine, options of a resumed run."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self, TypeVar

import torch

from agents.networks.network import load_network
from agents.review.estimates import baseline
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game
from porta_nigra_env.players.network import Shape
from training.run.evaluation import default_opponents, make_opponent
from training.run.folder import LOCATION, RunError, read_config
from training.run.ranges import Choice, NonNegativeInt, PositiveInt, Range, Seed, check_ranges, option

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

#: Options that may change when a run is resumed, next to `LOCATION`.
CHANGEABLE: Final = ("minutes", "total_timesteps", "threads", "device", "precision")


def check_unused(options: DataclassInstance, defaults: Any, names: Collection[str], reason: str) -> None:
    """Raise ValueError for the first of `names` that is not the default although it has no effect."""
    for name in names:
        if getattr(options, name) != getattr(defaults, name):
            raise ValueError(f"{option(name)}: {reason}")


def check_players(game: str, players: Collection[int]) -> tuple[int, ...]:
    """Return the numbers of players to train for, by default the fewest; ValueError names the wrong option."""
    try:
        seats = game_entry(game).seats
    except ValueError as error:
        raise ValueError(f"--game: {error}") from None
    if not set(players) <= set(seats):
        known = ", ".join(map(str, seats))
        raise ValueError(f"--players must be out of {known}, not {', '.join(map(str, players))}")
    return tuple(players) or seats[:1]


def derive_seed(seed: int, number: int) -> int:
    """Return the training seed with index `number` derived from `seed`."""
    return int(later_seed(seed, number)) >> 1


# -- options of every run


@dataclass(frozen=True)
class RunOptions:
    """Options of every run."""

    #: Values of runs from before an option existed, where its default differs.
    OLD_DEFAULTS: ClassVar[Mapping[str, Any]] = {"layer_norm": False}
    #: Earlier names of options in config.json, cards and leagues.
    OLD_NAMES: ClassVar[Mapping[str, str]] = {"decisions": "total_timesteps", "norm": "layer_norm"}

    game: str = DEFAULT_GAME
    """Name of the game (porta_nigra_env.games)."""
    out: Path | None = None
    """Folder of the run; by default runs/ALGORITHM-SEED."""
    resume: Path | None = None
    """Folder of a run to resume; only minutes, total-timesteps, threads, device, precision and the location of games
    may change."""
    start: Path | None = None
    """Network file to start from; by default a new network."""
    players: tuple[int, ...] = ()
    """Numbers of players to train for, all with one network; by default the fewest of the game."""
    components: str = "standard"
    """Component set: standard, or a component file."""
    minutes: Annotated[float | None, Range(0, above=True)] = None
    """Minutes of training; schedules follow the clock.  By default 3, unless total-timesteps is given."""
    total_timesteps: NonNegativeInt = 0
    """Steps of the run, over all seats and games; 0 trains by the clock.  With one thread the seed fixes the result."""
    seed: Seed = 1
    """Seed of weights, games and actions."""
    threads: NonNegativeInt = 0
    """Threads of torch and the games; 0 uses all cores."""
    device: Annotated[str, Choice(("cpu", "cuda", "auto"))] = "auto"
    """cpu, cuda or auto, which prefers cuda; a resumed run keeps its device."""
    precision: Annotated[str, Choice(("float32", "bfloat16", "auto"))] = "auto"
    """float32, bfloat16 or auto, which uses bfloat16 if the hardware is fast at it; a resumed run keeps it."""
    width: PositiveInt = 256
    """Units per layer."""
    blocks: NonNegativeInt = 1
    """Residual blocks between the first layer and the heads."""
    layer_norm: bool = True
    """Apply layer normalization before residual blocks and heads."""
    evaluate: tuple[str, ...] | None = None
    """Opponents in evaluations of the network without search; by default the game's agents, otherwise random."""
    evaluations: PositiveInt = 10
    """Evaluations, evenly spread over the run, the last at its end."""
    deals: PositiveInt = 250
    """Duplicate deals per evaluation, each played from every seat."""
    reviewed: NonNegativeInt = 0
    """Games of the network with itself per evaluation whose choices the published network judges (agents.review), at
    least 2; 0 for none.  Each takes a few seconds."""

    def without_files(self) -> Self:
        """Return the options without initial networks, which the checkpoint contains."""
        return replace(self, start=None)

    def with_game_defaults(self) -> Self:
        """Return the options with the defaults of the game filled in; ValueError for an unknown game."""
        evaluate = default_opponents(self.game) if self.evaluate is None else self.evaluate
        return replace(self, players=player_counts(self), evaluate=evaluate)


O = TypeVar("O", bound=RunOptions)  # noqa: E741


def player_counts(options: RunOptions) -> tuple[int, ...]:
    """Return the numbers of players to train for; ValueError as in `check_players`."""
    return check_players(options.game, options.players)


def make_games(options: RunOptions) -> list[Game]:
    """Return the games to train for; ValueError for a wrong game, number of players or component file."""
    return [make_game(options.game, players, options.components) for players in player_counts(options)]


def check_opponents(options: RunOptions, games: Sequence[Game], more: Sequence[str] = ()) -> None:
    """Raise ValueError for an opponent of evaluations, one of `more`, or a judge of choices that a game lacks."""
    for game in games:
        if options.reviewed:
            baseline("network", game)
        for name in (*(options.with_game_defaults().evaluate or ()), *more):
            make_opponent(name, game)


def network_shape(options: RunOptions, game: Game) -> Shape:
    """Return the shape of the network to train."""
    return Shape.of(game, options.width, options.blocks, options.layer_norm)


def check_run(options: RunOptions) -> None:
    """Raise ValueError for the first option out of range."""
    player_counts(options)
    check_ranges(options)
    if options.minutes is not None and options.total_timesteps:
        raise ValueError("--minutes and --total-timesteps: give only one of them, or --total-timesteps 0")
    if options.reviewed == 1:
        raise ValueError("--reviewed 1: one game has no interval; give at least 2, or 0 for none")


def resolve_device(device: str) -> str:
    """Return cpu or cuda; RunError if the device is missing."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise RunError("--device: there is no CUDA device here; use --device cpu")
    return device


def use_bfloat16(precision: str, device: str) -> bool:
    """Return whether layers run in bfloat16."""
    if precision != "auto":
        return precision == "bfloat16"
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return torch.cpu._is_amx_tile_supported() or torch.cpu._is_avx512_bf16_supported()


def resolve_hardware(options: O) -> O:
    """Return the options with the device and precision of this machine."""
    device = resolve_device(options.device)
    precision = "bfloat16" if use_bfloat16(options.precision, device) else "float32"
    return replace(options, device=device, precision=precision)


# -- shape of the initial network


def with_start_shape(options: O) -> O:
    """Return the options with the shape of the network of --start.

    Raises:
        ValueError: another shape was given, or the file cannot be loaded.
    """
    if options.start is None or not isinstance(shape := load_network(options.start).shape, Shape):
        return options
    values: dict[str, Any] = {"width": shape.width, "blocks": shape.blocks, "layer_norm": bool(shape.normed)}
    for name, value in values.items():
        if getattr(options, name) not in (value, getattr(RunOptions, name)):
            raise _other_shape(name, value, options)
    return replace(options, **values)


def check_given_shape(options: RunOptions, argv: Sequence[str] | None) -> None:
    """Raise ValueError if a shape in the command line, even the default, differs from the network of --start."""
    names = {name.removeprefix("no_") for name in _given_names(argv)} & {"width", "blocks", "layer_norm"}
    if options.start is None or not names:
        return
    started = with_start_shape(options)
    for name in sorted(names):
        if getattr(started, name) != getattr(options, name):
            raise _other_shape(name, getattr(started, name), options)


def _other_shape(name: str, value: object, options: RunOptions) -> ValueError:
    return ValueError(f"{option(name)}: the network of --start has {value}, not {getattr(options, name)}")


def _given_names(argv: Sequence[str] | None) -> set[str]:
    """Return the field names of the options in a command line, by default that of the process."""
    words = sys.argv[1:] if argv is None else argv
    return {word[2:].partition("=")[0].replace("-", "_") for word in words if word.startswith("--")}


# -- resumed runs


def check_resume_options(options: DataclassInstance, argv: Sequence[str] | None) -> None:
    """Raise RunError for an option next to --resume whose value is the default, since it would be ignored."""
    given = _given_names(argv)
    for field in fields(options):
        names = {field.name, f"no_{field.name}"} & given
        if names and getattr(options, field.name) == field.default:
            raise RunError(
                f"{option(min(names))}: the default value has no effect next to --resume; "
                "leave it out, or give another value if it may change"
            )


def changed_options(options: DataclassInstance, allowed: Collection[str]) -> dict[str, Any]:
    """Return the options of a resumed run that are not the defaults; RunError if one of them must not change."""
    changed = {
        field.name: value
        for field in fields(options)
        if (value := getattr(options, field.name)) != field.default and field.name != "resume"
    }
    if wrong := sorted(set(changed) - set(allowed)):
        raise RunError(f"{option(wrong[0])}: a resumed run keeps it; only {', '.join(map(option, allowed))} may change")
    return changed


def resume_options(options: O, kind: str) -> O:
    """Return the options of the run to resume, with the changes that `options` asks for.

    Raises:
        RunError: no such run, or an option that must not change or would have no effect.
    """
    assert options.resume is not None
    location = [field.name for field in fields(options) if field.name in LOCATION]
    changed = changed_options(options, (*CHANGEABLE, *location))
    started = read_config(options.resume, kind, type(options))
    if "minutes" in changed and started.total_timesteps:
        raise RunError(
            f"--minutes: the run counts steps ({started.total_timesteps:,}); extend it with --total-timesteps"
        )
    if "total_timesteps" in changed and not started.total_timesteps:
        raise RunError("--total-timesteps: the run follows the clock; extend it with --minutes")
    if any(name in changed for name in location):
        # The location changes as a whole: the address of a cluster means nothing to local processes.
        changed = dict.fromkeys(location) | changed
    return replace(started, **changed)
