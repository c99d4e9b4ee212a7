"""Generations of networks: ``python -m training.league generations --out runs/league --generations 5``.

A generation is a run of `training.ppo` that starts from the champion.  Its pool has agents and past champions, and past
selves in the remaining slots.  Its network then plays the champion on duplicate deals for every number of players.  It
becomes the champion if the lower bound of the 95 % confidence interval of its win rate is above even for all of them.

The folder has ``league.json`` with the generations, ``champion-N.safetensors`` and the runs ``generation-N/``.  Repeat
the command to resume, also within a generation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NotRequired, TypedDict

from agents.arena.matches import deal_seed
from agents.networks.network import load_network
from agents.networks.neural import NetworkAgent
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from training import ppo
from training.ppo.teacher import check_teachers
from training.run.evaluation import BestAction, Strength, strength
from training.run.folder import (
    CHECKPOINT,
    MACHINE,
    NETWORK,
    check_folder_kind,
    check_same,
    lock_folder,
    parse_options,
    read_json,
    to_config,
    write_json,
)
from training.run.options import check_opponents, derive_seed, make_games
from training.run.ranges import NonNegativeInt, PositiveInt, check_ranges, option
from training.run.trainer import run_program

LEAGUE: Final = "league.json"
#: Offset per generation of the deals of its gate.
GATE_SEED: Final = 7_000_003


@dataclass(frozen=True)
class Options:
    """Train generations of networks; a candidate becomes champion if it is proven better."""

    out: Path = Path("runs/league")
    """Folder of the league; an existing one is resumed."""
    generations: PositiveInt = 5
    """Total number of generations."""
    deals: PositiveInt = 500
    """Duplicate deals of a gate per number of players, each played from every seat."""
    past_champions: NonNegativeInt = 4
    """Past champions in the pool of a generation."""
    ppo: ppo.Options = field(default_factory=lambda: ppo.Options(total_timesteps=20_000_000, pool_fraction=0.25))
    """Options of every generation; the league sets out, start, pool-networks and resume."""


class Generation(TypedDict):
    """A line of league.json; shares: of the gate, [win rate, low, high] by number of players."""

    generation: int
    promoted: bool
    shares: NotRequired[dict[str, list[float]]]


class Record(TypedDict):
    """Content of league.json."""

    settings: dict[str, Any]
    champion: str | None
    generations: list[Generation]


@dataclass(frozen=True)
class Gate:
    """Result of a candidate against the champion: [win rate, low, high] by number of players."""

    shares: dict[str, list[float]]

    @property
    def passed(self) -> bool:
        """True if the candidate is proven better for every number of players."""
        return all(low > 1 / int(players) for players, (_, low, _) in self.shares.items())


class League:
    """A league in its folder.

    Raises:
        RunError: the folder holds something else.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.folder = options.out
        self.games = make_games(options.ppo)
        settings = to_config("ppo", options.ppo.with_game_defaults())["arguments"]
        self.settings = {"deals": options.deals, "past_champions": options.past_champions} | {
            f"ppo.{name}": value for name, value in settings.items() if name not in MACHINE
        }
        self.record: Record = {"settings": self.settings, "champion": None, "generations": []}
        check_folder_kind(self.folder, LEAGUE, "league")

    def run(self) -> None:
        """Train the missing generations.

        Raises:
            RunError: the folder holds a league with other settings, or another process trains there.
        """
        lock = lock_folder(self.folder)
        try:
            self._read()
            self._write()
            self._run_generations()
        finally:
            lock.release()

    def _run_generations(self) -> None:
        while len(self.record["generations"]) < self.options.generations:
            number = len(self.record["generations"]) + 1
            candidate = self.train(number)
            champion = self.record["champion"]
            gate = None if champion is None else self.gate(number, candidate, self.folder / champion)
            line: Generation = {"generation": number, "promoted": gate is None or gate.passed}
            if gate is not None:
                line["shares"] = gate.shares
            if line["promoted"]:
                name = f"champion-{number}.safetensors"
                write_whole(self.folder / name, candidate.read_bytes())
                self.record["champion"] = name
            self.record["generations"].append(line)
            self._write()
            print(summary(line), flush=True)

    def train(self, number: int) -> Path:
        """Train a generation, or resume it, and return its network."""
        folder = self.folder / f"generation-{number}"
        if not (folder / NETWORK).exists():
            champions = [
                self.folder / f"champion-{line['generation']}.safetensors"
                for line in self.record["generations"]
                if line["promoted"]
            ]
            count = self.options.past_champions
            options = replace(
                self.options.ppo,
                out=folder,
                seed=derive_seed(self.options.ppo.seed, number),
                start=champions[-1] if champions else None,
                pool_networks=tuple(champions[-count:]) if count else (),
            )
            training, run = ppo.prepare(ppo.resume_if_started(options))
            training.run(run)
        return folder / NETWORK

    def gate(self, number: int, candidate: Path, champion: Path) -> Gate:
        """Play the candidate against the champion on the deals of this generation."""
        shares = {}
        for game in self.games:
            first = self.options.ppo.seed + GATE_SEED * number
            seeds = [deal_seed(first, deal) for deal in range(self.options.deals)]
            result = play_gate(candidate, champion, game, seeds)
            shares[str(game.num_players)] = [round(value, 4) for value in result.share]
        return Gate(shares)

    def _read(self) -> None:
        """Read the record of the folder; one without any learning may be replaced."""
        file = self.folder / LEAGUE
        if not file.exists():
            return
        record = read_json(file, Record)
        if record["generations"] or any(self.folder.glob(f"generation-*/{CHECKPOINT}")):
            saved = {{"rivals": "past_champions"}.get(name, name): value for name, value in record["settings"].items()}
            given = {name: saved.pop(name) for name in list(saved) if name.startswith("ppo.")}
            values = {name.removeprefix("ppo."): value for name, value in given.items()}
            # Leagues of earlier versions have other names, and lack later options.
            run = to_config("ppo", parse_options(values, ppo.Options, str(file)))["arguments"]
            saved |= {f"ppo.{name}": value for name, value in run.items() if name not in MACHINE}
            check_same(self.folder, saved, self.settings)
            self.record = {**record, "settings": saved}

    def _write(self) -> None:
        write_json(self.folder / LEAGUE, self.record)


def play_gate(candidate: Path, champion: Path, game: Game, seeds: Sequence[int]) -> Strength:
    """Play the candidate on every seat against the champion on all other seats."""
    rival, other = (load_network(file, game).for_game(game) for file in (champion, candidate))
    return strength(BestAction(other), NetworkAgent("champion", game, rival), game, seeds)


def summary(line: Generation) -> str:
    """Return one line about a generation."""
    shares = "; ".join(
        f"{players} players: wins {share:.1%} ({low:.1%} to {high:.1%}, even is {1 / int(players):.0%})"
        for players, (share, low, high) in line.get("shares", {}).items()
    )
    ending = "is the champion now" if line["promoted"] else "is not proven better; the champion stays"
    return f"generation {line['generation']} {ending}" + (f": {shares}" if shares else "")


def check(options: Options) -> League:
    """Return the league; ValueError names the first option that cannot be used."""
    for name in ("component_sets", "start_teaches"):
        if getattr(options.ppo, name):
            raise ValueError(f"{option(f'ppo.{name}')}: champions are compared with --ppo.components alone")
    ppo.check(options.ppo)
    check_ranges(options)
    if options.past_champions and not options.ppo.pool_fraction:
        raise ValueError("--past-champions: they play in the pool; use --past-champions 0 or set --ppo.pool-fraction")
    if options.past_champions > options.ppo.pool_size:
        raise ValueError(f"--past-champions must be at most --ppo.pool-size ({options.ppo.pool_size})")
    for name in ("out", "resume", "start", "pool_networks"):
        if getattr(options.ppo, name):
            raise ValueError(f"{option(f'ppo.{name}')}: the league sets it")
    league = League(options)
    check_opponents(options.ppo, league.games, options.ppo.pool_agents or ())
    check_teachers(options.ppo, league.games)
    return league


def run(options: Options) -> int:
    """Train the league and return the exit code."""

    def train(league: League) -> int:
        league.run()
        print(f"champion: {league.folder / str(league.record['champion'])}")
        return 0

    return run_program(lambda: check(options), train)
