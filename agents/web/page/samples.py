"""Offer recorded games on the page as sample games.

Each folder is a tournament with --record; its game of the number --number becomes a sample. The games stand in
``agents/<game>/samples.toml``.

Example:

    python -m agents.tournament network mirror --games 2 --record --out results/two
    python -m agents.web.page.samples results/two
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import tyro

from agents.arena import program
from agents.arena.matches import Played
from agents.arena.program import Program
from agents.arena.records import game_of, recorded
from agents.web.page.links import link
from agents.web.page.recorded import write
from porta_nigra_env.core.game.game import Game

PROGRAM = Program("agents.web.page.samples")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """The command line; the module's docstring is its help."""

    folders: tyro.conf.Positional[tuple[Path, ...]]
    """tournaments with --record, each of one number of players"""

    number: int = 0
    """of the game in each folder; python -m agents.arena.records FOLDER lists them"""


class Source(NamedTuple):
    """A recorded tournament: its command, without the folder, its game and its games with actions."""

    command: str
    game: Game
    games: list[Played]


def read_folders(folders: Sequence[Path]) -> list[Source]:
    """Return recorded tournaments, all of one game and each of one number of players.

    Raises:
        ValueError: a folder without recorded games, several games or numbers of players, or another version.
    """
    found = []
    for folder in folders:
        header, games = recorded(folder)
        if len(header.players) > 1:
            raise ValueError(f"{folder}: the games must have one number of players, not {header.players}")
        game, alone = game_of(header, header.players[0]), f" --alone {header.alone}" if header.alone else ""
        command = (
            f"python -m agents.tournament {' '.join(header.agents)}{alone} --game {game.name} "
            f"--players {game.num_players} --games {len(games)} --seed {header.seed} --record --out FOLDER"
        )
        found.append(Source(command, game, games))
    if len(names := sorted({one.game.name for one in found})) != 1:
        raise ValueError(f"the folders must hold tournaments of one game, not of {', '.join(names) or 'none'}")
    return found


def run(arguments: Arguments) -> int:
    """Write the file of sample games; ValueError for arguments that cannot be used."""
    found, number = read_folders(arguments.folders), arguments.number
    fewest = min(len(one.games) for one in found)
    if not 0 <= number < fewest:
        raise ValueError(f"--number must be in 0..{fewest - 1}, not {number}")
    rows = [
        {"agents": played.match.agents, "scores": played.scores, "link": link(game, played.seed, played.actions)}
        for _, game, games in found
        for played in games[number : number + 1]
    ]
    commands = [*(one.command for one in found), f"python -m {PROGRAM.name} FOLDER ... --number {number}"]
    print(write(found[0].game.name, "samples", commands, rows))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, __doc__ or "")
    return PROGRAM.attempt(lambda: run(arguments), ValueError)


if __name__ == "__main__":
    raise SystemExit(main())
