"""Policies of the tests: random, eager, or for the Goth, so that every kind of decision occurs often."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

#: A component file with every construct of the grammar in unusual combinations.
OTHER: Final = str(Path(__file__).with_name("components") / "other.toml")

Policy = Callable[[list[str], random.Random], str]

#: Actions that an eager player prefers, and how often it chooses them.
_LIKED: Final = ("use", "again", "buy", "discard")
_EAGERNESS: Final = 0.9


def random_policy(legal: list[str], rng: random.Random) -> str:
    """Choose any legal action."""
    return rng.choice(legal)


def eager_policy(legal: list[str], rng: random.Random) -> str:
    """Prefer actions that use cards or buy them."""
    liked = [action for action in legal if action.startswith(_LIKED)]
    return rng.choice(liked if liked and rng.random() < _EAGERNESS else legal)


def raider_policy(legal: list[str], rng: random.Random) -> str:
    """Pay tribute whenever possible, else play eagerly: many turns, long marches."""
    if "tribute" in legal and rng.random() < _EAGERNESS:
        return "tribute"
    return eager_policy(legal, rng)


POLICIES: Final[dict[str, Policy]] = {"random": random_policy, "eager": eager_policy, "raider": raider_policy}
