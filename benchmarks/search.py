"""Simulations per second of the searches, with random rollouts on one thread, over views of one random game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from agents.registry import make
from agents.search.searcher import SearchAgent
from benchmarks.lines import Line, figures, measure, table
from benchmarks.options import Repeated, Seated, Timed, at_least, read
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View

#: Searches: label, and agent string without its number of simulations.
KINDS = (
    ("ismcts, rollouts to the end of the round", "ismcts:rounds=1"),
    ("ismcts, rollouts over two rounds", "ismcts:rounds=2"),
    ("ismcts, whole games", "ismcts:rounds=0"),
    ("ismcts, several observers", "ismcts:rounds=1,observers=multiple"),
    ("pimc, 20 determinizations", "pimc:rounds=1"),
    ("flat", "flat:rounds=1"),
)


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""

    simulations: int = 1000
    """Simulations of a search."""
    views: int = 20
    """Views that are searched in turn."""

    def check(self) -> None:
        super().check()
        at_least("simulations", self.simulations, 1)
        at_least("views", self.views, 1)


def views_of(game: Game, count: int) -> list[View]:
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


def searching(game: Game, text: str, views: Sequence[View]) -> Callable[[], int]:
    """Return a function that searches all views and returns the number of simulations."""
    agent = make(text, game, 1)
    assert isinstance(agent, SearchAgent)
    return lambda: sum(agent.search(view).simulations for view in views)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = read(Arguments, argv)
    game = options.made()
    views = views_of(game, options.views)
    lines = [
        Line(name, searching(game, f"{text},simulations={options.simulations}", views), KINDS[0][0], "simulations")
        for name, text in KINDS
    ]
    measure(lines, options.seconds, options.runs)
    print(f"{game!r}, {options.simulations} simulations a search\n\n{table(lines)}")
    options.finish(lines=figures(lines))
    return 0
