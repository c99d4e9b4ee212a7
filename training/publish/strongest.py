"""The strongest agents found against published networks: ``python -m training.publish strongest results/search``.

The folder is that of a tournament in which one agent has one seat and the network all others, such as
``python -m agents.tournament mirror network --alone mirror --out results/search``.  At each number of players, a
network's card keeps the agent whose win rate has the largest lower bound, so that a few lucky games do not count.
More games of the same agent replace fewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import tyro

from agents.arena.ratings import Estimate, share_of_deals
from agents.arena.results import Results, check_same, header, read
from agents.arena.sequential import deal_results, read_settings
from agents.arena.tables import interval, share_text
from agents.arena.tournament import arena_of
from training.publish.cards import CardError, Strongest, cards_of_agent, read_card
from training.publish.pages import write_card
from training.run.trainer import run_program


@dataclass(frozen=True)
class Options:
    """Write the results of a tournament against a published network into its card, except for smaller lower bounds."""

    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """Folder of an agents.tournament with --alone AGENT, in which the network has all other seats."""


def check(options: Options) -> dict[str, tuple[Path, Strongest]]:
    """Return the card of the network and the agent with its win rate, by number of players.

    Raises:
        ValueError: no such tournament, or one of another version of game, agent or network.
    """
    folder = options.folder
    results = read(folder)
    if results is None:
        raise CardError(f"FOLDER: {folder} has no results of agents.tournament")
    there = results.header
    others = [agent for agent in there.agents if agent != there.alone]
    if not there.alone or len(others) != 1:
        raise CardError(f"FOLDER: in {folder}, no agent is --alone against a single other one")
    if read_settings(folder) is not None:
        raise CardError(f"FOLDER: {folder} has a sequential test, whose early end exaggerates win rates")
    arena = arena_of((there.alone, *others), there.seed, there.name, alone=there.alone)
    check_same(folder, there, header(arena, there.players))
    try:
        files = cards_of_agent(others[0], [arena.game(players) for players in there.players])
    except CardError as error:
        raise CardError(f"FOLDER: {folder}: {error}") from None
    return {players: (file, measured(results, others[0], int(players), folder)) for players, file in files.items()}


def measured(results: Results, network: str, players: int, folder: Path) -> Strongest:
    """Return the agent of a tournament with its win rate against a network and the command that measures it.

    Raises:
        CardError: no deal is complete.
    """
    there = results.header
    shares = deal_results(results.games, there.alone, players)
    if not len(shares):
        raise CardError(f"FOLDER: {folder} has no complete deal of {players} players")
    share = share_of_deals(shares * players, np.full(len(shares), float(players)))
    games = len(shares) * players
    # A tournament has the same numbers of players each time, so one of fewer needs another folder.
    out = folder if len(there.players) == 1 else folder.with_name(f"{folder.name}_{players}")
    command = (
        f"python -m agents.tournament {there.alone} {network} --alone {there.alone} --game {there.name} "
        f"--players {players} --games {games} --seed {there.seed} --out {out}"
    )
    return Strongest(there.alone, command, (round(share.value, 4), round(share.low, 4), round(share.high, 4)), games)


def replaces(found: Strongest, before: Strongest) -> bool:
    """Return True if a result replaces the one of a card: more games of the same agent, or a larger lower bound."""
    if found.agent == before.agent:
        return found.games >= before.games
    return found.share[1] > before.share[1]


def run(options: Options) -> int:
    """Write cards and pages, print a line for each number of players and return the code of `run_program`."""

    def work(checked: Mapping[str, tuple[Path, Strongest]]) -> int:
        for players, (file, found) in checked.items():
            card, kept = read_card(file), ""
            before = card.strongest.get(players)
            if before is not None and not replaces(found, before):
                kept = f"; the card keeps {before.agent} with {share_text(Estimate(*before.share))}"
            else:
                strongest = dict(sorted({**card.strongest, players: found}.items()))
                write_card(file, msgspec.structs.replace(card, strongest=strongest))
            won = interval(Estimate(*found.share), 1, 100)
            print(f"{players} players: {found.agent} wins {won} % against {file.stem}{kept}")
        return 0

    return run_program(lambda: check(options), work)
