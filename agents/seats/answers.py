"""Answers of a seat: an id, an action string, a beginning or words that only one legal action has."""

from __future__ import annotations

import json
import re
from typing import Final

from agents.seats.prompt import narrator_of
from porta_nigra_env.core.game.view import View
from porta_nigra_env.core.narration.language import SOURCE

#: Largest number of characters of an answer that are read; the last ones count.
LONGEST: Final = 20_000
#: Names of the action in an answer that is a JSON object.
_KEYS: Final = ("action", "move", "submission")
_OBJECT: Final = re.compile(r"\{[^{}]*\}")
_MARKED: Final = re.compile(
    r"(?:^|[.,;!?*]\s*)(?:my |the )?(?:final answer|answer|action|move|antwort|aktion|zug)\**\s*:(?P<text>[^\n]+)",
    re.I | re.M,
)
_DECORATION: Final = " \t\r\n`*\"'[]()<>."
_SHOWN: Final = 12


class AnswerError(ValueError):
    """An answer that names no legal action; the message is the reason, and nothing has changed."""


def read_answer(text: str) -> str:
    """Return the action in an answer: of the last JSON object, else after the last "action:", else the last line.

    >>> read_answer("I build.  Final answer: **build basilica A1**")
    'build basilica A1'
    >>> read_answer('{"action": 12}')
    '12'
    """
    text = text[-LONGEST:]
    for found in reversed(_OBJECT.findall(text)):
        try:
            value = json.loads(found)
        except ValueError:
            continue
        for key in _KEYS:
            if isinstance(value.get(key), str | int) and not isinstance(value[key], bool):
                return " ".join(str(value[key]).split())
    marked = _MARKED.findall(text)
    lines = [line for line in text.splitlines() if line.strip(_DECORATION)]
    last = marked[-1] if marked else lines[-1] if lines else ""
    return " ".join(last.strip(_DECORATION).split())


def chosen(view: View, answer: str | int, language: str = SOURCE) -> int:
    """Return the id of the legal action that an answer names.

    Raises:
        AnswerError: the answer names no action, several, or an illegal one.
    """
    if isinstance(answer, bool) or not isinstance(answer, str | int):
        raise AnswerError(f"an answer is a text or an action id, not {type(answer).__name__}.")
    game = view.game
    text = read_answer(answer) if isinstance(answer, str) else str(answer)
    if not text:
        raise AnswerError(f"the answer is empty; {_some(view)}")
    if re.fullmatch(r"-?[0-9]{1,9}", text):
        number = int(text)
        if not 0 <= number < game.actions.size:
            raise AnswerError(f"{number} is no action id, they are 0 to {game.actions.size - 1}; {_some(view)}")
        return _checked(view, number, language)
    folded = text.casefold()
    legal: list[int] = view.legal_ids().tolist()
    by_text = {game.action_texts[action].casefold(): action for action in legal}
    # A line of the prompt begins with the id.
    folded = re.sub(r"^[0-9]{1,9} (?=\S)", "", folded).partition(":")[0].strip()
    if folded in by_text:
        return by_text[folded]
    known = {one.casefold(): action for action, one in enumerate(game.action_texts)}
    if folded in known:
        return _checked(view, known[folded], language)
    matching = [action for one, action in by_text.items() if one.startswith(folded)]
    matching = matching or [action for one, action in by_text.items() if set(folded.split()) <= set(one.split())]
    if len(matching) == 1:
        return matching[0]
    if matching:
        some = ", ".join(game.action_texts[action] for action in matching[:_SHOWN])
        raise AnswerError(f"{text[:80]!r} may be {some}{', ...' if len(matching) > _SHOWN else ''}.")
    raise AnswerError(f"{text[:80]!r} is no action; {_some(view)}")


def _checked(view: View, action: int, language: str) -> int:
    """Return a legal action; AnswerError with the reason for any other."""
    if view.action_mask[action]:
        return action
    narrator = narrator_of(view.game, view.player, language, None)
    text = view.game.action_texts[action]
    reason = _some(view) if narrator is None else narrator.why_not(view, action)
    raise AnswerError(f"{text!r} is not legal now: {reason}")


def _some(view: View) -> str:
    texts = view.legal_actions()
    return f"legal are {', '.join(texts[:_SHOWN])}{', ...' if len(texts) > _SHOWN else ''}."
