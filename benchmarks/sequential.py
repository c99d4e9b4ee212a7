"""Measure the errors of sequential tests: ``python -m benchmarks sequential AGENT AGENT``.

Both agents play a pool of duplicate deals.  Tests draw deals from the pool in random order, so its win share is their
true difference: as H0 it gives the share of wrong acceptances of H1, as H1 that of H0.  The lengths of the tests stand
beside the length of a test of a fixed number of games with the same errors.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import tyro
from scipy.stats import norm  # type: ignore[import-untyped]
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.matches import deal_seed
from agents.arena.ratings import Floats, Integers, wilson, win_shares
from agents.arena.sequential import Sprt, decide, elo_of
from agents.arena.tables import markdown
from agents.registry import make
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import DEFAULT_GAME, make_game
from training.run.options import check_players
from training.run.ranges import Positive, PositiveInt, Seed, check_ranges


@dataclass(frozen=True)
class Options:
    """Measure errors and lengths of sequential tests between two compiled agents."""

    agents: Annotated[tuple[str, str], tyro.conf.Positional] = ("builder", "towers")
    """The tested agent, on one seat, and the reference agent on all others."""
    game: str = DEFAULT_GAME
    """Name of the game."""
    players: tuple[int, ...] = ()
    """Numbers of players; by default the fewest of the game."""
    deals: PositiveInt = 20_000
    """Deals of the pool, each played from every seat."""
    tests: PositiveInt = 1000
    """Tests of each kind."""
    width: Positive = 20.0
    """Elo points between the hypotheses."""
    seed: Seed = 1
    """Seed of the deals and of the tests' order."""
    json: Path | None = None
    """File for the figures."""


class Errors(NamedTuple):
    """Tests with a true hypothesis.

    wrong: share of tests that accepted the other one, with its 95 % interval `low` to `high`.
    mean, fixed: games of a test in the mean, and of a test of fixed size with the same errors.
    """

    players: int
    true: str
    wrong: float
    low: float
    high: float
    mean: float
    fixed: float


def pool(game: Game, agents: Sequence[str], deals: int, seed: int) -> Floats:
    """Return the mean win share of the first agent in each deal, from every seat: float64 (deals,)."""
    policies = [make(agent, game).compiled for agent in agents]
    if any(policy is None for policy in policies):
        raise ValueError(f"agents must be compiled, unlike one of {', '.join(agents)}")
    players = game.num_players
    lineups: Integers = np.tile(1 - np.eye(players, dtype=np.int64), (deals, 1))
    seeds = np.repeat([deal_seed(seed, deal) for deal in range(deals)], players)
    places = play_games(game, [policy for policy in policies if policy is not None], seeds, lineups).places
    shares: Floats = win_shares(places)[lineups == 0].reshape(deals, players).mean(axis=1)
    return shares


def measure(results: Floats, players: int, options: Options) -> list[Errors]:
    """Return the errors if H0 is true and if H1 is."""
    rng, truth, rows = np.random.default_rng(options.seed), elo_of(float(results.mean()), players), list[Errors]()
    for true, lower in (("elo0", truth), ("elo1", truth - options.width)):
        test = Sprt(lower, lower + options.width)
        quantiles = norm.isf(test.alpha) + norm.isf(test.beta)
        fixed = players * results.var() * (quantiles / np.diff(test.shares(players)).item()) ** 2
        wrong, games = 0, list[int]()
        for _ in tqdm(range(options.tests), desc=f"{players} players, {true}"):
            part, drawn = "", np.zeros(0)
            while not part:
                drawn = np.concatenate([drawn, rng.choice(results, max(len(drawn), 500))])
                part, _, _, played, *_ = decide(test, drawn, players)
            games.append(played)
            wrong += part != true
        share = wilson(wrong / options.tests, options.tests)
        rows.append(Errors(players, true, *share, float(np.mean(games)), float(fixed)))
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = tyro.cli(Options, args=argv, prog="python -m benchmarks sequential", description=Options.__doc__)
    try:
        check_ranges(options)
        rows = list[Errors]()
        for players in check_players(options.game, options.players):
            results = pool(make_game(options.game, players), options.agents, options.deals, options.seed)
            rows += measure(results, players, options)
    except ValueError as error:
        raise SystemExit(f"python -m benchmarks sequential: {error}") from None
    columns = ["players", "true", "wrong, %", "95 %", "games", "fixed size"]
    lines = [
        [
            str(row.players), "H0" if row.true == "elo0" else "H1", f"{row.wrong:.1%}",
            f"{row.low:.1%} to {row.high:.1%}", f"{row.mean:,.0f}", f"{row.fixed:,.0f}",
        ]
        for row in rows
    ]  # fmt: skip
    print(markdown(columns, lines, left=2))
    if options.json:
        write_whole(options.json, json.dumps([row._asdict() for row in rows], indent=1) + "\n")
    return 0
