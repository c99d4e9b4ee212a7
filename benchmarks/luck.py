"""Measure how much of a result is luck: ``python -m benchmarks luck --players 2 3 4``.

Agents of a field are drawn at random for the seats of every game, and each game is reviewed (`agents.review`).  For
every seat, start + skill + choices of the others + chance = result.  The table splits the variance of results into
these parts: the share of a part is its covariance with the result, divided by the variance of the result.  With one
winner this is the part's mean difference between winner and losers, as a share of the difference of their results.
Shares of a number of players add up to 1, and noise of the review does not shift them.

Skill depends on the field: equal agents that make no errors leave everything to luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.agent import Agent
from agents.arena.matches import deal_seed
from agents.arena.ratings import Estimate, mean_of_deals
from agents.arena.tables import interval, markdown
from agents.registry import make, rivals
from agents.review.estimates import QUICK, Baseline, baseline
from agents.review.review import Review, review
from benchmarks.options import AllSizes, at_least, read
from porta_nigra_env.core.game.game import Game, check_seed
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import make_game

#: The parts of a result (`agents.review.review.Seat`).
PARTS: Final = ("start", "skill", "others", "chance")


@dataclass(frozen=True, kw_only=True)
class Arguments(AllSizes):
    """Options of the program."""

    agents: tuple[str, ...] = ()
    """The field; by default the network and the strongest scripted agent."""
    games: int = 60
    """Games with each number of players."""
    seed: int = 1
    """Seed of seats, games and reviews."""

    def check(self) -> None:
        super().check()
        at_least("games", self.games, 2)
        check_seed(self.seed)
        for players in self.counts():
            game = make_game(self.game, players)
            baseline("network", game)
            for name in self.field():
                make(name, game)

    def field(self) -> tuple[str, ...]:
        """Return the agents that seats are drawn from."""
        return self.agents or ("network", *rivals(self.game)[-1:])


def played(seats: Sequence[Agent], seed: int) -> list[int]:
    """Return the ids of all actions of a game; seats: the agents by seat."""
    game, actions = seats[0].game, list[int]()
    state = State(game, game.new_states(seed))
    while not state.is_over:
        actions.append(int(seats[state.player].act(state.view())))
        state.apply_id(actions[-1])
    return actions


def shares(reviews: Sequence[Review]) -> dict[str, Estimate]:
    """Return the shares of `PARTS` in the variance of results, with intervals over games.

    Results of a game add up to 0, so that a part's mean cancels.
    """
    results = np.array([[seat.result for seat in one.seats] for one in reviews])
    parts = [np.array([[getattr(seat, name) for seat in one.seats] for one in reviews]) for name in PARTS]
    sums = np.stack([(part * results).sum(axis=1) for part in parts], axis=1)
    return dict(
        zip(PARTS, mean_of_deals(sums, np.repeat((results**2).sum(axis=1)[:, None], len(PARTS), 1)), strict=True)
    )


def measure(game: Game, arguments: Arguments, network: Baseline) -> dict[str, Estimate]:
    """Play and review all games with one number of players; return `shares`."""
    field = [make(name, game, arguments.seed) for name in arguments.field()]
    rng, done = np.random.default_rng(arguments.seed), list[Review]()
    for number in tqdm(range(arguments.games), desc=f"{game.num_players} players", unit="game"):
        seed, seats = deal_seed(arguments.seed, number), rng.integers(len(field), size=game.num_players)
        actions = played([field[seat] for seat in seats.tolist()], seed)
        # Doubts would be repeated with rollouts to the end: less noise in a step, which shares do not need.
        done.append(review(game, seed, actions, network, QUICK, stages=()))
    return shares(done)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    arguments = read(Arguments, argv)
    torch.set_num_threads(1)
    lines, figures = [], {}
    for players in arguments.counts():
        game = make_game(arguments.game, players)
        found = measure(game, arguments, baseline("network", game))
        lines.append([str(players), *(interval(found[part], 0, 100) for part in PARTS)])
        figures[players] = found
        tqdm.write(" ".join(lines[-1]))
    print(f"\nField: {', '.join(arguments.field())}; {arguments.games} games each")
    print(markdown(["players", *(f"{part}, %" for part in PARTS)], lines))
    arguments.finish(results=figures)
    return 0
