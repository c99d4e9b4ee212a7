"""The options that the programs share; each program's own class puts together those it takes."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import tyro

from porta_nigra_env.core.game.game import Game, check_seats
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of every program."""

    json: Path | None = None
    """Write the figures to this file."""

    def check(self) -> None:
        """ValueError that names the first option that cannot be used."""
        at_folder("json", self.json)

    def settings(self) -> dict[str, Any]:
        """The options for a file of figures, all but that file's name."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "json"}
        return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


@dataclass(frozen=True, kw_only=True)
class Repeated(Options):
    """Options of programs that measure more than once."""

    runs: int = 5
    """Alternating runs, of which the median counts."""

    def check(self) -> None:
        super().check()
        at_least("runs", self.runs, 1)


@dataclass(frozen=True, kw_only=True)
class Timed(Options):
    """Options of programs that measure for a time."""

    seconds: float = 0.5
    """For each line and run."""

    def check(self) -> None:
        super().check()
        if not (math.isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"--seconds must be positive, not {self.seconds:g}")


@dataclass(frozen=True, kw_only=True)
class OfGame(Options):
    """Options of programs that play any game."""

    game: str = DEFAULT_GAME
    """What is played (porta_nigra_env.games)."""

    def check(self) -> None:
        super().check()
        try:
            game_entry(self.game)
        except ValueError as error:
            raise ValueError(f"--game: {error}") from None


@dataclass(frozen=True, kw_only=True)
class Seated(OfGame):
    """Options of programs that play any game with one number of players."""

    players: int | None = None
    """Number of players; by default the fewest that the game allows."""

    def check(self) -> None:
        super().check()
        if self.players is not None:
            try:
                check_seats(self.players, game_entry(self.game).seats)
            except ValueError as error:
                raise ValueError(f"--players: {error}") from None

    def made(self) -> Game:
        """The game that is played."""
        return make_game(self.game, self.players)


T = TypeVar("T", bound=Options)


def at_least(name: str, value: int, least: int) -> None:
    """ValueError for an option below its lower bound."""
    if value < least:
        raise ValueError(f"--{name} must be at least {least}, not {value}")


def at_folder(name: str, file: Path | None) -> None:
    """ValueError for a file whose folder is not there."""
    if file and not file.parent.is_dir():
        raise ValueError(f"--{name}: {file.parent} is no folder")


def read(kind: type[T], program: str, description: str, argv: Sequence[str] | None) -> T:
    """The options of a command line; ends the program with 2 where they cannot be used.

    program: the module's name.
    """
    options = tyro.cli(kind, args=argv, prog=f"python -m benchmarks.{program}", description=description)
    try:
        options.check()
    except ValueError as error:
        refuse(program, str(error))
    return options


def refuse(program: str, why: str) -> NoReturn:
    """End the program with 2."""
    print(f"python -m benchmarks.{program}: {why}", file=sys.stderr)
    raise SystemExit(2)
