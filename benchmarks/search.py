"""Simulations per second of the searches: ``python -m benchmarks search [--game G] [--players N]``.

The program searches views of one random game in turn; each line is the median of the runs.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.arena import program
from agents.arena.program import Program, at_least
from agents.arena.results import machine
from agents.registry import make
from agents.search.searcher import SearchAgent
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import DEFAULT_GAME, make_game

PROGRAM = Program("benchmarks.search")

#: Searches: label, and agent string without its number of simulations.
KINDS = (
    ("ismcts, rollouts to the end of the round", "ismcts:rounds=1"),
    ("ismcts, rollouts over two rounds", "ismcts:rounds=2"),
    ("ismcts, whole games", "ismcts:rounds=0"),
    ("ismcts, several observers", "ismcts:rounds=1,observers=multiple"),
    ("pimc, 20 determinizations", "pimc:rounds=1"),
    ("flat", "flat:rounds=1"),
)


def views(game: Game, count: int) -> list[View]:
    """Return views with a choice, spread over a random game."""
    states = game.new_states(1)
    rng = np.random.default_rng(1)
    choices = []
    while (player := int(states["current_player"][0])) >= 0:
        view = View(game, states, 0, player)
        legal = view.legal_ids()
        if len(legal) > 1:
            choices.append(view)
        game.kernel.step(game.constants, states, 0, int(rng.choice(legal)))
    return [choices[i] for i in np.linspace(0, len(choices) - 1, count).astype(int)]


def rate(agent: SearchAgent, seen: Sequence[View]) -> float:
    """Return simulations per second over these views."""
    results = [agent.search(view) for view in seen]
    return sum(result.simulations for result in results) / sum(result.seconds for result in results)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Measure simulations per second of the searches."""

    game: str = DEFAULT_GAME
    """name of the game"""

    players: int | None = None
    """number of players (default: the smallest)"""

    simulations: int = 1000
    """of a search"""

    decisions: int = 20
    """number of searches"""

    runs: int = 5
    """alternating runs"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, Arguments.__doc__ or "")
    with PROGRAM.refusing():
        at_least(simulations=arguments.simulations, decisions=arguments.decisions, runs=arguments.runs)
        game = make_game(arguments.game, arguments.players)
    seen = views(game, arguments.decisions)
    agents = {}
    for name, text in KINDS:
        agent = make(f"{text},simulations={arguments.simulations}", game, 1)
        assert isinstance(agent, SearchAgent)
        rate(agent, seen[:1])  # compiles
        agents[name] = agent
    rates: dict[str, list[float]] = {name: [] for name in agents}
    for _ in range(arguments.runs):
        for name, agent in agents.items():
            rates[name].append(rate(agent, seen))
    print(
        f"{game.name}, {game.num_players} players, {arguments.simulations} simulations, random rollouts, one thread\n"
    )
    print(f"{'':<44}{'simulations per s':>21}{'spread':>9}")
    for name, values in rates.items():
        median = statistics.median(values)
        print(f"{name:<44}{median:>21,.0f}{(max(values) - min(values)) / median:>9.0%}")
    print(f"\n{machine()}")
    return 0
