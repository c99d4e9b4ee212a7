"""Statistics of `agents.arena.analysis` for Porta Nigra: early ends, elements built, honour cards bought."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.arena.analysis import Course, Courses
from agents.arena.cards import Cards
from agents.arena.tables import markdown
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS


class Purchases(NamedTuple):
    """Purchases and builds in a course.

    Attributes:
        honours: int64 (kinds,), honour cards by kind.
        built: int64 (len(BUILDINGS),), elements by building.
        by_influence: number of elements built by influence.
    """

    honours: npt.NDArray[np.int64]
    built: npt.NDArray[np.int64]
    by_influence: int


def purchases(course: Course, game: Game) -> Purchases:
    """Count the purchases and builds in a course."""

    def counts(name: str) -> npt.NDArray[np.int64]:
        counts: npt.NDArray[np.int64] = course.counts[game.actions[name].slice]
        return counts

    buildings = [BUILDINGS.index(text.split()[1]) for text in game.action_texts[game.actions["build"].slice]]
    built = np.zeros(len(BUILDINGS), dtype=np.int64)
    np.add.at(built, buildings, counts("build") + counts("influence_build"))
    built[-1] += counts("build_porta_nigra").sum() + counts("influence_build_porta_nigra").sum()
    by_influence = counts("influence_build").sum() + counts("influence_build_porta_nigra").sum()
    return Purchases(counts("honour"), built, int(by_influence))


def columns(course: Course) -> dict[str, str]:
    """Return the share of games with an early end."""
    return {"early ends": f"{(course.ends['early_player'] >= 0).mean():.1%}"}


def sections(courses: Courses, game: Game) -> list[str]:
    """Return the tables of elements and honour cards."""
    bought = {key: purchases(course, game) for key, course in courses.items()}
    rows = []
    for (players, name), course in courses.items():
        purchase, seats = bought[players, name], course.scores.size
        rows.append([str(players), f"`{name}`", *(f"{count / seats:.2f}" for count in purchase.built)])
        share = purchase.by_influence / max(purchase.built.sum(), 1)
        rows[-1] += [f"{share:.0%}", f"{purchase.honours.sum() / seats:.2f}"]
    head = ["players", "agent", *(name.replace("_", " ") for name in BUILDINGS), "of them by influence", "honour cards"]
    elements = "## Elements built and honour cards bought, a player\n\n" + markdown(head, rows, left=2)
    rows = [
        [f"`{kind}`", *(f"{bought[key].honours[i] / len(course.starters):.2f}" for key, course in courses.items())]
        for i, kind in enumerate(game.components.honour_names)
    ]
    head = ["honour card", *(f"{players}: `{name}`" for players, name in courses)]
    return [elements, "## Honour cards bought, a game\n\n" + markdown(head, rows)]


def cards(course: Course, game: Game) -> Cards:
    """Return the honour cards by kind, with their cost in influence tokens."""
    bought = course.actions[:, :, game.actions["honour"].slice]
    costs = game.constants[0]["honour_cost"][: bought.shape[2]].astype(np.float64)
    return Cards(game.components.honour_names, costs, "influence", bought)
