"""Agents of the tests by name, tournaments of theirs, and games as if they had been played."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agents import registry, tournament
from agents.agent import Agent
from agents.arena.matches import Match, Played, Setup
from agents.arena.playing import Arena
from agents.arena.results import RESULTS, Results
from agents.registry import Entry
from agents.scripted import ScriptedAgent
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.envs.probes import HIGHEST, LOWEST
from tests.toys.kuhn.game import Kuhn


class Asked(Agent):
    """Lowest or highest legal action by the parity of its seed: shows which seed it was given."""

    def act(self, view: View) -> int:
        return int(view.legal_ids()[0 if self.seed % 2 else -1])


class Broken(Agent):
    """Never a legal action."""

    def act(self, view: View) -> int:
        return -1


class Many(Agent):
    """The lowest legal action in the first decision of many games, then none."""

    batched = True
    asked = 0

    def act(self, view: View) -> int:
        return int(view.legal_ids()[0])

    def act_batch(self, views: BatchView) -> Any:
        self.asked += 1
        return views.action_masks.argmax(axis=1) if self.asked < 3 else np.full(len(views), 999)


class Learned(Agent):
    """The lowest legal action, until its file says otherwise."""

    weights = Path("weights")

    @property
    def fingerprint(self) -> str:
        return self.weights.read_text(encoding="utf-8")

    def act(self, view: View) -> int:
        return int(view.legal_ids()[0])


class Missing(Agent):
    """Can be made in the process that imported this module first, and not by those that play."""

    def __init__(self, name: str, game: Game, seed: int = 0) -> None:
        super().__init__(name, game, seed)
        if seed:
            raise ValueError("its file is gone")

    def act(self, view: View) -> int:
        raise AssertionError("it cannot be made")


class Deadly(Agent):
    """Takes its process with it."""

    def act(self, view: View) -> int:
        os._exit(3)


def _scripted(policy: Policy) -> Callable[[str, Game, int, Mapping[str, Any]], Agent]:
    return lambda text, game, seed, parameters: ScriptedAgent(text, game, policy, seed)


def _outside(kind: type[Agent]) -> Callable[[str, Game, int, Mapping[str, Any]], Agent]:
    return lambda text, game, seed, parameters: kind(text, game, seed)


for _name, _policy in (("probe-lowest", LOWEST), ("probe-highest", HIGHEST)):
    registry.register(Entry(_name, "A compiled policy of the tests.", _scripted(_policy)))
KINDS: dict[str, type[Agent]] = {"asked": Asked, "broken": Broken, "many": Many}
KINDS |= {"learned": Learned, "missing": Missing, "deadly": Deadly}
for _name, _kind in KINDS.items():
    registry.register(Entry(f"probe-{_name}", "An agent of the tests.", _outside(_kind)))


def porta_nigra(players: int) -> Game:
    """A function of this module: with it, other processes import the agents above."""
    return PortaNigra(players)


def kuhn(players: int) -> Game:
    """Kuhn poker."""
    return Kuhn()


class Sourced(Kuhn):
    """Kuhn poker that says where chips come from."""

    point_sources = ("chips",)

    def points_by_source(self, states: States) -> Any:
        return np.stack([self.totals(states, row) for row in range(len(states))])[:, :, None]


def kuhn_with_sources(players: int) -> Game:
    """Kuhn poker with sources of points."""
    return Sourced()


# All compiled games of Porta Nigra use these policies in this order, which compiles them once.
POLICIES = [HIGHEST, LOWEST, RANDOM]
FAST = Setup(porta_nigra, ("probe-highest", "probe-lowest", "random"), 5)
SLOW = Setup(kuhn, ("probe-asked", "probe-lowest", "random"), 5)


def played(setup: Setup, players: list[int], games: int, folder: Path, jobs: int = 1) -> Results:
    """Run a tournament in a new arena."""
    return tournament.run(Arena(setup), players, games, folder, jobs)


def lines(folder: Path) -> list[str]:
    """The lines of the results, sorted."""
    return sorted((folder / RESULTS).read_text(encoding="utf-8").splitlines())


def game(deal: int, agents: str, *scores: int) -> Played:
    """A game as if it had been played."""
    places = tuple(1 + sum(other > score for other in scores) for score in scores)
    return Played(Match(deal, tuple(agents)), deal, scores, places, 10, tuple((score, 0) for score in scores))
