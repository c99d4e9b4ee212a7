"""Reviews of a tournament's recorded games: ``reviews.jsonl``, one line a game.

``python -m agents.review FOLDER --games N`` writes them; reports then have the skill that each agent lost, and open
reviewed games at their costliest step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from agents.arena.matches import Match
from agents.arena.results import Header, ResultsError
from porta_nigra_env.core.files import write_whole

SCHEMA: Final = 1
REVIEWS: Final = "reviews.jsonl"


class Loss(msgspec.Struct, frozen=True):
    """The costliest step of a seat: its number from 1 on, skill with standard error, chosen and better action."""

    step: int
    skill: float
    error: float
    action: str
    better: str


class ReviewedGame(msgspec.Struct, frozen=True):
    """A reviewed game; tuples are by seat.

    Attributes:
        schema: SCHEMA.
        deal, agents: of the game (`Match`).
        baseline: digest of the network's weights and size of the estimates; equal for a number of players.
        skill: sum over the seat's steps, negative for losses.
        choices: its steps with more than one legal action.
        losses: its costliest step; None if no loss is clear.
    """

    schema: int
    deal: int
    agents: tuple[str, ...]
    baseline: str
    skill: tuple[float, ...]
    choices: tuple[int, ...]
    losses: tuple[Loss | None, ...]

    def __post_init__(self) -> None:
        if self.schema != SCHEMA:
            raise ValueError(f"expected a review of schema {SCHEMA}, not {self.schema}; delete the file")
        for name in ("skill", "choices", "losses"):
            if len(getattr(self, name)) != len(self.agents):
                raise ValueError(f"{name} must have {len(self.agents)} values, one for each seat")


def read_reviews(folder: Path, header: Header) -> dict[Match, ReviewedGame]:
    """Return the reviewed games of a tournament's folder.

    Raises:
        ResultsError: a line is no review of this tournament, repeats one, or has another baseline.
    """
    path, found = folder / REVIEWS, dict[Match, ReviewedGame]()
    for number, text in enumerate(path.read_bytes().splitlines() if path.exists() else (), 1):
        try:
            one = msgspec.json.decode(text, type=ReviewedGame)
            _check(one, header, found)
        except (ValueError, msgspec.MsgspecError) as error:
            raise ResultsError(f"{path} line {number}: {error}") from None
        found[Match(one.deal, one.agents)] = one
    return found


def write_reviews(folder: Path, reviews: Iterable[ReviewedGame]) -> None:
    """Write all reviewed games into a folder."""
    write_whole(folder / REVIEWS, b"".join(msgspec.json.encode(one) + b"\n" for one in reviews))


def _check(one: ReviewedGame, header: Header, found: Mapping[Match, ReviewedGame]) -> None:
    if len(one.agents) not in header.players or not set(one.agents) <= set(header.agents):
        raise ValueError(f"agents must be of {header.agents}, not {list(one.agents)}")
    if Match(one.deal, one.agents) in found:
        raise ValueError("it repeats a game")
    others = [other.baseline for other in found.values() if len(other.agents) == len(one.agents)]
    if others and one.baseline != others[0]:
        raise ValueError(f"baseline must be {others[0]!r}, as in the lines above, not {one.baseline!r}")
