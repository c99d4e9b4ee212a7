"""Check a component set of a game: ``python -m porta_nigra_env.components my.toml --game GAME --games 200``."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import tyro

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.positions.checks import joined
from porta_nigra_env.core.positions.components import ComponentError, Components
from porta_nigra_env.envs.play import GamesPlayed, play_games
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game


@dataclass(frozen=True)
class Arguments:
    """Check a component file, print a summary, and play with it.

    For an invalid file, print the key, the value and the allowed values, and exit with 1.  Invalid options exit with 2.
    """

    file: tyro.conf.Positional[str] = "standard"
    """a TOML file, "standard" for the packaged components, or "varied:SEED" for a drawn set"""
    game: Literal[tuple(GAMES)] = DEFAULT_GAME  # type: ignore[valid-type]  # names at run time
    """the game of the file"""
    games: int = 0
    """games for each number of players, with the game's compiled policies on random seats: lengths, points, wins"""
    seed: int = 1
    """seed of the games"""


def report(components: Components) -> str:
    """Return a set's name, edition, digest, summary and the origins of its tables, a line each."""
    origins: dict[str, list[str]] = {}
    for table, origin in components.data.get("provenance", {}).items():
        origins.setdefault(origin, []).append(table)
    lines = {
        "name": components.name + (" (the packaged material)" if components.packaged else ""),
        "edition": components.edition,
        "digest": components.digest,
        **components.summary(),
        **{f"from {origin}": joined(tables) for origin, tables in origins.items()},
    }
    return "\n".join(f"{title + ':':<21}{text}" for title, text in lines.items())


class Mixed(NamedTuple):
    """Games of the compiled policies on random seats.

    wins: float64 (games, players), a game's win by seat, shared by ties; the fair mean is one over the players.
    by_policy: mean win of each policy, NaN without a game.
    """

    played: GamesPlayed
    wins: npt.NDArray[np.float64]
    by_policy: dict[str, float]


def play_mixed(game: Game, games: int, seed: int) -> Mixed:
    """Play games of the compiled policies, each on the seats that the seed draws."""
    policies, rng = game.policies(), np.random.default_rng(seed)
    lineups = rng.integers(len(policies), size=(games, game.num_players))
    played = play_games(game, list(policies.values()), rng.integers(1 << 62, size=games), lineups)
    first = played.places == 1
    wins: npt.NDArray[np.float64] = first / first.sum(axis=1, keepdims=True)
    sums = np.bincount(lineups.ravel(), wins.ravel(), len(policies))
    with np.errstate(invalid="ignore"):
        means = sums / np.bincount(lineups.ravel(), minlength=len(policies))
    return Mixed(played, wins, dict(zip(policies, means.tolist(), strict=True)))


def course(game: Game, mixed: Mixed) -> str:
    """Return the lengths, points and wins of games as text."""
    lengths, points = mixed.played.lengths, mixed.played.totals
    return "\n".join(
        [
            f"{game.num_players} players, {len(lengths)} games: {lengths.mean():.0f} steps ({lengths.max()} at most), "
            f"{points.mean():.1f} points, winners {points.max(axis=1).mean():.1f}",
            f"  wins by seat: {', '.join(f'{share:.1%}' for share in mixed.wins.mean(axis=0))}",
            f"  wins by policy: {', '.join(f'{name} {rate:.1%}' for name, rate in mixed.by_policy.items())}",
        ]
    )


def other_game(file: str, game: str) -> str:
    """Return a hint at the game with the most tables of a file, or nothing if that is `game`."""
    try:
        tables = tomllib.loads(Path(file).read_text(encoding="utf-8")).keys()
    except (OSError, ValueError):
        return ""
    sets = {name: game_class(name).component_sets for name in (game, *GAMES)}
    shared = {name: len(tables & one.packaged.data.keys()) for name, one in sets.items() if one is not None}
    likely = max(shared, key=lambda name: shared[name])  # the first of equals, `game`
    return "" if likely == game else f"; the tables are those of {likely}: add --game {likely}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 for an invalid file, 2 for invalid options."""
    program = "python -m porta_nigra_env.components"
    arguments = tyro.cli(Arguments, args=argv, prog=program)
    for name in ("games", "seed"):
        if (value := getattr(arguments, name)) < 0:
            print(f"{program}: --{name} must be at least 0, not {value}", file=sys.stderr)
            return 2
    sets = game_class(arguments.game).component_sets
    if sets is None:
        print(f"error: {arguments.game} has no component files", file=sys.stderr)
        return 1
    try:
        components = sets.load(arguments.file)
    except ComponentError as error:
        print(f"error: {error}{other_game(arguments.file, arguments.game)}", file=sys.stderr)
        return 1
    print(report(components))
    for players in game_class(arguments.game).seats if arguments.games else ():
        game = make_game(arguments.game, players, components)
        print(course(game, play_mixed(game, arguments.games, arguments.seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
