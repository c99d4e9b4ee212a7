"""What `agents.arena.analysis` counts in Gloria Mundi alone: how games end, what is decided, what cards are worth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.arena.analysis import Course, Courses
from agents.arena.tables import markdown
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games.gloria_mundi.components.names import ENDS, NUM_CARDS


def columns(course: Course) -> dict[str, str]:
    """How many games ended by what."""
    return {f"end {end}": f"{np.mean(course.ends['end'] == i):.1%}" for i, end in enumerate(ENDS)}


def owned(course: Course) -> npt.NDArray[np.bool_]:
    """Who has which building card at the end, bool (games, players, NUM_CARDS)."""
    displays = np.bitwise_or.reduce(course.ends["covered"], axis=2)[:, : course.scores.shape[1]]
    found: npt.NDArray[np.bool_] = (displays[..., np.newaxis] >> np.arange(NUM_CARDS)) & 1 == 1
    return found


def worth(course: Course) -> npt.NDArray[np.float64]:
    """How often who has a card at the end wins, by an even share, float64 (NUM_CARDS,); nan where nobody has it."""
    first = course.places == 1
    shares = first / first.sum(axis=1, keepdims=True) * course.scores.shape[1]
    have = owned(course)
    with np.errstate(invalid="ignore"):
        found: npt.NDArray[np.float64] = (have * shares[..., np.newaxis]).sum(axis=(0, 1)) / have.sum(axis=(0, 1))
    return found


def decisions(course: Course, game: Game) -> list[str]:
    """Purchases, cards used, tributes paid and the Goth's moves by choice, a player and game."""
    games = course.scores.size
    layout = [game.actions[name] for name in ("buy", "use", "tribute", "goth")]
    return [f"{course.counts[field.slice].sum() / games:.1f}" for field in layout]


def sections(courses: Courses, game: Game) -> list[str]:
    """What was decided, and every card's share of the wins."""
    head = ["players", "agent"]
    rows = [[str(players), f"`{name}`", *decisions(one, game)] for (players, name), one in courses.items()]
    cards = []
    for number, card in enumerate(game.components.cards):
        cells = [(owned(one)[..., number].mean() * one.scores.shape[1], worth(one)[number]) for one in courses.values()]
        cards.append([card, *(f"{have:.0%}: {won:.2f}" for have, won in cells)])
    named = [f"{players}, `{name}`" for players, name in courses]
    return [
        "## What is decided, a player\n\n" + markdown([*head, "bought", "used", "tribute", "goth"], rows, left=2),
        "## Building cards: how often somebody has one at the end, and how often that player wins, by an even share\n\n"
        + markdown(["card", *named], cards),
    ]
