"""Whole games of Porta Nigra on one screen: ``python -m porta_nigra_env.demo``."""

from __future__ import annotations

import argparse
import platform
import random
import statistics
import time
from collections.abc import Sequence

import numba
import numpy as np

from porta_nigra_env.core.components import ComponentError
from porta_nigra_env.core.results import winners
from porta_nigra_env.games.porta_nigra.components.load import load
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State
from porta_nigra_env.games.porta_nigra.kernel.scoring import NUM_COLUMNS, ROWS_COLUMN
from porta_nigra_env.games.porta_nigra.kernel.verbs import score_sheet
from porta_nigra_env.games.porta_nigra.state import STATE

#: Decisions after which a playout is taken for endless; no game comes near it.
LIMIT = 100_000
SOURCES = ("marker", "sets", "final cards", "play area", "majorities")


def show_game(players: int, seed: int, components: str) -> None:
    """Print one game of random players: the first turns as action texts, the last board, the scores."""
    state = State.new(num_players=players, seed=seed, components=components)
    rng = random.Random(seed)
    turns: list[str] = []
    while not state.is_over:
        player = state.current_player
        action = rng.choice(state.legal_actions())
        if action.startswith(("place", "card", "tens", "appoint")):
            turns.append(f"player {player}: {action}")
        else:
            turns[-1] += f", {action}"
        state.apply(action)
    print(f"One game of {players} random players (seed {seed}), its first eight turns of {len(turns)}:\n")
    for turn in turns[:8]:
        print(f"  {turn}")
    print(f"\nand its end:\n\n{state}\n")
    for seat, points in enumerate(state.scores()):
        majorities = sum(sum(rows.values()) for rows in points["majorities"].values())
        sources = (points["vp"], points["sets"], points["final_cards"], points["play_area"], majorities)
        named = " + ".join(f"{value} {name}" for value, name in zip(sources, SOURCES, strict=True))
        wins = "   wins" if seat in state.winners() else ""
        print(f"  player {seat}: {named} = {points['total']}{wins}")


def play_games(players: int, games: int, seed: int, components: str) -> None:
    """Play `games` games of random players in compiled code and print a line of results for each seat."""
    game = PortaNigra(players, components)
    states = np.zeros(1, dtype=STATE)
    words = np.zeros(game.num_words, dtype=np.uint64)
    rng = np.array([seed, players, 0], dtype=np.int64)
    sheet = np.zeros((players, NUM_COLUMNS), dtype=np.int32)
    points = np.zeros((games, players, len(SOURCES)))
    wins = np.zeros(players)
    decisions = 0
    seconds = []
    for i in range(games):
        begun = time.perf_counter()
        game.kernel.reset(game.tables, states, 0, seed + i, players)
        played = game.loops.playout(game.tables, states, 0, words, rng, LIMIT)
        seconds.append((time.perf_counter() - begun) / played)
        decisions += played
        score_sheet(game.tables, states, 0, sheet)
        points[i, :, :ROWS_COLUMN] = sheet[:, :ROWS_COLUMN]
        points[i, :, -1] = sheet[:, ROWS_COLUMN:].sum(axis=1)
        best = winners(sheet.sum(axis=1))
        wins[best] += 1 / len(best)
    for seat in range(players):
        mean = points[:, seat].mean(axis=0)
        cells = "".join(f"{value:12.1f}" for value in mean)
        print(f"{players:>7} {seat:>5} {wins[seat] / games:>8.1%} {mean.sum():>7.1f} {cells}")
    rate = 1 / statistics.median(seconds)
    print(f"        {games} games of {decisions / games:.0f} decisions; {rate / 1e6:.1f} million decisions a second\n")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    parser = argparse.ArgumentParser(
        prog="python -m porta_nigra_env.demo",
        description="Show one game of random players, then play many for 2, 3 and 4 players and print who scores what.",
    )
    parser.add_argument("--games", type=int, default=2_000, help="games for each number of players (default 2000)")
    parser.add_argument(
        "--players",
        type=int,
        nargs="+",
        choices=(2, 3, 4),
        default=[2, 3, 4],
        help="numbers of players (default 2 3 4)",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the first game (default 1); others count up")
    parser.add_argument(
        "--components", default="standard", metavar="FILE", help='component file (default "standard", the packaged one)'
    )
    arguments = parser.parse_args(argv)
    if arguments.games < 1:
        parser.error("--games must be at least 1")
    if not 0 <= arguments.seed < 2**31:
        parser.error("--seed must be in 0..2147483647")
    try:
        load(arguments.components)
    except ComponentError as error:
        parser.error(str(error))

    begun = time.perf_counter()
    show_game(arguments.players[0], arguments.seed, arguments.components)
    print(f"\n({time.perf_counter() - begun:.1f} s; the first run on a machine compiles the kernel)\n")
    print("players  seat     wins   total " + "".join(f"{name:>12}" for name in SOURCES))
    for players in arguments.players:
        play_games(players, arguments.games, arguments.seed, arguments.components)
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    print(f"{versions}, one thread; the rate is the median over whole")
    print("compiled games (reset, legality and step), observations not included.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
