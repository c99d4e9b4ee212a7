"""Measure whether the ranking of agents holds across component sets: ``python -m benchmarks rankings --sets 20``.

The compiled policies of a game play on random seats, with the standard component set and with drawn ones.  Kendall's
tau compares two rankings by win rate: 1 for the same order, 0 for no relation, -1 for the reverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau  # type: ignore[import-untyped]
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.ratings import mean_of_rows
from agents.arena.tables import interval, markdown
from benchmarks.options import Options, at_least, read
from porta_nigra_env.components import play_mixed
from porta_nigra_env.core.game.game import check_seed
from porta_nigra_env.core.positions.components import VARIED
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game


@dataclass(frozen=True, kw_only=True)
class Arguments(Options):
    """Options of the program."""

    game: str = DEFAULT_GAME
    """Name of the game (porta_nigra_env.games)."""
    sets: int = 20
    """Drawn component sets, varied:1 and on."""
    games: int = 1000
    """Games with each set, for each number of players."""
    seed: int = 1
    """Seed of the games."""

    def check(self) -> None:
        super().check()
        game_entry(self.game)
        at_least("sets", self.sets, 2)
        at_least("games", self.games, 1)
        check_seed(self.seed)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    arguments = read(Arguments, argv)
    figures = {}
    for players in game_entry(arguments.game).seats:
        names = ["standard", *(f"{VARIED}{seed}" for seed in range(1, arguments.sets + 1))]
        games = (make_game(arguments.game, players, name) for name in tqdm(names, unit="set", leave=False))
        rates = [play_mixed(game, arguments.games, arguments.seed).by_policy for game in games]
        table = np.array([list(rate.values()) for rate in rates])
        standard, drawn = table[0], table[1:]
        taus = np.array([[kendalltau(standard, row).statistic] for row in drawn])
        order = np.argsort(-standard)
        means, policies = mean_of_rows(drawn), list(rates[0])
        lines = [
            [
                policies[i], f"{100 * standard[i]:.1f}", interval(means[i], 1, 100.0),
                f"{100 * drawn[:, i].min():.1f} to {100 * drawn[:, i].max():.1f}",
            ]
            for i in order
        ]  # fmt: skip
        print(f"\n{players} players, {arguments.games} games with each set; even is {100 / players:.1f} %")
        print(markdown(["policy", "standard, %", "drawn sets, %", "lowest and highest"], lines, left=1))
        best = (drawn.argmax(axis=1) == order[0]).sum()
        print(f"Kendall's tau with the standard set: {interval(mean_of_rows(taus)[0], 2)}, {taus.min():.2f} at least;")
        print(f"{policies[order[0]]} is the best with {best} of {len(drawn)} drawn sets")
        figures[players] = {"wins": rates, "taus": taus[:, 0].tolist()}
    arguments.finish(results=figures)
    return 0
