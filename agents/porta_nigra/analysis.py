"""What `agents.arena.analysis` counts in Porta Nigra alone: early ends, elements built, honour cards bought."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.arena.analysis import Course, Courses
from agents.arena.tables import markdown
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS


class Purchases(NamedTuple):
    """What was bought and built in a course.

    honours: int64 (kinds,), honour cards, by kind; built: int64 (len(BUILDINGS),), elements, by building.
    by_influence: how many of these by influence.
    """

    honours: npt.NDArray[np.int64]
    built: npt.NDArray[np.int64]
    by_influence: int


def purchases(course: Course, game: Game) -> Purchases:
    """Counts of the actions by what they buy."""
    counts = {name: course.counts[game.actions[name].slice] for name in ("honour", "build", "build_porta_nigra")}
    paid = {
        name: course.counts[game.actions[name].slice] for name in ("influence_build", "influence_build_porta_nigra")
    }
    buildings = [BUILDINGS.index(text.split()[1]) for text in game.action_texts[game.actions["build"].slice]]
    built = np.zeros(len(BUILDINGS), dtype=np.int64)
    np.add.at(built, buildings, counts["build"] + paid["influence_build"])
    built[-1] += counts["build_porta_nigra"].sum() + paid["influence_build_porta_nigra"].sum()
    return Purchases(counts["honour"], built, sum(int(one.sum()) for one in paid.values()))


def columns(course: Course) -> dict[str, str]:
    """How often the early end was triggered."""
    return {"early ends": f"{(course.ends['early_player'] >= 0).mean():.1%}"}


def sections(courses: Courses, game: Game) -> list[str]:
    """Elements and honour cards."""
    found = {key: purchases(course, game) for key, course in courses.items()}
    rows = []
    for (players, name), course in courses.items():
        one, seats = found[players, name], course.scores.size
        rows.append([str(players), f"`{name}`", *(f"{count / seats:.2f}" for count in one.built)])
        rows[-1] += [f"{one.by_influence / max(one.built.sum(), 1):.0%}", f"{one.honours.sum() / seats:.2f}"]
    head = ["players", "agent", *(name.replace("_", " ") for name in BUILDINGS), "of them by influence", "honour cards"]
    elements = "## Elements built and honour cards bought, a player\n\n" + markdown(head, rows, left=2)
    rows = [
        [f"`{kind}`", *(f"{found[key].honours[i] / len(course.starters):.2f}" for key, course in courses.items())]
        for i, kind in enumerate(game.components.honour_names)
    ]
    head = ["honour card", *(f"{players}: `{name}`" for players, name in courses)]
    return [elements, "## Honour cards bought, a game\n\n" + markdown(head, rows)]
