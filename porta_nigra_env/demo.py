"""Play games of random players and print their results: ``python -m porta_nigra_env.demo [--game NAME]``."""

from __future__ import annotations

import platform
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np
import tyro

from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.game import Game, check_seats
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game

#: Steps after which a game stops; games are far shorter.
LIMIT = 100_000
#: Turns that are shown.
TURNS = 8


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Show one game of random players, then play many for each number of players and print the mean scores."""

    game: str = DEFAULT_GAME
    """Name of the game (porta_nigra_env.games)."""
    games: int = 2_000
    """Games for each number of players."""
    players: tuple[int, ...] = ()
    """Numbers of players; by default all that the game allows."""
    seed: int = 1
    """Seed of the first game; others count up."""
    components: str = "standard"
    """A component file, or "standard", the packaged one."""


def games_of(arguments: Arguments) -> list[Game]:
    """Return the games to play, one for each number of players; ValueError names an invalid option."""
    if arguments.games < 1:
        raise ValueError("--games must be at least 1")
    if not 0 <= arguments.seed < 2**31:
        raise ValueError("--seed must be in 0..2147483647")
    seats = game_entry(arguments.game).seats
    numbers = [check_seats(players, seats) for players in arguments.players] or list(seats)
    return [make_game(arguments.game, players, arguments.components) for players in numbers]


def show_game(game: Game, seed: int) -> None:
    """Print one game of random players: the first turns as action strings, the last board, the result."""
    state = State(game, game.new_states(seed))
    rng = random.Random(seed)
    turns: list[tuple[int, list[str]]] = []
    while not state.is_over:
        player = state.player
        if not turns or turns[-1][0] != player:
            turns.append((player, []))
        turns[-1][1].append(rng.choice(state.legal_actions()))
        state.apply(turns[-1][1][-1])
    shown = turns[:TURNS]
    print(f"{game!r}: one game of random players (seed {seed}), its first {len(shown)} turns of {len(turns)}:\n")
    for player, actions in shown:
        print(f"  player {player}: {', '.join(actions)}")
    print(f"\nand its end:\n\n{state}\n")
    places = game.places(state.states)
    totals = game.totals(state.states)
    for seat, sources in enumerate(game.points_by_source(state.states)[0].tolist()):
        named = " + ".join(f"{value} {name}" for value, name in zip(sources, game.point_sources, strict=True))
        equals = f"{named} = " if named else ""
        print(f"  player {seat}: {equals}{totals[seat]}{'   wins' if places[seat] == 1 else ''}")


def play_many(game: Game, games: int, seed: int) -> None:
    """Play games of random players in one compiled call and print a line of results for each seat."""
    policies, ends = [RANDOM] * game.num_players, np.zeros(games, dtype=game.dtype)
    play_games(game, policies, [seed])  # compiles or loads the code
    start = time.perf_counter()
    played = play_games(game, policies, range(seed, seed + games), ends=ends, limit=LIMIT)
    rate = played.lengths.sum() / (time.perf_counter() - start)
    best = played.places == 1
    wins, totals = (best / best.sum(axis=1, keepdims=True)).mean(axis=0), played.totals.mean(axis=0)
    for seat, sources in enumerate(game.points_by_source(ends).mean(axis=0)):
        cells = "".join(f"{value:12.1f}" for value in sources)
        print(f"{game.num_players:>7} {seat:>5} {wins[seat]:>8.1%} {totals[seat]:>7.1f} {cells}")
    print(f"        {games} games of {played.lengths.mean():.0f} steps; {rate / 1e6:.1f} million steps per second\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments."""
    program = "python -m porta_nigra_env.demo"
    arguments = tyro.cli(Arguments, args=argv, prog=program)
    try:
        games = games_of(arguments)
    except ValueError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2

    start = time.perf_counter()
    show_game(games[0], arguments.seed)
    print(f"\n({time.perf_counter() - start:.1f} s; the first run on a machine compiles the kernel)\n")
    print("players  seat     wins   total " + "".join(f"{name:>12}" for name in games[0].point_sources))
    for game in games:
        play_many(game, arguments.games, arguments.seed)
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}"
    print(f"{versions}, one thread; the rate is of whole compiled")
    print("games (reset, legality, policy and step), observations not included.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
