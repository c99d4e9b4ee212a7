"""Policies of tests: random, and eager, which reaches every kind of question often."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

Policy = Callable[[list[str], random.Random], str]

#: Preferred actions of an eager player, and the chance to take one.
_LIKED: Final = ("build", "activate", "play", "exchange", "place forum", "place arena", "place gold", "place silver",
                 "place potentia", "place portus", "place latro", "buy")  # fmt: skip
_EAGERNESS: Final = 0.7


def random_policy(legal: list[str], rng: random.Random) -> str:
    """Any legal action."""
    return rng.choice(legal)


def eager_policy(legal: list[str], rng: random.Random) -> str:
    """Prefer actions that use resources; rarely pass while another action is legal."""
    liked = [action for action in legal if action.startswith(_LIKED)]
    active = [action for action in legal if action not in ("pass", "done")]
    if liked and rng.random() < _EAGERNESS:
        return rng.choice(liked)
    return rng.choice(active if active and rng.random() < _EAGERNESS else legal)


POLICIES: Final[dict[str, Policy]] = {"random": random_policy, "eager": eager_policy}
