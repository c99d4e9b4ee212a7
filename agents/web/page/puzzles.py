"""Find puzzles in recorded games: positions with one clearly best action.

Each folder is a tournament with --record. A position becomes a puzzle if

- the network's most probable actions, in few sampled states of the mover's view, have a clear best one;
- it is the best of all legal actions in more samples, and leads by more than --lead of a win and 4 standard errors;
- rollouts of the network to the end of the game confirm half of the lead, with 2 standard errors;
- the agent --agent chooses the same action.

A game gives at most one puzzle: the one whose best action the network alone finds least probable. The puzzles stand in
``agents/<game>/puzzles.toml``.

Example:

    python -m agents.tournament network network:temperature=1 --games 24 --record --out results/own
    python -m agents.web.page.puzzles results/own
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import tyro
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.agent import Agent
from agents.arena import program
from agents.arena.matches import Played
from agents.arena.playing import one_thread
from agents.arena.program import Program
from agents.registry import make
from agents.review.estimates import ENDLESS, Comparison, Effort, Estimator, baseline
from agents.review.review import LARGE_SHARE, states_of
from agents.web.page.links import link
from agents.web.page.recorded import write
from agents.web.page.samples import Source, read_folders
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State

PROGRAM = Program("agents.web.page.puzzles")
#: Legal actions of a puzzle, at least.
CHOICES: Final = 4
#: Standard errors of a lead, at least; and of a lead by rollouts to the end.
CLEAR, CONFIRMED = 4.0, 2.0
COARSE: Final = Effort(samples=16, candidates=3, seed=1)
FINE: Final = Effort(samples=64, seed=2)
#: Other sampled states than those that found the action.
CHECK: Final = Effort(samples=400, plies=ENDLESS, seed=3)


@dataclass(frozen=True)
class Puzzle:
    """A puzzle, as `agents.web.page.recorded.puzzles_of` has it."""

    link: str
    best: int
    lead: float
    error: float


class Lead(NamedTuple):
    """The best action, the second one, and the difference of their values in wins with its standard error."""

    best: int
    second: int
    lead: float
    error: float


def lead_of(found: Comparison, seat: int) -> Lead:
    """Return the lead of the best of some actions, at least two, for a seat."""
    values = found.results[:, :, seat]
    second, best = np.argsort(values.mean(axis=0), kind="stable")[-2:].tolist()
    players = found.results.shape[2]
    # Between a sole win and a loss are n / (n - 1).
    gaps = (values[:, best] - values[:, second]) * (players - 1) / players
    error = float(gaps.std(ddof=1) / len(gaps) ** 0.5)
    return Lead(int(found.actions[best]), int(found.actions[second]), float(gaps.mean()), error)


class Finder:
    """Finds puzzles in games for one number of players.

    Args:
        game: the game.
        agent: must choose the best action of a puzzle, too.
        lead: of a puzzle in wins, at least.
    """

    def __init__(self, game: Game, agent: Agent, lead: float) -> None:
        self.game, self.agent, self.lead = game, agent, lead
        self._given: set[str] = set()
        self._evaluator = baseline("network", game).evaluator
        self._coarse, self._fine, self._check = (
            Estimator(game, self._evaluator, effort) for effort in (COARSE, FINE, CHECK)
        )

    def puzzle(self, played: Played) -> Puzzle | None:
        """Return the puzzle of a game, None for a game without one."""
        states, promising = states_of(self.game, played.seed, played.actions), []
        for at, action in enumerate(played.actions):
            if len(states[at].legal_ids()) < CHOICES:
                continue
            found = self._coarse.compare(states[at].view(), action)
            first = lead_of(found, states[at].player) if len(found.actions) > 1 else None
            if first is not None and self._is_clear(first):
                promising.append((self._share(states[at], first.best), at))
        for _, at in sorted(promising):
            address = link(self.game, played.seed, played.actions[:at], at=at, view=states[at].player)
            # Games of one deal can begin alike.
            if address not in self._given and (lead := self.proved(states[at], played.actions[at])) is not None:
                self._given.add(address)
                return Puzzle(address, lead.best, round(lead.lead, 3), round(lead.error, 3))
        return None

    def _share(self, state: State, action: int) -> float:
        """Return the network's probability of an action."""
        view = state.view()
        logits = self._evaluator(view.observation[None], view.action_mask[None])[0][0].astype(np.float64)
        shares = np.exp(logits - logits.max()) * view.action_mask
        return float(shares[action] / shares.sum())

    def _is_clear(self, lead: Lead) -> bool:
        return lead.lead > max(self.lead, CLEAR * lead.error)

    def proved(self, state: State, action: int) -> Lead | None:
        """Return the lead of the best of all legal actions, None if it is not clear or not confirmed.

        action: the one that was played; it is compared first, with the network's most probable ones.
        """
        view, seat = state.view(), state.player
        # Most positions fail with fewer actions.
        if not self._is_clear(lead_of(self._fine.compare(view, action), seat)):
            return None
        lead = lead_of(self._fine.try_all(view, view.legal_ids().astype(np.int64)), seat)
        if not self._is_clear(lead) or self.agent.act(view) != lead.best:
            return None
        end = lead_of(self._check.try_all(view, np.array([lead.best, lead.second])), seat)
        confirmed = end.best == lead.best and end.lead > max(lead.lead / 2, CONFIRMED * end.error)
        return lead if confirmed else None


@one_thread()
def puzzles(found: Sequence[Source], agent: str, lead: float, count: int, progress: bool = False) -> Iterator[Puzzle]:
    """Yield the puzzles of recorded games in their order, at most `count`.

    Args:
        found: result of `read_folders`.
        agent: agent string of `agents.registry`, which must choose the same actions.
        lead: of a puzzle in wins, at least.
        count: of all puzzles.
        progress: whether to show a progress bar.

    Raises:
        ValueError: no such agent, or a game without a network.
    """
    left = count
    for _, game, games in found:
        finder = Finder(game, make(agent, game), lead)
        for played in tqdm(games, unit="game", disable=not progress):
            if left and (puzzle := finder.puzzle(played)) is not None:
                left -= 1
                yield puzzle


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """The command line; the module's docstring is its help."""

    folders: tyro.conf.Positional[tuple[Path, ...]]
    """tournaments with --record, each of one number of players"""

    count: int = 12
    """puzzles at most"""

    lead: float = LARGE_SHARE
    """of the best action over the second one, in shares of a win, at least"""

    agent: str = "mirror"
    """must choose the best action, too"""


def run(arguments: Arguments) -> int:
    """Write the file of puzzles; ValueError for arguments that cannot be used."""
    program.at_least(1, count=arguments.count)
    if not 0 < arguments.lead < 1:
        raise ValueError(f"--lead must be above 0 and below 1, not {arguments.lead:g}")
    found = read_folders(arguments.folders)
    given = f"--count {arguments.count} --lead {arguments.lead:g} --agent {arguments.agent}"
    commands = [*(one.command for one in found), f"python -m {PROGRAM.name} FOLDER ... {given}"]
    rows: list[dict[str, Any]] = []
    # Written after each one, so that an interrupted search leaves those that were found.
    for puzzle in puzzles(found, arguments.agent, arguments.lead, arguments.count, progress=True):
        rows.append(asdict(puzzle))
        path = write(found[0].game.name, "puzzles", commands, rows)
    if not rows:
        raise ValueError(f"no game has a puzzle; play more games, or lower --lead from {arguments.lead:g}")
    print(f"{path}: {len(rows)} puzzles")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, __doc__ or "")
    return PROGRAM.attempt(lambda: run(arguments), ValueError)


if __name__ == "__main__":
    raise SystemExit(main())
