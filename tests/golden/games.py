"""Where the golden games are, and how each of them is begun and played.

A room of the package, or a tenant of the tests, keeps its files in a folder ``golden`` with a module ``starts``, which
says ``STARTS``: by the name of a file, how its game begins and who plays it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from porta_nigra_env.core.game.playthrough import record
from porta_nigra_env.core.game.state import State

TESTS: Final = Path(__file__).parents[1]


class Start(NamedTuple):
    """How a golden game begins, and who plays it: called anew for each recording, since players have randomness."""

    state: Callable[[], State]
    policy: Callable[[], Callable[[State], str]]


class Golden(NamedTuple):
    """A golden game: whose it is, the file that holds it, and how it is begun."""

    game: str
    file: Path
    start: Start

    def __str__(self) -> str:
        return f"{self.game}-{self.file.stem}"

    def recorded(self) -> str:
        """The text that its file should have."""
        return record(self.start.state(), self.start.policy(), self.file.stem.replace("_", " "))


def folders() -> dict[str, Path]:
    """The folders of golden games by the name of the room or tenant."""
    return {path.parents[1].name: path.parent for path in sorted(TESTS.glob("*/*/golden/starts.py"))}


def golden_games() -> list[Golden]:
    """All golden games."""
    games = []
    for game, folder in folders().items():
        module = ".".join((TESTS.name, *folder.relative_to(TESTS).parts, "starts"))
        starts: dict[str, Start] = import_module(module).STARTS
        games += [Golden(game, folder / f"{name}.txt", start) for name, start in starts.items()]
    return games


def random_player(name: str) -> Callable[[], Callable[[State], str]]:
    """Random play with numbers that belong to a name."""

    def policy() -> Callable[[State], str]:
        rng = random.Random(name)
        return lambda state: rng.choice(state.legal_actions())

    return policy
