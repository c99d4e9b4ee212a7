"""Measure the value of hidden information: ``python -m benchmarks hidden_information --players 2 3 4``.

The same mirror-descent search of a network plays on every seat, with a fixed number of sampled states.  On one seat
these states are open: they hold the true hands, and only future chance is redrawn (`redraw`).  On all other seats they
are sampled from the searching player's view, as in every agent.  Each deal is played with the open search on every
seat in turn, so without any value of the hidden cards it would win an even share.

Both searches try the same candidates, and the network sees the view of the seat to move alone.  The figure is
therefore the value of the cards to this search: a player trained with open hands could gain more.

"Guessed" is the share of sampled states in which the views of all other seats are those of the true state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.matches import deal_seed
from agents.arena.ratings import Estimate, by_deal, mean_of_deals
from agents.arena.tables import interval, markdown, share_text
from agents.review.aivat import told_apart
from agents.search.mirror import Effort, MirrorSearch
from benchmarks.options import AllSizes, at_least, read
from benchmarks.search_gain import evaluator, load
from porta_nigra_env.core.arrays.rng import decision_seed, later_seed
from porta_nigra_env.core.game.game import Game, States, check_seed
from porta_nigra_env.core.game.results import margin_returns
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import make_game
from training.run.evaluation import play_deals, win_rate

#: Deals played side by side.
PARALLEL_DEALS: Final = 64
#: Rollouts of a search in parallel.
ROWS: Final = 1024
#: Step size of mirror descent, as in `benchmarks.search_gain`.
STEP: Final = 100.0


@dataclass(frozen=True, kw_only=True)
class Arguments(AllSizes):
    """Options of the program."""

    network: str = "network"
    """Network file; "network" is the published one."""
    games: int = 240
    """Games with each number of players, of whole deals: each has the open search on every seat."""
    determinizations: int = 16
    """Sampled states in which an action is tried."""
    candidates: int = 3
    """Number of most probable actions to try."""
    rollout_steps: int = 12
    """Length of a rollout, over all seats."""
    seed: int = 1
    """Seed of deals and searches."""

    def check(self) -> None:
        super().check()
        leasts = {"games": 2 * max(self.counts()), "determinizations": 1, "candidates": 2, "rollout_steps": 0}
        for name, least in leasts.items():
            at_least(name.replace("_", "-"), getattr(self, name), least)
        check_seed(self.seed)
        for players in self.counts():
            load(self.network, make_game(self.game, players))


class OpenView(View):
    """The view of the player to move, with the true state next to it.

    Attributes:
        truth: (1,) the state with all hands.
    """

    __slots__ = ("truth",)

    def __init__(self, game: Game, states: States, row: int) -> None:
        super().__init__(game, states, row, int(states["current_player"][row]))
        self.truth = states[row : row + 1].copy()


class OpenHandSearch(MirrorSearch):
    """A mirror-descent search that knows all hands, and samples future chance alone; it takes `OpenView`s."""

    def _determinize(self, view: View, seed: int, first: int, count: int) -> States:
        """Return true states with other futures, (count,); TypeError for a view without the true state."""
        if not isinstance(view, OpenView):
            raise TypeError(f"an open-hand search needs an OpenView, not {type(view).__name__}")
        states = np.repeat(view.truth, count)
        for row in range(count):
            self.game.kernel.redraw(self.game.constants, states, row, later_seed(seed, first + row + 1))
        return states


def searched(search: MirrorSearch, views: Sequence[View], seed: int) -> npt.NDArray[np.int64]:
    """Return the preferred actions, int64 (k,), of a search of some views; it follows from each view and the seed."""
    actions = np.array([view.action_mask.argmax() for view in views], dtype=np.int64)
    choices = [number for number, view in enumerate(views) if view.action_mask.sum() > 1]
    seeds = [int(decision_seed(views[number].state.view(np.uint8), seed)) for number in choices]
    for number, result in zip(choices, search.run_all([views[number] for number in choices], seeds), strict=True):
        actions[number] = result.improved.argmax()
    return actions


class Closed:
    """The search of a seat that sees its own hand only, as an opponent in a batch."""

    name: Final = "closed"

    def __init__(self, search: MirrorSearch, seed: int) -> None:
        self.search, self.seed = search, seed

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """Return ids of legal actions, int64 (k,)."""
        return searched(self.search, list(views), self.seed)


class Open:
    """A decider that searches with open hands, and counts guesses.

    Attributes:
        steps, guesses: choices with more than one legal action, and those whose sampled state has the true hands.
    """

    def __init__(self, search: OpenHandSearch, seed: int) -> None:
        self.search, self.seed, self.steps, self.guesses = search, seed, 0, 0

    def __call__(self, env: BatchEnv, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        views = [OpenView(env.game, env.states, row) for row in rows.tolist()]
        for view in views:
            if view.action_mask.sum() > 1:
                self.steps += 1
                self.guesses += guessed(view, int(decision_seed(view.state.view(np.uint8), self.seed)))
        return searched(self.search, views, self.seed)


def guessed(view: OpenView, seed: int) -> bool:
    """Return whether one sample of a view gives every seat its view of the true state."""
    return not told_apart(view.game, view.truth, view.sample(seed))[0]


class Gain(NamedTuple):
    """The results of the open search.

    wins: share of its wins; margin: its total minus the mean of the others; guessed: share of states.
    """

    wins: Estimate
    margin: Estimate
    guessed: float


def play(game: Game, arguments: Arguments) -> Gain:
    """Play all deals with one number of players."""
    network = load(arguments.network, game)
    effort = Effort(
        arguments.determinizations, arguments.candidates, arguments.rollout_steps, max(ROWS, arguments.candidates)
    )
    evaluate = evaluator(network, "auto")
    decide = Open(OpenHandSearch(game, evaluate, effort, STEP), arguments.seed)
    opponent = Closed(MirrorSearch(game, evaluate, effort, STEP), arguments.seed)
    seeds = [deal_seed(arguments.seed, deal) for deal in range(arguments.games // game.num_players)]
    with tqdm(total=len(seeds), desc=f"{game.num_players} players", unit="deal") as bar:
        played = play_deals(decide, [opponent] * (game.num_players - 1), game, seeds, PARALLEL_DEALS, bar.update)
    own, one = (np.arange(len(played.seats)), played.seats), np.zeros(len(played.seats), dtype=np.int64)
    leads = np.array([margin_returns(row) for row in played.totals.astype(np.float64)])[own]
    (margin,) = mean_of_deals(*by_deal(leads, one, played.deals, 1))
    return Gain(win_rate(played), margin, decide.guesses / max(1, decide.steps))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program."""
    arguments = read(Arguments, argv)
    torch.set_num_threads(1)
    lines, figures = [], {}
    for players in arguments.counts():
        gain = play(make_game(arguments.game, players), arguments)
        games = arguments.games // players * players
        wins, even = share_text(gain.wins), f"{1 / players:.1%}"
        lines.append([str(players), str(games), wins, even, interval(gain.margin, 1), f"{gain.guessed:.1%}"])
        figures[players] = {"wins": gain.wins, "margin": gain.margin, "guessed": gain.guessed}
        tqdm.write(" ".join(lines[-1]))
    print(markdown(["players", "games", "open wins", "even", "margin, 95 %", "guessed"], lines))
    arguments.finish(results=figures)
    return 0
