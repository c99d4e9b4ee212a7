"""Guided first rounds as data for the page: ``agents/<game>/lesson.toml`` with its action strings as ids."""

from __future__ import annotations

from typing import Any

from agents.web.page.rules import data_of
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration.language import LANGUAGES


def lesson_of(kind: type[Game]) -> dict[str, Any] | None:
    """Return the lesson of a game, None for a game without one.

    Returns:
        `seed` as a string, `players`, `seat` of the learner, and `steps`.  A step has `text` by language, `place` to
        point at or "", the learner's `action` or None where it only explains, and `then`, the actions that follow it.

    Raises:
        ValueError: a text or an action is missing; the message names step and field.
    """
    data = data_of(kind.name, "lesson")
    if not data:
        return None
    ids = {text: number for number, text in enumerate(kind(data["players"]).action_texts)}

    def action(text: str, number: int) -> int:
        if text not in ids:
            raise ValueError(f"lesson of {kind.name}, step {number}: there is no action {text!r}")
        return ids[text]

    steps = []
    for number, step in enumerate(data["steps"], 1):
        if missing := [language for language in LANGUAGES if not step.get(language)]:
            raise ValueError(f"lesson of {kind.name}, step {number}: the text in {', '.join(missing)} is missing")
        steps.append({
            "text": {language: step[language] for language in LANGUAGES},
            "place": step.get("place", ""),
            "action": action(step["do"], number) if "do" in step else None,
            "then": [action(text, number) for text in step.get("then", [])],
        })  # fmt: skip
    return {"seed": str(data["seed"]), "players": data["players"], "seat": data["seat"], "steps": steps}
