"""Who plays in tests: at random, eagerly, or for the Goth, so that everything there is to decide comes up often."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

#: A component file with every construct of the grammar in unusual combinations.
OTHER: Final = str(Path(__file__).with_name("components") / "other.toml")

Policy = Callable[[list[str], random.Random], str]

#: What an eager player likes best, and how often she then takes it.
_LIKED: Final = ("use", "again", "buy", "discard")
_EAGERNESS: Final = 0.9


def random_policy(legal: list[str], rng: random.Random) -> str:
    """Any legal action."""
    return rng.choice(legal)


def eager_policy(legal: list[str], rng: random.Random) -> str:
    """Mostly something that uses what one has: cards, purchases."""
    liked = [action for action in legal if action.startswith(_LIKED)]
    return rng.choice(liked if liked and rng.random() < _EAGERNESS else legal)


def raider_policy(legal: list[str], rng: random.Random) -> str:
    """The same, and the Goth seldom moves while tribute can be paid: many turns, long marches."""
    if "tribute" in legal and rng.random() < _EAGERNESS:
        return "tribute"
    return eager_policy(legal, rng)


POLICIES: Final[dict[str, Policy]] = {"random": random_policy, "eager": eager_policy, "raider": raider_policy}
