"""Simulations a second of the searches: ``python -m agents.searchspeed [--players N]``.

Decisions of one recorded random game are searched in turn; each line is the median over the runs.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence

import numpy as np

from agents.arena.results import machine
from agents.porta_nigra.games import game_of
from agents.registry import make
from agents.search.searcher import SearchAgent
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.view import View

#: What is measured: name for the table, agent without its number of simulations.
KINDS = (
    ("ismcts, rollouts to the end of the round", "ismcts:rounds=1"),
    ("ismcts, rollouts over two rounds", "ismcts:rounds=2"),
    ("ismcts, whole games", "ismcts:rounds=0"),
    ("ismcts, several observers", "ismcts:rounds=1,observers=multiple"),
    ("pimc, 20 worlds", "pimc:rounds=1"),
    ("flat", "flat:rounds=1"),
)


def views(game: Game, count: int) -> list[View]:
    """Decisions with a choice, spread over a random game."""
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.tables, states, 0, 1, game.num_players)
    rng = np.random.default_rng(1)
    found = []
    while (player := int(states["current_player"][0])) >= 0:
        view = View(game, states, 0, player)
        legal = view.legal_ids()
        if len(legal) > 1:
            found.append(view)
        game.kernel.step(game.tables, states, 0, int(rng.choice(legal)))
    return [found[i] for i in np.linspace(0, len(found) - 1, count).astype(int)]


def rate(agent: SearchAgent, seen: Sequence[View]) -> float:
    """Simulations a second over these decisions."""
    results = [agent.search(view) for view in seen]
    return sum(one.simulations for one in results) / sum(one.seconds for one in results)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.searchspeed", description="Measure simulations a second of the searches."
    )
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=2, help="number of players (default 2)")
    parser.add_argument("--simulations", type=int, default=1000, help="of a decision (default 1000)")
    parser.add_argument("--decisions", type=int, default=20, help="that are searched (default 20)")
    parser.add_argument("--runs", type=int, default=5, help="alternating runs, of which the median counts (default 5)")
    arguments = parser.parse_args(argv)
    if min(arguments.simulations, arguments.decisions, arguments.runs) < 1:
        parser.error("--simulations, --decisions and --runs must be positive")
    game = game_of(arguments.players)
    seen = views(game, arguments.decisions)
    agents = {}
    for name, text in KINDS:
        agent = make(f"{text},simulations={arguments.simulations}", game, 1)
        assert isinstance(agent, SearchAgent)
        rate(agent, seen[:1])  # compiled before the clock runs
        agents[name] = agent
    rates: dict[str, list[float]] = {name: [] for name in agents}
    for _ in range(arguments.runs):
        for name, agent in agents.items():
            rates[name].append(rate(agent, seen))
    print(f"{arguments.players} players, {arguments.simulations} simulations, random rollouts, one thread\n")
    print(f"{'':<44}{'simulations a second':>21}{'spread':>9}")
    for name, values in rates.items():
        median = statistics.median(values)
        print(f"{name:<44}{median:>21,.0f}{(max(values) - min(values)) / median:>9.0%}")
    print(f"\n{machine()}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
