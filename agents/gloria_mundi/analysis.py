"""Statistics of Gloria Mundi for `agents.arena.analysis`: ends of games, actions, win rates by card."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.arena.analysis import Course, Courses
from agents.arena.cards import Cards
from agents.arena.tables import markdown
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games.gloria_mundi.components.names import ENDS, NUM_CARDS


def columns(course: Course) -> dict[str, str]:
    """Return the fraction of games by end."""
    return {f"end {end}": f"{np.mean(course.ends['end'] == i):.1%}" for i, end in enumerate(ENDS)}


def owned(course: Course) -> npt.NDArray[np.bool_]:
    """Return the building cards of all players at the end, bool (games, players, NUM_CARDS)."""
    displays = np.bitwise_or.reduce(course.ends["covered"], axis=2)[:, : course.scores.shape[1]]
    cards: npt.NDArray[np.bool_] = (displays[..., np.newaxis] >> np.arange(NUM_CARDS)) & 1 == 1
    return cards


def relative_wins(course: Course) -> npt.NDArray[np.float64]:
    """Return the win rate of a card's owners relative to an even share, float64 (NUM_CARDS,); nan without owners."""
    first = course.places == 1
    shares = first / first.sum(axis=1, keepdims=True) * course.scores.shape[1]
    have = owned(course)
    with np.errstate(invalid="ignore"):
        rates: npt.NDArray[np.float64] = (have * shares[..., np.newaxis]).sum(axis=(0, 1)) / have.sum(axis=(0, 1))
    return rates


def actions_per_game(course: Course, game: Game) -> list[str]:
    """Return purchases, cards used, tributes paid and chosen marches per player and game."""
    games = course.scores.size
    layout = [game.actions[name] for name in ("buy", "use", "tribute", "goth")]
    return [f"{course.counts[field.slice].sum() / games:.1f}" for field in layout]


def sections(courses: Courses, game: Game) -> list[str]:
    """Return the report's sections on actions and on the win rates of cards."""
    head = ["players", "agent"]
    rows = [[str(players), f"`{name}`", *actions_per_game(course, game)] for (players, name), course in courses.items()]
    cards = []
    for number, card in enumerate(game.components.cards):
        cells = [
            (owned(course)[..., number].mean() * course.scores.shape[1], relative_wins(course)[number])
            for course in courses.values()
        ]
        cards.append([card, *(f"{have:.0%}: {won:.2f}" for have, won in cells)])
    named = [f"{players}, `{name}`" for players, name in courses]
    return [
        "## Actions per player\n\n" + markdown([*head, "bought", "used", "tribute", "goth"], rows, left=2),
        "## Building cards: games with an owner at the end, the owner's wins relative to an even share\n\n"
        + markdown(["card", *named], cards),
    ]


def cards(course: Course, game: Game) -> Cards:
    """Return the building cards that the players have at the end, with their printed price in stones."""
    prices = game.constants[0]["price"].sum(axis=1).astype(np.float64)
    return Cards(game.components.cards, prices, "stones", owned(course).astype(np.int8))
