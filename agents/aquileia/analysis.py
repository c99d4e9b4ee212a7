"""Statistics of `agents.arena.analysis` for Aquileia alone: followers, houses, cards."""

from __future__ import annotations

import numpy as np

from agents.arena.analysis import Course, Courses
from agents.arena.cards import Cards
from agents.arena.tables import markdown
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games.aquileia.components.names import AREAS, BUILDING_KINDS


def followers(course: Course, game: Game) -> dict[str, float]:
    """Return the followers on the spaces of each area, per player and game."""
    placed = course.counts[game.actions["place"].slice]
    starts = game.constants[0]["area_start"]
    return {area: float(placed[starts[i] : starts[i + 1]].sum()) / course.scores.size for i, area in enumerate(AREAS)}


def houses(course: Course, game: Game) -> dict[str, float]:
    """Return the houses on buildings of each kind, per player and game."""
    built = course.counts[game.actions["build"].slice]
    kinds = game.constants[0]["building_kind"][: len(built)]
    return {kind: float(built[kinds == i].sum()) / course.scores.size for i, kind in enumerate(BUILDING_KINDS)}


def columns(course: Course) -> dict[str, str]:
    """Return the share of rounds with a race."""
    past = course.ends["past_open"] >= 0
    return {"rounds with a race": f"{(course.ends['past_first'] >= 0)[past].mean():.1%}"}


def sections(courses: Courses, game: Game) -> list[str]:
    """Return the tables of followers by area, and of houses by kind of building."""
    placed, built = [], []
    for (players, name), course in courses.items():
        key = [str(players), f"`{name}`"]
        placed.append([*key, *(f"{count:.1f}" for count in followers(course, game).values())])
        built.append([*key, *(f"{count:.2f}" for count in houses(course, game).values())])
    head = ["players", "agent"]
    return [
        "## Followers by area, a player\n\n" + markdown([*head, *AREAS], placed, left=2),
        "## Houses built, a player\n\n"
        + markdown([*head, *(np.char.replace(BUILDING_KINDS, "_", " ").tolist())], built, left=2),
    ]


def cards(course: Course, game: Game) -> Cards:
    """Return the buildings, with their cost in coins and slaves together."""
    built, record = course.actions[:, :, game.actions["build"].slice], game.constants[0]
    costs = record["building_cost"].sum(axis=1) + record["building_slaves"]
    return Cards(game.components.buildings, costs[: built.shape[2]].astype(np.float64), "coins and slaves", built)
