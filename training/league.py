"""Generations of networks: ``python -m training.league --out runs/league --generations 5``.

Every generation is a run of `training.ppo` that begins with the champion and meets named agents and past champions
in its pool, and past selves in the places of `--ppo.pool-size` that champions leave.  Its network then plays the
champion on duplicate deals, for every number of players; it becomes the champion only if the lower bound of the 95 %
interval of its win share is above an even share for all of them.

The folder holds everything: ``league.json`` the generations so far, ``champion-N.safetensors`` every champion,
``generation-N/`` the runs.  The same command goes on after an interruption, in the middle of a generation too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import tyro

from agents.arena.matches import deal_seed
from agents.networks.network import load_network
from agents.networks.neural import NetworkAgent
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from training.ppo import program as ppo
from training.ppo.arguments import check_agents, games_of
from training.run.evaluation import Strength, best_action, strength
from training.run.folder import CHECKPOINT, NETWORK, RunError, as_config, check_own, locked
from training.run.resume import APART, check_same, continued
from training.run.seeds import later_run_seed
from training.run.trainer import answer

LEAGUE: Final = "league.json"
#: The deals of a gate follow from the seed plus this and the generation, so that no two gates have the same ones.
GATE: Final = 7_000_003


@dataclass(frozen=True)
class Arguments:
    """Train generation after generation; a new champion only by proof."""

    out: Path = Path("runs/league")
    """Folder of the league; an existing one goes on."""
    generations: int = 5
    """In all."""
    deals: int = 500
    """Duplicate deals of a gate for each number of players, each played from every seat."""
    rivals: int = 4
    """Past champions in the pool of a generation, from its first game to its last."""
    ppo: ppo.Arguments = field(default_factory=lambda: ppo.Arguments(decisions=20_000_000, pool=0.25))
    """Of every generation; `out`, `start`, `rivals` and `resume` are the league's affair."""


@dataclass(frozen=True)
class Gate:
    """How a candidate did against the champion.

    shares: [share, low, high] by number of players; even is one over that number.
    """

    shares: Mapping[str, Sequence[float]]

    @property
    def passed(self) -> bool:
        """Whether the candidate is proven better for every number of players."""
        return all(low > 1 / int(players) for players, (_, low, _) in self.shares.items())


class League:
    """A league in its folder.

    Raises:
        RunError: the folder holds something else.
    """

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.folder = arguments.out
        self.games = games_of(arguments.ppo)
        self.record: dict[str, Any] = {"settings": self._settings(), "champion": None, "generations": []}
        check_own(self.folder, LEAGUE, "league")

    def _settings(self) -> dict[str, Any]:
        chosen = self.arguments
        inner = as_config("ppo", chosen.ppo.completed())["arguments"]
        return {"deals": chosen.deals, "rivals": chosen.rivals} | {
            f"ppo.{name}": value for name, value in inner.items() if name not in APART
        }

    def run(self) -> None:
        """All generations that are missing.

        Raises:
            RunError: the folder holds a league with other settings, or another process is training there.
        """
        held = locked(self.folder)
        try:
            self._read()
            self._write()
            self._generations()
        finally:
            held.release()

    def _generations(self) -> None:
        while len(self.record["generations"]) < self.arguments.generations:
            number = len(self.record["generations"]) + 1
            candidate = self.train(number)
            line: dict[str, Any] = {"generation": number}
            champion = self.record["champion"]
            gate = None if champion is None else self.gate(number, candidate, self.folder / champion)
            if gate is not None:
                line["shares"] = gate.shares
            line["promoted"] = gate is None or gate.passed
            if line["promoted"]:
                name = f"champion-{number}.safetensors"
                write_whole(self.folder / name, candidate.read_bytes())
                self.record["champion"] = name
            self.record["generations"].append(line)
            self._write()
            print(summary(line), flush=True)

    def train(self, number: int) -> Path:
        """The network of a generation; what an interrupted one has done is kept."""
        folder = self.folder / f"generation-{number}"
        if (folder / NETWORK).exists():
            return folder / NETWORK
        if (folder / CHECKPOINT).exists():
            training, run = ppo.prepared(continued(folder, self.arguments.ppo))
        else:
            champions = [
                f"champion-{one['generation']}.safetensors" for one in self.record["generations"] if one["promoted"]
            ]
            chosen = replace(
                self.arguments.ppo,
                out=folder,
                seed=later_run_seed(self.arguments.ppo.seed, number),
                start=self.folder / champions[-1] if champions else None,
                rivals=tuple(self.folder / name for name in champions[-self.arguments.rivals :])
                if self.arguments.rivals
                else (),
            )
            training, run = ppo.prepared(chosen)
        training.run(run)
        return folder / NETWORK

    def gate(self, number: int, candidate: Path, champion: Path) -> Gate:
        """The candidate against the champion on deals of its own."""
        shares = {}
        for game in self.games:
            first = self.arguments.ppo.seed + GATE * number
            seeds = [deal_seed(first, deal) for deal in range(self.arguments.deals)]
            found = meet(candidate, champion, game, seeds)
            shares[str(game.num_players)] = [round(value, 4) for value in found.share]
        return Gate(shares)

    def _read(self) -> None:
        """Take up what the folder has of this league; what has learned nothing yet may begin anew."""
        file, own = self.folder / LEAGUE, self.record["settings"]
        if not file.exists():
            return
        try:
            found = json.loads(file.read_text())
            settings, generations = found["settings"], found["generations"]
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{file}: damaged: {error}") from error
        if generations or any(self.folder.glob(f"generation-*/{CHECKPOINT}")):
            check_same(self.folder, settings, own)
            self.record = found

    def _write(self) -> None:
        write_whole(self.folder / LEAGUE, json.dumps(self.record, indent=1) + "\n")


def meet(candidate: Path, champion: Path, game: Game, seeds: Sequence[int]) -> Strength:
    """The candidate on one seat, the champion on all the others, from every seat."""
    rival = NetworkAgent("champion", game, load_network(champion, game))
    return strength(best_action(load_network(candidate, game)), rival, game, seeds)


def summary(line: Mapping[str, Any]) -> str:
    """One line about a generation."""
    shares = "; ".join(
        f"{players} players: wins {share:.1%} ({low:.1%} to {high:.1%}, even is {1 / int(players):.0%})"
        for players, (share, low, high) in line.get("shares", {}).items()
    )
    ending = "is the champion now" if line["promoted"] else "is not proven better; the champion stays"
    return f"generation {line['generation']} {ending}" + (f": {shares}" if shares else "")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `trainer.answer`."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m training.league")
    return answer(lambda: checked(arguments), played)


def checked(arguments: Arguments) -> League:
    """The league; ValueError that names the first argument that cannot be used."""
    ppo.check(arguments.ppo)
    if min(arguments.generations, arguments.deals) < 1 or arguments.rivals < 0:
        raise ValueError("--generations and --deals must be at least 1, --rivals at least 0")
    if arguments.rivals and not arguments.ppo.pool:
        raise ValueError("--rivals: champions are met in games against a pool; --rivals 0, or a share --ppo.pool")
    if arguments.rivals > arguments.ppo.pool_size:
        raise ValueError(f"--rivals must be at most --ppo.pool-size ({arguments.ppo.pool_size})")
    for name in ("out", "resume", "start", "rivals"):
        if getattr(arguments.ppo, name):
            raise ValueError(f"--ppo.{name}: that is the league's affair")
    league = League(arguments)
    check_agents(arguments.ppo, league.games, arguments.ppo.pool_agents or ())
    return league


def played(league: League) -> int:
    """Bring it to its end."""
    league.run()
    print(f"champion: {league.folder / league.record['champion']}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
