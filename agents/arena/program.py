"""Common arguments and error handling of the programs that play games."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

import tyro

from agents.arena.executors import Jobs
from porta_nigra_env.games import DEFAULT_GAME, game_entry

T = TypeVar("T")


def arguments(form: Callable[..., T], argv: Sequence[str] | None, name: str, description: str) -> T:
    """Parse a command line into the dataclass, or union of dataclasses, `form`; an invalid one exits with 2.

    Args:
        form: the dataclass.
        argv: the command line; None for that of the process.
        name: of the program's module, without `python -m`.
        description: for the help.
    """
    return tyro.cli(form, args=argv, prog=f"python -m {name}", description=description)


@dataclass(frozen=True)
class Program:
    """A program, named by its module."""

    name: str

    def refuse(self, message: object) -> NoReturn:
        """Exit with 2."""
        print(f"{self.name}: error: {message}", file=sys.stderr)
        raise SystemExit(2)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Exit with 2 for invalid arguments (ValueError)."""
        try:
            yield
        except ValueError as error:
            self.refuse(error)

    def attempt(self, work: Callable[[], int], *refused: type[ValueError]) -> int:
        """Return the exit status of a program that plays games.

        That is the result of `work`; 1 for a file that cannot be read or written, or games that cannot be played; 130
        after an interrupt.  Another tournament's folder, and the errors `refused`, exit with 2.
        """
        # Imported here: programs without tournaments do not need these modules.
        from agents.arena.playing import MatchError
        from agents.arena.results import ForeignFolderError, ResultsError

        unusable: tuple[type[ValueError], ...] = (ForeignFolderError, *refused)
        try:
            return work()
        except unusable as error:
            self.refuse(error)
        except (ResultsError, MatchError, OSError) as error:
            print(f"{self.name}: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print(f"{self.name}: stopped; the same command resumes", file=sys.stderr)
            return 130


@dataclass(frozen=True, kw_only=True)
class Tournament:
    """Arguments of programs that play a tournament."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """e.g. random or ismcts:simulations=800, at least two; python -m agents.registry lists them"""

    game: str = DEFAULT_GAME
    """name of the game"""

    players: tuple[int, ...] = ()
    """numbers of players; by default the smallest, of a ladder and of a time curve all"""

    games: tuple[str, ...] = ()
    """for each line-up (1000), rounded up to whole deals: each is played in all rotations of the seats; P:N for P
    players, as in 300 2:1000"""

    jobs: str = "1"
    """processes, or ray, or ray:N for at most N tasks at a time; results do not depend on it"""

    address: str = ""
    """of a Ray cluster, e.g. auto; by default --jobs ray starts one on this machine while it plays"""

    seed: int = 1
    """of the deals, 0 to 2**63-1"""

    components: str = "standard"
    """a component file"""

    record: bool = False
    """store the actions of all games, for agents.arena.records"""

    out: Path | None = None
    """folder of results and report"""

    def checked(self) -> Path:
        """Validate the arguments as far as possible without playing; return the folder."""
        game_entry(self.game)
        if self.out is None:
            raise ValueError("--out FOLDER is needed")
        if self.out.exists() and not self.out.is_dir():
            raise ValueError(f"--out: {self.out} is no folder")
        if len(self.agents) < 2:
            raise ValueError("at least two agents are needed; python -m agents.registry lists them")
        values: tuple[tuple[object, ...], ...] = (self.agents, self.players)
        for duplicate in (value for each in values for value in each if each.count(value) > 1):
            raise ValueError(f"{duplicate} is given twice")
        self.asked_jobs()
        return self.out

    def asked_jobs(self) -> Jobs:
        """Return the executor of `jobs` and `address`; ValueError for invalid ones."""
        return Jobs.of(self.jobs, self.address)


def at_least(low: int = 1, **numbers: int) -> None:
    """Raise ValueError for the first option that is less than `low`."""
    for name, number in numbers.items():
        if number < low:
            raise ValueError(f"--{name.replace('_', '-')} must be at least {low}, not {number}")


def check_files(**files: Path | None) -> None:
    """Raise ValueError for the first option whose file cannot be written; None stands for an option not given."""
    for name, path in files.items():
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise ValueError(f"--{name}: {path} must be a file in an existing folder")


def check_port(port: int) -> None:
    """Raise ValueError unless `port` is a port, or 0 for any."""
    if not 0 <= port < 1 << 16:
        raise ValueError(f"--port must be in 0..65535, not {port}")


def games_of(texts: Sequence[str], players: Sequence[int], default: int = 1000) -> dict[int, int]:
    """Return the games for each number of players; texts are N for all, or P:N for P players."""
    counts: dict[int | None, int] = {}
    for text in texts or (str(default),):
        left, colon, right = text.rpartition(":")
        try:
            count, number = int(left) if colon else None, int(right)
        except ValueError:
            raise ValueError(f"--games must be N or P:N, not {text!r}") from None
        if number < 1:
            raise ValueError(f"--games must be at least 1, not {number}")
        if count in counts:
            raise ValueError(f"--games: {text!r} is given beside another one for the same players")
        if count is not None and count not in players:
            raise ValueError(f"--games: {text!r}, but no game has {count} players")
        counts[count] = number
    for count in players:
        if None not in counts and count not in counts:
            raise ValueError(f"--games: there is none for {count} players")
    return {count: counts[count] if count in counts else counts[None] for count in players}
