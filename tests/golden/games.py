"""Golden games: files, starts and players.

A game, or a toy game of the tests, keeps its files in a folder ``golden``.  Its module ``starts`` holds ``STARTS``: the
start and the player of each game by the name of its file.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from porta_nigra_env.core.game.playthrough import record
from porta_nigra_env.core.game.state import State

TESTS: Final = Path(__file__).parents[1]


class Start(NamedTuple):
    """Start and player of a golden game; called for each recording, since players have randomness."""

    state: Callable[[], State]
    policy: Callable[[], Callable[[State], str]]


class Golden(NamedTuple):
    """A golden game: name of the game, file, start."""

    game: str
    file: Path
    start: Start

    def __str__(self) -> str:
        return f"{self.game}-{self.file.stem}"

    def recorded(self) -> str:
        """Return the text of the file."""
        return record(self.start.state(), self.start.policy(), self.file.stem.replace("_", " "))


def folders() -> dict[str, Path]:
    """Return the folders of golden games by the name of the game or toy game."""
    return {path.parents[1].name: path.parent for path in sorted(TESTS.glob("*/*/golden/starts.py"))}


def golden_games() -> list[Golden]:
    """Return all golden games."""
    games = []
    for game, folder in folders().items():
        module = ".".join((TESTS.name, *folder.relative_to(TESTS).parts, "starts"))
        starts: dict[str, Start] = import_module(module).STARTS
        games += [Golden(game, folder / f"{name}.txt", start) for name, start in starts.items()]
    return games


def starts(
    states: type[State],
    policies: Mapping[str, Callable[[list[str], random.Random], str]],
    seats: Iterable[int],
    *others: tuple[str, int, int, str],
) -> dict[str, Start]:
    """Return starts by file name: random and eager players at these numbers of seats, and others.

    others: name, which begins with the policy, players, seed and component source.
    """

    def start(name: str, players: int, seed: int, components: str) -> Start:
        def policy() -> Callable[[State], str]:
            rng = random.Random(name)
            return lambda state: policies[name.partition("_")[0]](state.legal_actions(), rng)

        return Start(lambda: states.new(players, seed, components), policy)

    plain = [
        (f"{policy}_{players}_players_seed_{seed}", players, seed, "standard")
        for policy, seed in (("random", 1), ("eager", 2))
        for players in seats
    ]
    return {arguments[0]: start(*arguments) for arguments in (*plain, *others)}


def random_player(name: str) -> Callable[[], Callable[[State], str]]:
    """Return a random player seeded by a name."""

    def policy() -> Callable[[State], str]:
        rng = random.Random(name)
        return lambda state: rng.choice(state.legal_actions())

    return policy
