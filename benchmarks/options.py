"""Options that the programs share; the class of a program combines them."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import tyro

from benchmarks.lines import machine, machine_lines
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game, check_seats
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of every program."""

    json: Path | None = None
    """Write the figures to this file."""

    def check(self) -> None:
        """Raise ValueError for the first invalid option."""
        at_folder("json", self.json)

    @classmethod
    def program(cls) -> str:
        """Return the name of the program, which is that of its module."""
        return cls.__module__.rpartition(".")[2]

    def refuse(self, why: object) -> NoReturn:
        """Print why the program cannot run, and exit with 2."""
        print(f"python -m benchmarks {self.program()}: {why}", file=sys.stderr)
        raise SystemExit(2)

    def finish(self, **figures: Any) -> None:
        """Print the machine, and write options and figures if a file is named."""
        print(f"\n{machine_lines()}")
        if self.json:
            values = {option.name: getattr(self, option.name) for option in fields(self) if option.name != "json"}
            settings = {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}
            content = {"machine": machine(), "benchmark": self.program(), **settings, **figures}
            write_whole(self.json, json.dumps(content, indent=1) + "\n")


@dataclass(frozen=True, kw_only=True)
class Repeated(Options):
    """Options of programs that measure more than once."""

    runs: int = 5
    """Alternating runs; the median counts."""

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
    """Name of the game (porta_nigra_env.games)."""

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
        """Return the game."""
        return make_game(self.game, self.players)


@dataclass(frozen=True, kw_only=True)
class AllSizes(OfGame):
    """Options of programs that play any game with several numbers of players."""

    players: tuple[int, ...] = ()
    """Numbers of players; by default all of the game."""

    def check(self) -> None:
        super().check()
        for players in self.players:
            try:
                check_seats(players, game_entry(self.game).seats)
            except ValueError as error:
                raise ValueError(f"--players: {error}") from None

    def counts(self) -> tuple[int, ...]:
        """Return the numbers of players without duplicates."""
        return tuple(dict.fromkeys(self.players or game_entry(self.game).seats))


T = TypeVar("T", bound=Options)


def at_least(name: str, value: int, least: int) -> None:
    """Raise ValueError for an option below its lower bound."""
    if value < least:
        raise ValueError(f"--{name} must be at least {least}, not {value}")


def at_folder(name: str, file: Path | None) -> None:
    """Raise ValueError for a file in a missing folder."""
    if file and not file.parent.is_dir():
        raise ValueError(f"--{name}: {file.parent} is not a folder")


def read(kind: type[T], argv: Sequence[str] | None, about: str = "") -> T:
    """Return the options of a command line; exit with 2 if they are invalid.

    The help is the docstring of the program's module, followed by `about`.
    """
    description = f"{sys.modules[kind.__module__].__doc__}\n{about}"
    options = tyro.cli(kind, args=argv, prog=f"python -m benchmarks {kind.program()}", description=description)
    try:
        options.check()
    except ValueError as error:
        options.refuse(error)
    return options
