"""What the programs that play games share: arguments, and answers to what goes wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import tyro

from agents.arena.executors import Jobs
from porta_nigra_env.games import DEFAULT_GAME, game_entry

T = TypeVar("T")


def arguments(form: Callable[..., T], argv: Sequence[str] | None, name: str, description: str) -> T:
    """What a command line says, as the dataclass (or union of them) `form`; what it cannot be ends the program with 2.

    Args:
        name: of the program's module; `python -m` is put before it.
    """
    return tyro.cli(form, args=argv, prog=f"python -m {name}", description=description)


@dataclass(frozen=True)
class Program:
    """A program by the name of its module."""

    name: str

    def refuse(self, message: object) -> NoReturn:
        """End the program with 2."""
        print(f"{self.name}: error: {message}", file=sys.stderr)
        raise SystemExit(2)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """End the program with 2 for arguments that cannot be used (ValueError)."""
        try:
            yield
        except ValueError as error:
            self.refuse(error)

    def attempt(self, work: Callable[[], int], *refused: type[ValueError]) -> int:
        """What a program answers that plays games.

        That of `work`; 1 for a file that cannot be read or written, or games that cannot be played; 130 when
        interrupted.  Another tournament's folder, and errors `refused`, end the program with 2.
        """
        # Here, since programs that play no tournaments do without what these need.
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
            print(f"{self.name}: stopped; the same command goes on", file=sys.stderr)
            return 130


@dataclass(frozen=True, kw_only=True)
class Tournament:
    """Arguments of what plays a tournament."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """e.g. random or ismcts:simulations=800, at least two; python -m agents.registry lists them"""

    game: str = DEFAULT_GAME
    """what is played"""

    players: tuple[int, ...] = ()
    """numbers of players; by default the fewest there may be, of a ladder and of thought all"""

    games: tuple[str, ...] = ("1000",)
    """for each line-up, rounded up to whole deals: each is played in all rotations of the seats; P:N for P players, as
    in 300 2:1000"""

    jobs: str = "1"
    """processes, or ray, or ray:N for at most N tasks at a time; results do not depend on it"""

    address: str = ""
    """of a Ray cluster, e.g. auto; by default --jobs ray starts one on this machine for as long as it plays"""

    seed: int = 1
    """of the deals, 0 to 2**63-1"""

    components: str = "standard"
    """a component file"""

    out: Path | None = None
    """folder where results and report are kept"""

    def checked(self) -> Path:
        """The folder; ValueError unless what can be checked without playing can be used."""
        game_entry(self.game)
        if self.out is None:
            raise ValueError("--out FOLDER is needed")
        if self.out.exists() and not self.out.is_dir():
            raise ValueError(f"--out: {self.out} is no folder")
        if len(self.agents) < 2:
            raise ValueError("at least two agents are needed; python -m agents.registry lists them")
        given: tuple[tuple[Any, ...], ...] = (self.agents, self.players)
        for twice in (one for each in given for one in each if each.count(one) > 1):
            raise ValueError(f"{twice} is given twice")
        self.asked_jobs()
        return self.out

    def asked_jobs(self) -> Jobs:
        """Where games are played; ValueError where `jobs` and `address` cannot be used."""
        return Jobs.of(self.jobs, self.address)


def at_least(low: int = 1, **numbers: int) -> None:
    """ValueError that names the first of the options that is less."""
    for name, number in numbers.items():
        if number < low:
            raise ValueError(f"--{name.replace('_', '-')} must be at least {low}, not {number}")


def check_port(port: int) -> None:
    """ValueError for what is no port, or 0 for any."""
    if not 0 <= port < 1 << 16:
        raise ValueError(f"--port must be in 0..65535, not {port}")


def games_of(texts: Sequence[str], players: Sequence[int]) -> dict[int, int]:
    """Games for each number of players: texts are N for all, or P:N for P players; ValueError says what is wrong."""
    found: dict[int | None, int] = {}
    for text in texts:
        left, colon, right = text.rpartition(":")
        try:
            count, number = int(left) if colon else None, int(right)
        except ValueError:
            raise ValueError(f"--games must be N or P:N, not {text!r}") from None
        if number < 1:
            raise ValueError(f"--games must be at least 1, not {number}")
        if count in found:
            raise ValueError(f"--games: {text!r} is given beside another one for the same players")
        if count is not None and count not in players:
            raise ValueError(f"--games: {text!r}, but nobody plays with {count} players")
        found[count] = number
    for count in players:
        if None not in found and count not in found:
            raise ValueError(f"--games: there is none for {count} players")
    return {count: found[count] if count in found else found[None] for count in players}
